/** Where values stand, how wide their slots are, and how large the public shift is: known answers. */
import { describe, expect, test } from 'vitest';
import {
  noisePlanOf,
  placesOf,
  planShift,
  type StatisticsTask,
  shiftOf,
  valueBitsOf,
  widthsOf,
} from '../src/index.ts';

const labelling = (column: string, ...classes: string[]) => ({ column, classes });
const pca: StatisticsTask = {
  method: { kind: 'pca' },
  features: ['a', 'b', 'c'].map((name) => ({ name, min: -1, max: 1 })),
  labellings: [],
  fractionBits: 2,
  maximumOwners: 3,
  maximumSamplesPerOwner: 5,
  keyBits: 2048,
  statisticalSecurityBits: 40,
};
const mdr: StatisticsTask = {
  ...pca,
  method: { kind: 'mdr', ridge: 1 },
  features: pca.features.slice(1),
  labellings: [labelling('u', 'x', 'y'), labelling('p', 'q', 'r', 's')],
};
const dp = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;

describe('the slots of', () => {
  test('a PCA: the upper triangle, the sum, the number of rows, the number of owners', () => {
    expect(placesOf(pca)).toEqual({
      R: { from: 0, to: 6 },
      Y: { from: 6, to: 6 },
      counts: { from: 6, to: 6 },
      labellings: [[{ V: { from: 6, to: 9 }, M: { from: 9, to: 10 } }]],
      owners: { from: 10, to: 11 },
      length: 11,
    });
    // 15 rows of cells up to 4: 240 in R, 60 in V, and a sign.
    expect(widthsOf(pca)).toMatchObject({ R: 9, V: 7, M: 5, owners: 3 });
    expect(valueBitsOf(pca)).toEqual([9, 9, 9, 9, 9, 9, 7, 7, 7, 5, 3]);
  });

  test('a sketch: feature by feature a value per column, the sum, the number of rows, the number of owners', () => {
    const sketch: StatisticsTask = { ...pca, sketch: { columns: 2 } };
    expect(placesOf(sketch)).toEqual({
      R: { from: 0, to: 0 },
      Y: { from: 0, to: 6 },
      counts: { from: 6, to: 6 },
      labellings: [[{ V: { from: 6, to: 9 }, M: { from: 9, to: 10 } }]],
      owners: { from: 10, to: 11 },
      length: 11,
    });
    // 15 rows, a cell up to 4 times a sum of three: 720, and a sign.
    expect(widthsOf(sketch)).toMatchObject({ Y: 11, V: 7, M: 5, owners: 3 });
    expect(valueBitsOf(sketch)).toEqual([11, 11, 11, 11, 11, 11, 7, 7, 7, 5, 3]);
  });

  test('an MDR: no triangle, and a sum and a number of rows for each class of both labellings', () => {
    const classAt = (from: number) => ({ V: { from, to: from + 2 }, M: { from: from + 2, to: from + 3 } });
    expect(placesOf(mdr)).toEqual({
      R: { from: 0, to: 0 },
      Y: { from: 0, to: 0 },
      counts: { from: 0, to: 0 },
      labellings: [
        [classAt(0), classAt(3)],
        [classAt(6), classAt(9), classAt(12)],
      ],
      owners: { from: 15, to: 16 },
      length: 16,
    });
    expect(valueBitsOf(mdr)).toEqual([...new Array(5).fill([7, 7, 5]).flat(), 3]);
  });
});

describe('the shift', () => {
  const of = (task: StatisticsTask) => planShift(task, noisePlanOf(task)!);
  const noisy = { ...pca, fractionBits: 14, differentialPrivacy: dp };

  test.each([
    ['pca', noisy, { shift: 114_233_285_752n, fewestRows: 1211n }],
    [
      'lda',
      { ...noisy, method: { kind: 'lda', ridge: 0 }, labellings: mdr.labellings.slice(1) },
      { shift: 151_539_659_083n, fewestRows: 917n },
    ],
    ['mdr', { ...mdr, fractionBits: 14, differentialPrivacy: dp }, { shift: 0n, fewestRows: 1028n }],
  ] as const)('of a %s is the same on every machine', (_, task, expected) => {
    expect(of(task)).toEqual(expected);
  });

  test('stands on the diagonal of R, and there alone', () => {
    const { shift } = of(noisy);
    expect(shiftOf(noisy)).toEqual([shift, 0n, 0n, shift, 0n, shift, 0n, 0n, 0n, 0n, 0n]);
    expect(shiftOf(pca)).toEqual(new Array(11).fill(0n));
    expect(shiftOf({ ...mdr, differentialPrivacy: dp })).toEqual(new Array(16).fill(0n));
  });
});
