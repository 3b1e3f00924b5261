/** A PCA with a floor gives what the clear reference gives of the noised statistics. */
import { ofKind } from '@eigenveil/methods';
import { decompose, pencil, principalAngles, symmetricEigen } from '@eigenveil/projection';
import { floorOf } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { resolutionOf } from '../../src/programs/index.ts';
import { ceilLog2, MASK_GUARD, rotatedDistance, rotatedParameters } from '../../src/rotated/parameters.ts';
import { rotated } from '../../src/rotated.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { GRAINS, gridded, noised } from './floors.ts';
import { AT_ONCE, runClear } from './run.ts';
import { type Setting, settingOf } from './settings.ts';

/** What the reference finds before anything is cut, and the result, which has its numbers to within noise and cut. */
async function compared(setting: Setting) {
  const { result } = await runClear(setting);
  const { values, vectors } = symmetricEigen(pencil(setting.program, noised(setting)).A);
  const trace = values.reduce((sum, value) => sum + value, 0);
  const noise = resolutionOf('rotated', setting.program, { largest: values[0]!, trace }).error(values[0]!);
  const cut = 0.51 * 2 ** -floorOf(setting.task)!.released.scatter;
  for (const [i, value] of result.spectrum!.entries())
    expect(Math.abs(value - values[i]!)).toBeLessThan(noise + cut);
  const { length } = result.vectors;
  const sine = Math.sin(Math.max(...principalAngles(result.vectors, vectors.slice(0, length))));
  expect(sine).toBeLessThan(noise / (values[length - 1]! - values[length]!) + 2 ** -20);
  return { result, values };
}

describe('a PCA with a floor', () => {
  it.each([
    [3, ['cell', 'cell', 'cell'], 200],
    [6, [2, 2, 'cell', 'cell', 0.25, 0.1], 500],
  ] as const)(
    'is that of the noised statistics: %i features, grains %j, %i rows',
    async (_, grains, count) => {
      const { rows, task } = gridded(count, grains, 11);
      const { result } = await compared(settingOf({ rows, components: 1, task }));
      expect(result.mean).toBeUndefined();
    },
  );

  it.each([
    [4, [2, 2, 2, 2], 200],
    [5, [...GRAINS, 2], 300],
  ] as const)('has a mean of noised sums: %i features, grains %j, %i rows', async (_, grains, count) => {
    const { rows, task } = gridded(count, grains, 11);
    const outputs = ['sampleCount', 'spectrum', 'trace', 'mean'] as const;
    const program = { outputs: [...outputs], allowFullRank: true };
    const setting = settingOf({ rows, components: 1, task, program });
    const { result } = await compared(setting);
    const { mean, trace, sampleCount } = decompose(setting.program, noised(setting));
    expect({ mean: result.mean, sampleCount: result.sampleCount }).toEqual({ mean, sampleCount });
    expect(Math.abs(result.trace! - trace!)).toBeLessThan(
      1.01 * 2 ** -floorOf(setting.task)!.released.scatter,
    );
  });

  it('has negative eigenvalues where noise outweighs rows, if everything may be told', async () => {
    const { rows, task } = gridded(1, new Array<2>(10).fill(2), 5);
    const setting = settingOf({ rows, components: 2, task, program: { allowFullRank: true } });
    const { values } = await compared(setting);
    expect(values.at(-1)).toBeLessThan(-1);
  });

  it('has no result where what owners added outweighs their rows, even if everything may be told', async () => {
    const { rows, task } = gridded(10, [2, 2, 2, 2], 5);
    const setting = settingOf({ rows, components: 1, task, shift: -250, program: { allowFullRank: true } });
    await expect(runClear(setting)).rejects.toMatchObject({ code: 'ERR_STATISTICS_INVALID' });
  });

  it('counts no eigenvalue that is noise: without consent there is no result of few rows', async () => {
    const { rows, task } = gridded(10, [2, 2, 2, 2, 2, 2], 5);
    await expect(runClear(settingOf({ rows, components: 2, task }))).rejects.toMatchObject({
      code: 'ERR_FULL_RANK',
    });
  });

  it('releases no number of more digits than it is worth with the noise', async () => {
    const { rows, task } = gridded(400, [2, 2, 2, 2], 7);
    const { result } = await runClear(settingOf({ rows, components: 1, task }));
    for (const value of [...result.spectrum!, ...result.eigenvalues])
      expect(value * 2).toBe(Math.round(value * 2));
    for (const entry of result.vectors.flat()) expect(entry * 2 ** 24).toBe(Math.round(entry * 2 ** 24));
  });
});

describe('a correlation matrix with a floor', () => {
  it('is that of the noised statistics, in which a feature of no more than noise has no variance', async () => {
    const { rows, task } = gridded(200, [2, 'cell', 0.25, 0.5], 11);
    const still = rows.map((row) => row.map((value, i) => (i === 3 ? 0.5 : value)));
    const setting = settingOf({
      rows: still,
      components: 2,
      task: { ...task, method: { kind: 'pca', scale: 'correlation' }, maximumSamplesPerOwner: 64 },
      program: {
        outputs: ['sampleCount', 'spectrum', 'variances', 'mean', 'trace'],
        allowFullRank: true,
      },
    });
    const { program, garbler, evaluator } = setting;
    const [left, right] = memoryChannelPair();
    const [result] = await Promise.all([
      rotated.runDataUser(right, setting, { ...evaluator, pace: AT_ONCE }),
      rotated.runCsp(left, setting, { ...garbler, markAnswered: async () => undefined }),
    ]);
    const wanted = decompose(program, noised(setting));
    const size = { largest: wanted.spectrum![0]!, trace: wanted.trace! };
    const { error } = resolutionOf('rotated', program, size);
    const part = 2 ** -11;
    for (const [i, value] of result.spectrum!.entries())
      expect(Math.abs(value - wanted.spectrum![i]!)).toBeLessThan(error(value));
    for (const [j, vector] of ofKind('components', result).vectors.entries()) {
      const largest = Math.max(...wanted.vectors[j]!);
      for (const [i, entry] of vector.entries())
        expect(Math.abs(entry - wanted.vectors[j]![i]!) / largest).toBeLessThan(part);
    }
    const { mean, trace, sampleCount } = wanted;
    expect({ mean: result.mean, trace: result.trace, sampleCount: result.sampleCount }).toEqual({
      mean,
      trace,
      sampleCount,
    });
    expect(trace).toBe(3);
    const { variances: bits } = floorOf(setting.task)!.released;
    for (const [i, variance] of result.variances!.entries())
      expect(Math.abs(variance - wanted.variances![i]!)).toBeLessThan(1.01 * 2 ** -bits);
  });
});

describe('rotatedDistance', () => {
  it('stays below 2^−39.8 with a floor', () => {
    const { task } = gridded(0, ['cell'], 1);
    const { exponents } = rotatedParameters(settingOf({ rows: [], features: 1, components: 1, task }).task);
    for (let features = 1; features <= 400; features += 1) {
      const rotationBits = exponents.guard + ceilLog2(features);
      const hiddenBits = rotationBits + 12;
      const maskBits = hiddenBits + ceilLog2((features * (features + 1)) / 2) + MASK_GUARD;
      const sizes = { features, rotationBits, exponents, hiddenBits, maskBits };
      expect(rotatedDistance(sizes, features).total).toBeLessThan(2 ** -39.8);
    }
  });
});
