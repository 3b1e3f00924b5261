import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { secondMomentSensitivity } from '../../../privacy/mechanisms/matrices.ts';
import { jointSensitivity } from '../../../privacy/methods/central.ts';
import { elfedpcaSensitivity } from '../../../privacy/methods/elfedpca.ts';
import {
  boundedRow,
  dot,
  norm,
  orthonormal,
  secondMoment,
  times,
  upperTriangle,
} from '../../../privacy/methods/matrix.ts';
import type { Row } from '../../../privacy/methods/method.ts';
import { POWER_SENSITIVITY } from '../../../privacy/methods/noisy-power.ts';
import { rowSensitivity } from '../../../privacy/methods/two-stage.ts';
import { RealDraws } from '../../../privacy/random/real.ts';

const norm1 = (values: readonly number[]) => values.reduce((sum, x) => sum + Math.abs(x), 0);
const less = (a: readonly number[], b: readonly number[]) => a.map((x, i) => x - b[i]!);

/** The largest change that a random search with small steps finds; from rows inside, on the sphere and along axes. */
function search(
  dimension: number,
  rows: number,
  bound: Row,
  change: (rows: readonly Row[]) => number,
): number {
  const draws = new RealDraws(predictableRandomness(`search ${dimension} ${rows}`));
  const box = (row: Row) =>
    boundedRow(
      row.map((x, i) => Math.max(-bound[i]!, Math.min(bound[i]!, x))),
      1,
      1,
    );
  let largest = 0;
  for (let start = 0; start < 12; start += 1) {
    let at = Array.from({ length: rows }, (_, r) =>
      box(
        start === 0
          ? bound.map((_b, i) => (i === r ? 1 : 0))
          : bound.map(() => 2 ** (start % 3) * draws.normal()),
      ),
    );
    let most = change(at);
    for (let step = 0; step < 800; step += 1) {
      const size = 0.5 ** (step % 8);
      const next = at.map((row) => box(row.map((x) => x + size * draws.normal())));
      const found = change(next);
      if (found > most) [at, most] = [next, found];
    }
    largest = Math.max(largest, most);
  }
  return largest;
}

function expectTight(found: number, sensitivity: number): void {
  expect(found).toBeLessThanOrEqual(sensitivity * (1 + 1e-9));
  expect(found).toBeGreaterThan(0.9 * sensitivity);
}

const ball = (dimension: number) => new Array<number>(dimension).fill(1);

for (const { d, tags } of [{ d: 3, tags: [] }, ...[2, 4, 7].map((many) => ({ d: many, tags: ['long'] }))])
  describe(`of ${d} features, what one row changes`, { tags }, () => {
    const triangle = (row: Row) => upperTriangle(secondMoment([row], d));

    it('R, V/2 and Q/2 together, as the central Gaussian mechanism and the stage have them', () => {
      const change = ([x]: readonly Row[]) => norm([...triangle(x!), ...x!.map((entry) => entry / 2), 0.5]);
      expectTight(search(d, 1, ball(d), change), jointSensitivity());
    });

    it('the same with entries off the diagonal weighted by √2', () => {
      const change = ([x]: readonly Row[]) =>
        norm([...secondMoment([x!], d).flat(), ...x!.map((entry) => entry / 2), 0.5]);
      expectTight(search(d, 1, ball(d), change), jointSensitivity());
    });

    it('Σ x xᵀ in L2 and L1: Analyze Gauss, DPdisPCA, PPDP, HPDP', () => {
      const { l1, l2 } = secondMomentSensitivity(d, 'add-remove');
      expectTight(
        search(d, 1, ball(d), ([x]) => norm(triangle(x!))),
        l2,
      );
      expectTight(
        search(d, 1, ball(d), ([x]) => norm1(triangle(x!))),
        l1,
      );
    });

    it('x xᵀ replaced: LGM', () => {
      expectTight(
        search(d, 2, ball(d), ([x, y]) => norm(less(triangle(x!), triangle(y!)))),
        secondMomentSensitivity(d, 'replace').l2,
      );
      const l1 = search(d, 2, ball(d), ([x, y]) => norm1(less(triangle(x!), triangle(y!))));
      expect(l1).toBeLessThanOrEqual(secondMomentSensitivity(d, 'replace').l1);
    });

    it('Σ A_i of ELFedPCA, at the smallest site', () => {
      const sites = [20, 7, 12].map((size) => new Array<Row>(size).fill(ball(d)));
      const change = ([x]: readonly Row[]) => {
        const one = norm(triangle(x!));
        return Math.max(...[19, 6, 11].map((by) => one / by));
      };
      expectTight(search(d, 1, ball(d), change), elfedpcaSensitivity(sites, 'repaired'));
      expect(elfedpcaSensitivity(sites, 'corrected')).toBeCloseTo(1 / 38, 15);
    });

    it('one round of the power method', () => {
      const draws = new RealDraws(predictableRandomness('columns'));
      const columns = orthonormal([1, 2].map(() => Array.from({ length: d }, () => draws.normal())));
      const change = ([x]: readonly Row[]) =>
        norm(columns.flatMap((column) => times(secondMoment([x!], d), column)));
      expectTight(search(d, 1, ball(d), change), POWER_SENSITIVITY);
    });

    it('a whole row within the box: the first stage of the local method', () => {
      const box = new Array<number>(d).fill(1 / Math.sqrt(d));
      expectTight(
        search(d, 2, box, ([x, y]) => norm1(less(x!, y!))),
        rowSensitivity(d),
      );
    });
  });

it('a search that finds too much would be seen', () => {
  const change = ([x]: readonly Row[]) => dot(x!, x!);
  expect(() => expectTight(search(3, 1, ball(3), change), 0.9)).toThrow();
  expect(() => expectTight(search(3, 1, ball(3), change), 1.2)).toThrow();
});
