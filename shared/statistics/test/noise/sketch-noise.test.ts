/** The floor of a sketch is noise on the scatter matrix times Ω, from each server alone. */

import { floorOf, ownFloorOf, placesOf, type StatisticsTask } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { drawNoise, drawOwnNoise, sketchNoise } from '../../src/index.ts';

const COLUMNS = 3;
const GRAINS = [2, 0.5, 0.25, 2, 1] as const;

const task: StatisticsTask = {
  method: { kind: 'pca' },
  features: GRAINS.map((grain, i) => ({ name: `f${i}`, min: -1, max: 1, grain, twoValued: false })),
  labellings: [],
  sketch: { columns: COLUMNS },
  fractionBits: 14,
  maximumOwners: 4,
  maximumSamplesPerOwner: 64,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  twoParty: 'rotated',
  exact: false,
  releases: 2,
};
const signs = Int32Array.from([1, 1, -1, 1, -1, 1, -1, 1, 1, 1, 1, 1, 1, -1, -1]);
const { Y, labellings, length } = placesOf(task);

/** Of E·Ω for E = φ·G W G: entries (i, a) and (j, b), in products of grains. */
function covariance(i: number, a: number, j: number, b: number, omega: ArrayLike<number>): number {
  const at = (row: number, column: number) => omega[row * COLUMNS + column]!;
  const same = GRAINS.reduce((sum, grain, m) => sum + grain ** 2 * at(m, a) * at(m, b), 0);
  return GRAINS[i]! ** 2 * ((i === j ? same : 0) + GRAINS[j]! ** 2 * at(j, a) * at(i, b));
}

const DRAWS = 3000;

/** A mean of products of normal numbers is off by six of its deviations once in 10⁹ times; draws have a fixed seed. */
function expectCovariances(draw: () => readonly number[], omega: ArrayLike<number>): void {
  const draws = Array.from({ length: DRAWS }, draw);
  const size = GRAINS.length * COLUMNS;
  for (let x = 0; x < size; x += 1) {
    for (let y = x; y < size; y += 1) {
      const place = (at: number) => [Math.floor(at / COLUMNS), at % COLUMNS] as const;
      const of = (p: number, q: number) => covariance(...place(p), ...place(q), omega);
      const seen = draws.reduce((sum, values) => sum + values[x]! * values[y]!, 0) / DRAWS;
      const deviation = Math.sqrt((of(x, x) * of(y, y) + of(x, y) ** 2) / DRAWS);
      expect(Math.abs(seen - of(x, y)), `${x} and ${y}`).toBeLessThan(6 * deviation);
    }
  }
}

describe('noise of a sketch', () => {
  it.each(['csp', 'dataUser'] as const)('is from %s noise of its floor on the scatter, times Ω', (drawer) => {
    const source = predictableRandomness(drawer);
    const unit = floorOf(task)!.deviation * 4 ** task.fractionBits;
    expectCovariances(
      () =>
        drawNoise(task, drawer, source, signs)
          .slice(Y.from, Y.to)
          .map((value) => Number(value) / unit),
      signs,
    );
  });

  it("is from an owner, whose rows are coarser than the task says, that of its own rows' grains, and on its sums", () => {
    const fine: StatisticsTask = {
      ...task,
      features: task.features.map((feature) => ({ ...feature, grain: 'cell' })),
    };
    const floor = ownFloorOf(fine, GRAINS)!;
    const source = predictableRandomness('owner');
    const draw = () => drawOwnNoise(fine, floor, source, signs).map(Number);
    const unit = floor.deviation * 4 ** task.fractionBits;
    expectCovariances(
      () =>
        draw()
          .slice(Y.from, Y.to)
          .map((value) => value / unit),
      signs,
    );
    const { V } = labellings[0]![0]!;
    expect(draw().map((value) => value !== 0)).toEqual(draw().map((_, i) => i < V.to));
    expect(() => drawOwnNoise(fine, floor, source)).toThrow('"signs" expected');
  });

  it('is that of columns which depend on each other, too', () => {
    const omega = signs.map((sign, at) => (at % COLUMNS === 2 ? -signs[at - 1]! : sign));
    const source = predictableRandomness('dependent');
    const scales = GRAINS.map((grain) => grain * 2 ** 20);
    expectCovariances(
      () =>
        sketchNoise({ signs: omega, columns: COLUMNS, scales }, source).map(
          (value) => Number(value) / 2 ** 40,
        ),
      omega,
    );
  });

  it('leaves sums of rows and counts as they are, and is on the sums once more', () => {
    const noise = drawNoise(task, 'csp', predictableRandomness('sums'), signs);
    expect(noise).toHaveLength(length + GRAINS.length);
    expect(noise.slice(labellings[0]![0]!.V.from, length).every((value) => value === 0n)).toBe(true);
    expect(noise.slice(length).every((value) => value !== 0n)).toBe(true);
  });

  it('needs Ω of a server, and is none of an owner', () => {
    expect(() => drawNoise(task, 'csp', predictableRandomness('none'))).toThrow('"signs" expected');
    expect(drawNoise(task, 'owner', predictableRandomness('none')).every((value) => value === 0n)).toBe(true);
  });
});
