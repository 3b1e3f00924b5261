/** Principal component regression of pooled rows: against scikit-learn and against its definition, and refused where it has no such components. */
import { readFileSync } from 'node:fs';
import { ofKind } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import type { Program } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { resultInClear, symmetricEigen, totalScatter } from '../../src/index.ts';
import { DATASETS, prepare, programFor, sum } from '../samples.ts';

interface Kept {
  readonly name: (typeof DATASETS)[number];
  readonly components: number;
  readonly rho: number;
  readonly weights: readonly number[];
  readonly intercept: number;
}

/** The cases that scikit-learn.py has written. */
const KEPT: readonly Kept[] = JSON.parse(readFileSync(new URL('scikit-learn.json', import.meta.url), 'utf8'));

const inClear = (program: Program, statistics: Statistics) =>
  ofKind('regression', resultInClear(program, statistics)).regression;

function fitted(name: (typeof DATASETS)[number], components: number, ridge: number) {
  const { program, statistics } = prepare(name, { kind: 'pcr', ridge });
  const regression = inClear({ ...program, components }, statistics);
  return { ...regression, statistics, program };
}

describe('principal component regression', () => {
  it('is of the datasets that scikit-learn has fitted', () => {
    expect(new Set(KEPT.map(({ name }) => name))).toEqual(new Set(DATASETS));
  });

  it.each(KEPT)('of $name on $components components with ρ = $rho is that of scikit-learn', (kept) => {
    const { weights, intercept } = fitted(kept.name, kept.components, kept.rho);
    expect(weights).toHaveLength(kept.weights.length);
    for (const [i, w] of kept.weights.entries()) expect(weights[i]).toBeCloseTo(w, 10);
    expect(intercept).toBeCloseTo(kept.intercept, 10);
  });

  it.each(DATASETS.filter((name) => name !== 'ionosphere'))(
    'of %s on all components is ridge regression',
    (name) => {
      const { program, statistics } = prepare(name, { kind: 'ridge', ridge: 0.5 });
      const ridge = inClear({ ...program, components: 0 }, statistics);
      const { weights, intercept } = fitted(name, program.featureCount - 1, 0.5);
      for (const [i, w] of ridge.weights.entries()) expect(weights[i]).toBeCloseTo(w, 10);
      expect(intercept).toBeCloseTo(ridge.intercept, 10);
    },
  );

  it('has weights in the span of the components, and of these the ones with the least loss', () => {
    const { weights, statistics } = fitted('pima', 3, 2);
    const S = totalScatter(statistics, 14);
    const { vectors } = symmetricEigen(S.slice(0, -1).map((row) => row.slice(0, -1)));
    const along = (u: readonly number[], of: readonly number[]) =>
      u.reduce((all, x, i) => all + x * of[i]!, 0);
    for (const u of vectors.slice(3)) expect(along(u, weights)).toBeCloseTo(0, 10);
    const slope = weights.map(
      (w, i) => S[i]!.slice(0, -1).reduce((all, s, j) => all + s * weights[j]!, 2 * w) - S[i]!.at(-1)!,
    );
    for (const u of vectors.slice(0, 3)) expect(along(u, slope)).toBeCloseTo(0, 9);
  });

  it('is refused where predictors vary in fewer directions than there are components, with a ridge as well', () => {
    // The second feature of ionosphere is 0 throughout.
    expect(fitted('ionosphere', 32, 0).weights[1]).toBeCloseTo(0, 12);
    for (const ridge of [0, 1])
      expect(() => fitted('ionosphere', 33, ridge)).toThrow(
        expect.objectContaining({ code: 'ERR_FULL_RANK' }),
      );
  });

  it('is refused without consent where the weights leave nothing of the scatter unknown', () => {
    const rows = Array.from({ length: 30 }, (_, n) => {
      const x = n % 3 === 0 ? 16384 : -16384;
      return [x, -x, n % 7 < 3 ? x : -16384];
    });
    const of = (changes: Partial<Program>) => {
      const program = programFor({ kind: 'pcr', ridge: 1 }, 3, {
        components: 1,
        allowFullRank: false,
        ...changes,
      });
      return () => inClear(program, sum(program, rows));
    };
    expect(of({ twoValued: 2 })).toThrow(expect.objectContaining({ code: 'ERR_FULL_RANK' }));
    expect(of({ twoValued: 1, outputs: ['trace'] })).toThrow(
      expect.objectContaining({ code: 'ERR_FULL_RANK' }),
    );
    expect(of({ twoValued: 1 })().weights).toHaveLength(2);
    expect(of({ twoValued: 2, allowFullRank: true })().weights).toHaveLength(2);
  });
});
