/** The lengths of a sketch behind rotations: distances and rings over the sizes that tasks may have. */
import { SKETCH_OUTPUTS } from '@eigenveil/methods';
import { programOf, type StatisticsTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { sketchDistance } from '../../src/rotated/distances.ts';
import { MAXIMUM_SKETCH_RING_BITS } from '../../src/rotated/parameters.ts';
import { lengthsOf, ringsOf, sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { planOfSketch } from '../../src/rotated/sketch/steps.ts';

const SIZES = [3, 4, 5, 8, 13, 24, 60, 80].flatMap((columns) =>
  [columns + 1, 2 * columns, 100, 256, 784, 1024, 4096, 10_000]
    .filter((features) => features > columns)
    .flatMap((features) => [1, columns - 2].map((components) => ({ features, columns, components }))),
);

describe('the lengths of a sketch', () => {
  it('keep the distance below 2^−38 at every size, room and scale of Ω', () => {
    for (const size of SIZES) {
      for (const sumBits of [16, 30, 42, 52, 64]) {
        for (const [scaleBits, hasFloor] of [
          [0, false],
          [8, false],
          [0, true],
          [8, true],
        ] as const) {
          const columnBits = Math.ceil(Math.log2(size.features)) + (scaleBits > 0 ? scaleBits + 1 : 0);
          const parameters = lengthsOf({
            ...size,
            sumBits,
            scaleBits,
            columnBits,
            shareBits: 100,
            entryShareBits: 100,
            sumShareBits: 70,
            hasFloor,
            raise: 0n,
            scatterUnit: 2 ** 28,
          });
          const { total, ...parts } = sketchDistance(parameters);
          expect(total, JSON.stringify({ ...size, sumBits, scaleBits, ...parts })).toBeLessThan(2 ** -38);
        }
      }
    }
  });

  it('have a plan with vectors of an earlier result in Ω, where their rings are not too wide', async () => {
    let planned = 0;
    for (const [features, columns] of [
      [40, 13],
      [64, 60],
      [256, 60],
      [256, 80],
      [1024, 80],
      [10_000, 80],
    ] as const)
      for (const sumBits of [30, 52, 64, 76, 88]) {
        const parameters = lengthsOf({
          ...{ features, columns, components: 3, sumBits, scaleBits: 8, hasFloor: false, raise: 0n },
          columnBits: Math.ceil(Math.log2(features)) + 9,
          ...{ shareBits: 100, entryShareBits: 100, sumShareBits: 70, scatterUnit: 2 ** 28 },
        });
        if (Math.max(...ringsOf(parameters)) > MAXIMUM_SKETCH_RING_BITS) continue;
        expect((await planOfSketch(parameters)).products).toHaveLength(15);
        planned += 1;
      }
    expect(planned).toBeGreaterThan(6);
  });

  it('fit the rings of products for tasks of 10,000 features, 80 columns, 2^17 rows and 18 fraction bits', () => {
    const task: StatisticsTask = {
      method: { kind: 'pca' },
      features: Array.from({ length: 10_000 }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
      labellings: [],
      sketch: { columns: 80 },
      fractionBits: 18,
      maximumOwners: 128,
      maximumSamplesPerOwner: 1024,
      keyBits: 2048,
      statisticalSecurityBits: 40,
    };
    const asked = { components: 20, outputs: SKETCH_OUTPUTS, minimumOwners: 2, allowFullRank: false };
    expect(() => sketchParameters(task, programOf({ ...task, ...asked }))).not.toThrow();
  });
});
