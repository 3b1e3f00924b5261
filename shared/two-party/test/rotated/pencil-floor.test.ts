/** Pencils with a floor give what the reference gives of the noised statistics, and of the floor's ridge. */
import { generalisedEigen, principalAngles, symmetricEigen } from '@eigenveil/projection';
import { floorOf, type Method } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { pencilDistance } from '../../src/rotated/pencil/distance.ts';
import { lengthsOf } from '../../src/rotated/pencil/parameters.ts';
import { gridded, noisedPencil, noisedSums } from './floors.ts';
import { dca, lda, mdr, pencilSetting, resultOf } from './pencils.ts';

const ROWS = 180;

function settingOf(
  method: Method,
  grains: readonly (number | 'cell')[],
  classes: number,
  components: number,
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
    task: { ...task, twoParty: 'rotated' },
    program: { outputs: ['sampleCount', 'spectrum', 'classCounts', 'mean', 'trace'], allowFullRank: true },
  });
}

describe('a pencil with a floor', () => {
  it.each([
    ['DCA', dca(0.01), 0.01, 0, (nu: number) => nu, ['cell', 'cell', 'cell', 'cell'], 3, 2],
    ['DCA with a signal ridge', dca(0.1, 0.05), 0.1, 0.05, (nu: number) => nu, [0.25, 0.25, 0.25], 2, 2],
    [
      'the book’s form',
      dca(0.1, 0.05, 'book'),
      0.15,
      0.05,
      (nu: number) => 1 / (1 - nu),
      [2, 'cell', 0.1],
      2,
      1,
    ],
    ['LDA', lda(0.1), 0.1, 0, (nu: number) => nu / (1 - nu), [2, 0.25, 'cell', 0, 2, 0.1], 3, 2],
    ['MDR', mdr(0.5), 0.5, 0, (nu: number) => nu / (1 - nu), [2, 'cell', 0.25], 3, 2],
  ] as const)(
    'is that of the noised statistics: %s',
    async (_, method, ridge, signalRidge, eigenvalue, grains, classes, components) => {
      const setting = settingOf(method, grains, classes, components);
      const result = await resultOf(setting);
      const { A, B, total } = noisedPencil(setting, ridge, signalRidge);
      const { values, vectors } = generalisedEigen(A, B);
      for (const [i, value] of result.eigenvalues.entries())
        expect(Math.abs(value / eigenvalue(values[i]!) - 1)).toBeLessThan(1e-6);
      expect(Math.max(...principalAngles(result.vectors, vectors.slice(0, components)))).toBeLessThan(1e-6);
      const floor = floorOf(setting.task)!;
      const mean =
        method.kind === 'mdr' ? 0 : floor.ridge.reduce((sum, value) => sum + value) / grains.length;
      const cut = 0.51 * 2 ** -floor.released.scatter + 1e-6;
      for (const [i, value] of symmetricEigen(total).values.entries())
        expect(Math.abs(result.spectrum![i]! - value + mean)).toBeLessThan(cut);
      const sums = noisedSums(setting).slice(0, classes);
      for (const [i, value] of result.mean!.entries())
        expect(Math.abs(value - sums.reduce((sum, V) => sum + V[i]!, 0) / ROWS)).toBeLessThan(
          0.51 * 2 ** -14,
        );
    },
  );
});

describe('pencilDistance', () => {
  it('stays below 2^−38 with a floor', () => {
    const floored = { sumFractionBits: 51, raises: [], raise: 1n };
    for (const features of [1, 2, 3, 8, 34, 65, 128, 129, 200])
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
