/** Pencils with a floor give what the reference gives of the noised statistics, and of the floor's ridge. */
import type { MethodParameters } from '@eigenveil/methods';
import { decompose, generalisedEigen, pencil, principalAngles, symmetricEigen } from '@eigenveil/projection';
import { floorOf, type StatisticsTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { resolutionOf } from '../../src/programs/index.ts';
import { pencilDistance } from '../../src/rotated/distances.ts';
import { lengthsOf, pencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { gridded, noised } from './floors.ts';
import { dca, lda, mdr, pencilSetting, resultOf, runPencil } from './pencils.ts';

const ROWS = 180;

function settingOf(
  method: MethodParameters,
  grains: readonly (number | 'cell')[],
  classes: number,
  components: number,
  more: Partial<StatisticsTask> = {},
) {
  const { rows, task } = gridded(ROWS, grains, 23);
  const labelled = (step: number, shift: number) => ({
    classes,
    labels: rows.map((row, i) => (row[shift]! > 0.2 ? i % classes : (i * step) % 2)),
  });
  return pencilSetting({
    rows,
    method,
    labellings: method.kind === 'mdr' ? [labelled(1, 0), labelled(3, 1)] : [labelled(1, 0)],
    components,
    task: { ...task, twoParty: 'rotated', ...more },
    program: { outputs: ['sampleCount', 'spectrum', 'classCounts', 'mean'], allowFullRank: true },
  });
}

const plus = (matrix: readonly (readonly number[])[], other: typeof matrix, ridge: number) =>
  matrix.map((row, i) => row.map((entry, j) => entry + other[i]![j]! + (i === j ? ridge : 0)));

describe('a pencil with a floor', () => {
  it('takes R in digits under the longest blinding, and is what it is with one', async () => {
    const grains = ['cell', 'cell', 'cell'] as const;
    const spectra: (readonly number[])[] = [];
    for (const statisticalSecurityBits of [40, 128]) {
      const setting = settingOf(lda(0.1), grains, 2, 1, { statisticalSecurityBits });
      const { user, log } = await runPencil(setting);
      if (user.status === 'rejected') throw user.reason;
      spectra.push(user.value.spectrum!);
      // Roots, R by digits and the squares of roots; X, P T and noise; M; F; Y; and three on the way back.
      expect(log.length).toBe(statisticalSecurityBits > 40 ? 13 : 12);
    }
    for (const [i, value] of spectra[1]!.entries()) expect(value).toBeCloseTo(spectra[0]![i]!, 2);
  });

  it.each([
    ['DCA', dca(0.01), ['cell', 'cell', 'cell', 'cell'], 3, 2],
    ['DCA with a signal ridge', dca(0.1, 0.05), [0.25, 0.25, 0.25], 2, 2],
    ['the book’s form', dca(0.1, 0.05, 'book'), [2, 'cell', 0.1], 2, 1],
    ['LDA', lda(0.1), [2, 0.25, 'cell', 0, 2, 0.1], 3, 2],
    ['MDR', mdr(0.5), [2, 'cell', 0.25], 3, 2],
  ] as const)('is that of the noised statistics: %s', async (name, method, grains, classes, components) => {
    const setting = settingOf(method, grains, classes, components);
    const result = await resultOf(setting);
    const statistics = noised(setting);
    const { A, B } = pencil(setting.program, statistics);
    const { values, vectors } = generalisedEigen(A, B!);
    const { error } = resolutionOf('rotated', setting.program, { largest: values[0]!, trace: 0 });
    for (const [i, value] of result.eigenvalues.entries())
      expect(Math.abs(value - values[i]!)).toBeLessThan(error(value));
    expect(Math.max(...principalAngles(result.vectors, vectors.slice(0, components)))).toBeLessThan(1e-6);

    // The spectrum is that of the total with the floor's ridge, less the mean of that.
    const floor = floorOf(setting.task)!;
    const none = A.map((row) => row.map(() => 0));
    const total = {
      DCA: () => plus(B!, none, -0.01),
      'DCA with a signal ridge': () => plus(B!, none, -0.1),
      'the book’s form': () => plus(A, none, -0.15),
      LDA: () => plus(A, B!, -0.1),
      MDR: () => plus(A, B!, -0.5),
    }[name]();
    const mean = method.kind === 'mdr' ? 0 : floor.ridge.reduce((sum, value) => sum + value) / grains.length;
    for (const [i, value] of symmetricEigen(total).values.entries())
      expect(Math.abs(result.spectrum![i]! - value + mean)).toBeLessThan(
        0.51 * 2 ** -floor.released.scatter + 1e-6,
      );
    const wanted = decompose(setting.program, statistics);
    const { mean: ofRows, classCounts } = wanted;
    expect({ ofRows: result.mean, classCounts: result.classCounts }).toEqual({ ofRows, classCounts });
  });

  it('counts no eigenvalue as one that the ridge of a coarser feature may have lifted', async () => {
    const { rows, task } = gridded(540, [2, 'cell', 'cell', 'cell', 'cell'], 23);
    const labellings = [{ classes: 2, labels: rows.map((_, i) => i % 2) }];
    const given = { rows, method: dca(0.1), labellings, components: 1 };
    const setting = pencilSetting({ ...given, task: { ...task, twoParty: 'rotated' } });
    // The third is above the noise, and less above it than the ridge of the first feature is large.
    const { values } = symmetricEigen(pencil(setting.program, noised(setting)).B!);
    const { norm, ridge } = floorOf(setting.task)!;
    expect(values[2]! - ridge[0]! / 5).toBeGreaterThan(norm);
    expect(values[2]! - ridge[0]!).toBeLessThan(norm);
    await expect(resultOf(setting)).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
  });
});

it('has room in T for what owners may have added to the sums of classes of one row', () => {
  const [owners, classes, d] = [1000, 5, 3];
  const setting = settingOf(mdr(1), [2, 2, 2], classes, 1);
  const task = { ...setting.task, maximumOwners: owners, maximumSamplesPerOwner: 1 };
  const { ringBits, scatterBits, rotationBits, fractionBits } = pencilParameters(task, setting.program);
  const traceBits = ringBits - scatterBits - 2 * rotationBits - 2; // ± what P and Pᵀ make of T
  // 8 deviations of the sum of all owners' noise for two results, of values as far apart as their range is long.
  const noise = 8 * Math.sqrt(owners) * (0.5 * Math.SQRT2) * 2;
  const ofOne = (M: number) => (M + noise) ** 2 / M;
  const between = (classes - 1) * ofOne(1) + ofOne(owners - classes + 1);
  const trace = owners * d * between * 2; // of both labellings
  expect(traceBits).toBeGreaterThan(2 * fractionBits + Math.log2(trace));
});

describe('pencilDistance', () => {
  it('stays below 2^−38 with a floor, from three features on', () => {
    const floored = { sumFractionBits: 51, raises: [], raise: 1n };
    for (const features of [3, 4, 5, 8, 33, 34, 65, 128, 129, 200])
      for (const groups of [1, 2, 30, 99])
        for (const ridged of [false, true])
          for (const summed of [false, true]) {
            const sizes = { features, groups, components: features, summed, floored, fractionBits: 33 };
            const parameters = lengthsOf({
              ...sizes,
              columns: groups + (ridged ? features : 0),
              classes: [groups + 1],
              shareBits: { R: 0, V: 0, sums: 0 },
              totalBits: 66 + Math.ceil(Math.log2(features)),
            });
            expect(pencilDistance(parameters).total).toBeLessThan(2 ** -38);
          }
  });
});
