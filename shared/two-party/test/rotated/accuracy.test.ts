/** Results against the clear reference: bundled data, and data whose eigenvalues are equal, zero or hardly apart. */
import { decompose, residual, totalScatter } from '@eigenveil/projection';
import { describe, expect, it } from 'vitest';
import { resolutionOf } from '../../src/programs/index.ts';
import { datasetRows } from './datasets.ts';
import { distanceToReference, runClear } from './run.ts';
import { type Given, settingOf, spread } from './settings.ts';

const EIGENVALUE_LIMIT = 1e-9;
const SINE_LIMIT = 1e-8;

async function check(given: Given) {
  const setting = settingOf(given);
  const { result } = await runClear(setting);
  const { eigenvalueError, sineGap } = distanceToReference(setting, result);
  expect(eigenvalueError).toBeLessThan(EIGENVALUE_LIMIT);
  expect(sineGap).toBeLessThan(SINE_LIMIT);
  // And as exact as is said to whoever gets the result.
  const largest = result.spectrum![0]!;
  const trace = result.spectrum!.reduce((sum, value) => sum + value, 0);
  const { error } = resolutionOf('rotated', setting.program, { largest, trace });
  expect(eigenvalueError * largest).toBeLessThanOrEqual(error(largest));
  checkShape(result.vectors, given.components);
  expect(result.spectrum).toHaveLength(setting.program.featureCount);
  expect(result.eigenvalues).toEqual(result.spectrum!.slice(0, given.components));
  return { setting, result };
}

function checkShape(vectors: readonly (readonly number[])[], components: number) {
  expect(vectors).toHaveLength(components);
  for (const [i, vector] of vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 14);
    expect(Math.max(...vector)).toBe(Math.max(...vector.map(Math.abs)));
    for (const other of vectors.slice(0, i)) {
      expect(Math.abs(vector.reduce((sum, entry, j) => sum + entry * other[j]!, 0))).toBeLessThan(1e-8);
    }
  }
}

/** ±a along each axis, plus the mean: eigenvalues 2 a_i². */
function axes(lengths: readonly number[]): number[][] {
  return lengths.flatMap((length, i) =>
    [length, -length].map((value) => lengths.map((_, j) => (i === j ? value : 0))),
  );
}

describe('bundled data', () => {
  it.each([
    ['iris', 2],
    ['pima', 6],
    ['breast_cancer', 7],
    ['ionosphere', 15],
  ] as const)('%s, %i components', async (name, components) => {
    await check({ rows: datasetRows(name), components });
  });
});

describe('declared outputs', () => {
  it('are those of the reference', async () => {
    const program = { outputs: ['mean', 'trace', 'sampleCount', 'spectrum'], twoValued: 0 } as const;
    const { setting, result } = await check({ rows: spread(60, 5, 3), components: 2, program });
    const expected = decompose(setting.program, setting.statistics);
    expect(result.sampleCount).toBe(60);
    for (const [i, entry] of result.mean!.entries()) expect(entry).toBeCloseTo(expected.mean![i]!, 15);
    expect(Math.abs(result.trace! / expected.trace! - 1)).toBeLessThan(1e-9);
  });

  it('are no others', async () => {
    const { result } = await check({ rows: spread(60, 5, 3), components: 2 });
    const members = ['eigenvalues', 'kind', 'sampleCount', 'spectrum', 'vectors'];
    expect(Object.keys(result).sort()).toEqual(members);
  });
});

describe('degenerate data', () => {
  const full = { program: { allowFullRank: true } };

  it.each([1, 2, 3])('is right for %i features and as many components', async (d) => {
    await check({ rows: spread(20, d, d + 1), components: d, ...full });
  });

  it('is right with fewer rows than features', async () => {
    await check({ rows: spread(3, 8, 5), components: 6, ...full });
  });

  it('is right with constant features', async () => {
    const rows = spread(30, 6, 9).map((row) => [0.25, ...row.slice(0, 3), -1, ...row.slice(3)]);
    await check({ rows, components: 4, ...full });
    await check({ rows, components: 4 });
  });

  it('is right with equal features', async () => {
    await check({ rows: spread(30, 2, 4).map(([a, b]) => [a!, a!, a!, b!, a!, a!]), components: 4, ...full });
  });

  it('finds eigenspaces of equal eigenvalues', async () => {
    const { setting, result } = await check({ rows: axes([0.5, 0.5, 0.5, 0.25, 0.25, 0.1]), components: 4 });
    const S = totalScatter(setting.statistics, setting.task.fractionBits);
    for (const [i, vector] of result.vectors.entries()) {
      expect(residual(S, result.eigenvalues[i]!, vector)).toBeLessThan(1e-8 * result.eigenvalues[0]!);
    }
  });

  it('is right when all eigenvalues are equal', async () => {
    await check({ rows: axes([0.5, 0.5, 0.5, 0.5]), components: 2 });
  });

  it('is right for the least scatter, and for as much as the task allows', async () => {
    const unit = 2 ** -14;
    await check({ rows: axes([unit, unit, 2 * unit, 3 * unit]), components: 2 });
    const corners = Array.from({ length: 4096 }, (_, i) => [0, 1, 2].map((j) => ((i >> j) & 1 ? 1 : -1)));
    await check({ rows: corners, components: 1, task: { maximumSamplesPerOwner: 256 } });
  });

  it('gives zero eigenvalues and orthonormal vectors without scatter', async () => {
    const setting = settingOf({ rows: new Array(5).fill([0.5, -0.5, 0.25, 0]), components: 3, ...full });
    const { result } = await runClear(setting);
    expect(result.spectrum).toEqual([0, 0, 0, 0]);
    checkShape(result.vectors, 3);
  });

  it('is right for a single sample', async () => {
    const setting = settingOf({ rows: [[0.5, -0.5, 0.25]], components: 1, ...full });
    const { result } = await runClear(setting);
    expect(result.eigenvalues).toEqual([0]);
    expect(result.sampleCount).toBe(1);
  });
});

describe('refused results', () => {
  it.each([
    ['components as many as the rank', spread(4, 8, 5), 3, 'ERR_FULL_RANK'],
    ['one component fewer than the rank', spread(4, 8, 5), 2, 'ERR_FULL_RANK'],
    ['a next eigenvalue but one below a millionth', axes([0.9, 0.0015, 0.0005, 0.0003]), 1, 'ERR_FULL_RANK'],
    ['no scatter', new Array<number[]>(5).fill([0.5, -0.5, 0.25, 0]), 1, 'ERR_FULL_RANK'],
  ])('%s', async (_, rows, components, code) => {
    await expect(runClear(settingOf({ rows, components }))).rejects.toMatchObject({ code });
  });

  it('no samples', async () => {
    await expect(runClear(settingOf({ rows: [], features: 4, components: 1 }))).rejects.toMatchObject({
      code: 'ERR_NO_SAMPLES',
    });
  });

  it('accepts two further eigenvalues of two millionths', async () => {
    const small = 0.9 * Math.sqrt(2e-6);
    await check({ rows: axes([0.9, small, small, 0.0003]), components: 1 });
  });
});
