/** A PCA with a floor gives what the clear reference gives of the noised statistics. */
import { principalAngles } from '@eigenveil/projection';
import { floorOf } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { ceilLog2, rotatedDistance, rotatedParameters } from '../../src/rotated/parameters.ts';
import { GRAINS, gridded, noisedPairs, noisedSums } from './floors.ts';
import { runClear } from './run.ts';
import { settingOf } from './settings.ts';

const OUTPUTS = ['sampleCount', 'spectrum', 'trace', 'mean'] as const;
const PART = 2 ** -20;

describe('a PCA with a floor', () => {
  it.each([
    [3, ['cell', 'cell', 'cell'], 200, false],
    [4, [2, 2, 2, 2], 200, true],
    [5, [...GRAINS, 2], 300, true],
    [6, [2, 2, 'cell', 'cell', 0.25, 0.1], 100, false],
  ] as const)(
    'is that of the noised statistics: %i features, grains %j, %i rows',
    async (_, grains, rows, withMean) => {
      const { rows: values, task } = gridded(rows, grains, 11);
      const setting = settingOf({
        rows: values,
        components: 1,
        task,
        program: { outputs: withMean ? [...OUTPUTS] : ['sampleCount', 'spectrum'], allowFullRank: withMean },
      });
      const floor = floorOf(setting.task)!;
      const { result } = await runClear(setting);
      const wanted = noisedPairs(setting);
      const scale = wanted.values[0]! * PART + 2 ** -floor.released.scatter;
      for (const [i, value] of result.spectrum!.entries())
        expect(Math.abs(value - wanted.values[i]!)).toBeLessThan(scale);
      expect(principalAngles(result.vectors, wanted.vectors.slice(0, 1))[0]).toBeLessThan(2e-6);
      expect(result.sampleCount).toBe(rows);
      const mean = noisedSums(setting)[0]!.map((sum) => Math.round((sum / rows) * 2 ** 14) / 2 ** 14);
      expect(result.mean).toEqual(withMean ? mean : undefined);
    },
  );

  it('has negative eigenvalues where noise outweighs rows, if everything may be told', async () => {
    const { rows, task } = gridded(3, [2, 2, 2, 2, 2, 2], 5);
    const setting = settingOf({ rows, components: 2, task, program: { allowFullRank: true } });
    const { result } = await runClear(setting);
    const wanted = noisedPairs(setting);
    expect(wanted.values.at(-1)).toBeLessThan(-1);
    for (const [i, value] of result.spectrum!.entries())
      expect(Math.abs(value - wanted.values[i]!)).toBeLessThan(
        0.51 * 2 ** -floorOf(setting.task)!.released.scatter,
      );
    expect(Math.max(...principalAngles(result.vectors, wanted.vectors.slice(0, 2)))).toBeLessThan(2e-5);
  });

  it('releases no number of more digits than it is worth with the noise', async () => {
    const { rows, task } = gridded(200, [2, 2, 2, 2], 7);
    const { result } = await runClear(
      settingOf({ rows, components: 1, task, program: { outputs: [...OUTPUTS], allowFullRank: true } }),
    );
    for (const value of [...result.spectrum!, ...result.eigenvalues, result.trace!])
      expect(value * 2).toBe(Math.round(value * 2));
    expect(result.mean!.every((value) => Number.isInteger(value * 2 ** 14))).toBe(true);
  });
});

describe('rotatedDistance', () => {
  it('stays below 2^−40 with a floor', () => {
    const { task } = gridded(0, ['cell'], 1);
    const { exponents } = rotatedParameters(settingOf({ rows: [], features: 1, components: 1, task }).task);
    for (let features = 1; features <= 200; features += 1) {
      const sizes = { features, rotationBits: exponents.guard + ceilLog2(features), exponents };
      expect(rotatedDistance(sizes, features).total).toBeLessThan(2 ** -40);
    }
  });
});
