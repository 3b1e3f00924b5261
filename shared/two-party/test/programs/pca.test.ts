/** The PCA program in the clear against the reference, at ordinary and at degenerate statistics. */

import type { Output } from '@eigenveil/methods';
import { ofKind } from '@eigenveil/methods';
import { decompose, residual, totalScatter, varianceCaptured } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { ClearSession, CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { resolutionOf, runProgram } from '../../src/programs/index.ts';
import { checkGarbled, each } from './check.ts';
import { type Setting, setting, settingOf } from './data.ts';

async function run({ task, program, garbler, evaluator }: Setting) {
  return ofKind('components', (await runProgram(new ClearSession(), task, program, { garbler, evaluator }))!);
}

/** Rows of d features whose spread falls from one to the next. */
function spread(rows: number, d: number, seed: number): number[][] {
  const next = generator(seed);
  return Array.from({ length: rows }, () => {
    const parts = Array.from({ length: d }, (_, j) => (next() - 0.5) / 1.5 ** j);
    return parts.map((_, i) => parts.reduce((sum, part, j) => sum + (part * Math.cos(i * j + 1)) / d, 0));
  });
}

/** What must hold of any result, however its eigenvalues lie. */
async function check(rows: readonly (readonly number[])[], components: number) {
  const given = setting(rows, components);
  const result = await run(given);
  const expected = decompose(given.program, given.statistics);
  const S = totalScatter(given.statistics, given.task.fractionBits);
  const largest = expected.eigenvalues[0]!;
  expect(result.converged).toEqual(new Array(components).fill(true));
  const trace = S.reduce((sum, row, i) => sum + row[i]!, 0);
  const { error } = resolutionOf('garbled', given.program, { largest, trace });
  for (const [i, vector] of result.vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
    expect(Math.max(...vector)).toBe(Math.max(...vector.map(Math.abs)));
    expect(Math.abs(result.eigenvalues[i]! - expected.eigenvalues[i]!)).toBeLessThanOrEqual(
      2 ** -16 * largest + 2 ** -23,
    );
    // As is said to whoever gets the result, but for the last of the revealed digits.
    expect(Math.abs(result.eigenvalues[i]! - expected.eigenvalues[i]!)).toBeLessThanOrEqual(
      error(result.eigenvalues[i]!) + 2 ** -23,
    );
    expect(residual(S, result.eigenvalues[i]!, vector)).toBeLessThanOrEqual(2 ** -14 * largest + 2 ** -22);
    for (const other of result.vectors.slice(0, i)) {
      expect(Math.abs(other.reduce((sum, entry, j) => sum + entry * vector[j]!, 0))).toBeLessThan(2 ** -18);
    }
  }
  expect(varianceCaptured(result.vectors, S)).toBeGreaterThanOrEqual(
    varianceCaptured(expected.vectors, S) * (1 - 1e-6),
  );
  return { result, expected };
}

describe('pca', () => {
  each(
    [
      [2, 2],
      [4, 2],
    ],
    [
      [3, 1],
      [5, 3],
      [8, 7],
      [8, 8],
    ],
  )('finds eigenpairs of %i features, %i components', async (d, components) => {
    const { result, expected } = await check(spread(40, d, d), components);
    for (const [i, vector] of result.vectors.entries()) {
      const gap = Math.min(
        ...[i - 1, i + 1].map((j) =>
          expected.eigenvalues[j] === undefined
            ? Number.POSITIVE_INFINITY
            : Math.abs(1 - expected.eigenvalues[j]! / expected.eigenvalues[i]!),
        ),
      );
      if (gap < 0.05 || i === components - 1) continue;
      expect(vector.reduce((sum, entry, j) => sum + entry * expected.vectors[i]![j]!, 0)).toBeGreaterThan(
        0.999,
      );
    }
  });

  it('has one component for one feature', async () => {
    const { result } = await check([[0.5], [-0.25], [1]], 1);
    expect(result.vectors).toEqual([[1]]);
  });

  it('is right with fewer rows than features', async () => {
    await check(spread(3, 5, 5), 4);
  });

  it('is right with constant features', async () => {
    await check(
      spread(30, 2, 9).map((row) => [0.25, ...row.slice(0, 1), -1, ...row.slice(1)]),
      3,
    );
  });

  it('is right with equal eigenvalues', async () => {
    const axes = Array.from({ length: 4 }, (_, i) => i);
    await check(
      axes.flatMap((i) => [0.5, -0.5].map((value) => axes.map((j) => (i === j ? value : 0)))),
      3,
    );
  });

  it('is right with equal features', async () => {
    await check(
      spread(30, 2, 4).map(([a, b]) => [a!, a!, b!, a!]),
      3,
    );
  });

  it('is right with features that do not correlate, the largest last', async () => {
    const axes = Array.from({ length: 4 }, (_, i) => i);
    await check(
      axes.flatMap((i) => [1, -1].map((sign) => axes.map((j) => (i === j ? (sign * (i + 1)) / 4 : 0)))),
      3,
    );
  });

  it('gives unit vectors and zero eigenvalues for rows that are all equal', async () => {
    const { result } = await check(new Array(5).fill([0.5, -0.5, 0.25, 0]), 3);
    expect(result.eigenvalues).toEqual([0, 0, 0]);
  });

  it('is right for scatter that is tiny, and for as much as there can be', async () => {
    await check(
      spread(4, 4, 8).map((row) => row.map((value) => value / 500)),
      2,
    );
    const next = generator(21);
    await check(
      Array.from({ length: 2000 }, () => [0, 0, 0].map(() => (next() < 0.5 ? -1 : 1))),
      3,
    );
  });

  it('refuses another number of owners than was verified, and one below the minimum', async () => {
    const given = setting(spread(10, 3, 2), 2);
    await expect(run({ ...given, garbler: { ...given.garbler, verifiedOwners: 4 } })).rejects.toMatchObject({
      code: 'ERR_OWNER_COUNT',
      message: expect.stringContaining('differs'),
    });
    await expect(run({ ...given, program: { ...given.program, minimumOwners: 4 } })).rejects.toMatchObject({
      name: 'CodedError',
      code: 'ERR_MINIMUM_OWNERS',
    });
  });

  it('refuses statistics without rows', async () => {
    await expect(run(setting([], 2, 3))).rejects.toMatchObject({
      name: 'CodedError',
      code: 'ERR_NO_SAMPLES',
    });
  });

  it('reveals nothing else when it refuses', async () => {
    // Of rank 2.
    const given = setting(spread(3, 3, 2), 2);
    const session = new ClearSession();
    const reveal = session.reveal.bind(session);
    let seen: number[] = [];
    session.reveal = async (outputs) => {
      const bits = await reveal(outputs);
      seen = bits.slice(3).flatMap((vector) => [...vector]);
      return bits;
    };
    const { task, program, garbler, evaluator } = given;
    await runProgram(session, task, program, { garbler, evaluator });
    expect(seen).toContain(1);
    const outputs = ['mean', 'trace', 'sampleCount', 'spectrum'] as const;
    for (const [change, code] of [
      [{ minimumOwners: 9 }, 'ERR_MINIMUM_OWNERS'],
      [{ allowFullRank: false }, 'ERR_FULL_RANK'],
    ] as const) {
      await expect(
        runProgram(session, task, { ...program, outputs, ...change }, { garbler, evaluator }),
      ).rejects.toMatchObject({ code });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen).not.toContain(1);
    }
  });

  const consented = (given: Setting, allowFullRank: boolean, outputs: readonly Output[] = []): Setting => ({
    ...given,
    program: { ...given.program, allowFullRank, outputs },
  });

  each<[string, number[][], number]>(
    [
      ['fewer rows than features', spread(3, 4, 5), 2],
      ['equal rows', new Array<number[]>(5).fill([0.5, -0.5]), 1],
    ],
    [
      ['fewer rows than features', spread(4, 8, 5), 3],
      ['equal features', spread(30, 2, 4).map(([a, b]) => [a!, a!, a!, b!, a!, a!]), 2],
      ['constant features', spread(30, 3, 9).map((row) => [0.25, ...row, -1]), 3],
      ['many dependent features', spread(9, 12, 3), 8],
    ],
  )('refuses components up to the rank with %s', async (_, rows, rank) => {
    for (const components of [rank - 1, rank, rank + 1].filter((count) => count > 0)) {
      const given = setting(rows, components);
      const refused = { name: 'CodedError', code: 'ERR_FULL_RANK' };
      const whole = consented(given, false);
      await (components < rank
        ? expect(run(whole)).resolves.toMatchObject({ converged: new Array(components).fill(true) })
        : expect(run(whole)).rejects.toMatchObject(refused));
    }
  });

  it.each([
    [2 ** -5, true],
    [2 ** -9, false],
  ])('tells an eigenvalue above zero from one that may be zero: a deviation of %d', async (small, passes) => {
    const axes = [1, 1, 1, small];
    const rows = axes.flatMap((value, i) =>
      [value, -value].map((x) => axes.map((_, j) => (i === j ? x : 0))),
    );
    const result = run(consented(setting(rows, 3), false));
    await (passes
      ? expect(result).resolves.toMatchObject({ converged: [true, true, true] })
      : expect(result).rejects.toMatchObject({ code: 'ERR_FULL_RANK' }));
  });

  it('refuses as many components as features before any gate', async () => {
    const { task, program, garbler, evaluator } = consented(setting(spread(20, 3, 6), 3), false);
    const session = new CountingSession(new CountingGates());
    await expect(runProgram(session, task, program, { garbler, evaluator })).rejects.toMatchObject({
      code: 'ERR_FULL_RANK',
    });
    expect(session.gates.andGates).toBe(0);
  });

  it('reveals the outputs that are declared, and no others', async () => {
    const given = setting(spread(40, 3, 11), 2);
    const plain = await run(given);
    expect(Object.keys(plain)).toEqual(['kind', 'vectors', 'eigenvalues', 'converged']);
    for (const outputs of [
      ['mean', 'sampleCount'],
      ['trace', 'spectrum'],
    ] satisfies Output[][]) {
      const { program } = consented(given, true, outputs);
      const result = await run({ ...given, program });
      const expected = decompose(program, given.statistics);
      expect(Object.keys(result).sort()).toEqual([...Object.keys(expected), 'converged'].sort());
      expect(result).toMatchObject(plain);
      expect(result.sampleCount).toBe(expected.sampleCount);
      if (expected.trace !== undefined) {
        expect(result.trace).toBeLessThanOrEqual(expected.trace);
        expect(result.trace).toBeGreaterThan(expected.trace - 2 ** -24);
      }
      for (const [i, mean] of expected.mean?.entries() ?? []) {
        expect(Math.abs(result.mean![i]! - mean)).toBeLessThan(2 ** -24);
      }
      expect(result.spectrum?.slice(0, 2) ?? plain.eigenvalues).toEqual(plain.eigenvalues);
      for (const [i, value] of expected.spectrum?.entries() ?? []) {
        expect(Math.abs(result.spectrum![i]! - value)).toBeLessThan(2 ** -17 * expected.spectrum![0]!);
      }
    }
  });

  it('computes no output that is not declared', async () => {
    const { task, program } = setting([], 1, 2);
    const gates = async (outputs: readonly Output[]): Promise<number> => {
      const session = new CountingSession(new CountingGates());
      await runProgram(session, task, { ...program, outputs }, {});
      return session.gates.andGates;
    };
    const none = await gates([]);
    for (const output of ['mean', 'trace', 'sampleCount', 'spectrum'] as const) {
      expect(await gates([output])).toBeGreaterThan(none);
    }
  });
});

describe('pca garbled', () => {
  each<['covariance' | 'correlation', number, number]>(
    [['covariance', 2, 1]],
    [
      ['covariance', 3, 2],
      ['correlation', 2, 1],
      ['covariance', 1, 1],
    ],
  )(
    'gives the evaluator what the clear program gives, and the garbler nothing: %s of %i features',
    async (scale, d, components) => {
      await checkGarbled(settingOf({ rows: spread(20, d, 6), components, method: { kind: 'pca', scale } }));
    },
  );
});

describe('AND gates of pca', { tags: ['long'] }, () => {
  it('are these', async () => {
    const table: Record<string, string> = {};
    for (const [d, components] of [
      [8, 7],
      [14, 8],
    ] as const) {
      const { task, program } = setting([], components, d);
      const session = new CountingSession(new CountingGates());
      await runProgram(session, task, program, {});
      table[`d = ${d}, k = ${components}`] =
        `${session.gates.andGates} gates, ${session.gates.batches} batches`;
    }
    expect(table).toMatchInlineSnapshot(`
      {
        "d = 14, k = 8": "9424730 gates, 67573 batches",
        "d = 8, k = 7": "3596707 gates, 33773 batches",
      }
    `);
  });
});
