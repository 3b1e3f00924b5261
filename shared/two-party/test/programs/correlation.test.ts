/** PCA of a correlation matrix as a circuit, in the clear, against the reference. */
import { type MethodParameters, methodOf, type Output, ofKind } from '@eigenveil/methods';
import { type Components, decompose, totalScatter } from '@eigenveil/projection';
import type { Program } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { ClearSession } from '../../src/garbling/index.ts';
import { ENTRY_ACCURACY } from '../../src/programs/correlation.ts';
import { runProgram } from '../../src/programs/index.ts';
import { maskedCorrelation } from '../../src/programs/masked-correlation.ts';
import { datasetRows } from '../rotated/datasets.ts';
import { spread } from '../rotated/settings.ts';
import { type Given, type Setting, settingOf } from './data.ts';

const METHOD: MethodParameters = { kind: 'pca', scale: 'correlation' };
type Rows = Given['rows'];

const given = (rows: Rows, components: number, program: Partial<Program> = {}): Setting => {
  const setting = settingOf({
    rows,
    components,
    method: METHOD,
    maximumOwners: 16,
    maximumSamplesPerOwner: 64,
  });
  return { ...setting, program: { ...setting.program, ...program } };
};

async function run({ task, program, garbler, evaluator }: Setting, session = new ClearSession()) {
  return ofKind('components', (await runProgram(session, task, program, { garbler, evaluator }))!);
}

const deviationsOf = ({ statistics, task }: Setting) =>
  totalScatter(statistics, task.fractionBits).map((row, i) =>
    Math.sqrt(row[i]! / Number(statistics.labellings[0]![0]!.M)),
  );
const inner = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** Vectors are compared over standardised features, where they have length 1. */
function compare(setting: Setting, result: Components): Components {
  const expected = decompose(setting.program, setting.statistics);
  const deviations = deviationsOf(setting);
  const standard = (w: readonly number[]) => w.map((entry, i) => entry * deviations[i]!);
  const values = expected.eigenvalues;
  expect(result.converged).toEqual(values.map(() => true));
  for (const [j, w] of result.vectors.entries()) {
    expect(Math.abs(result.eigenvalues[j]! - values[j]!)).toBeLessThan(2 ** -16 * values[0]!);
    if (values[j]! < 1e-9) continue;
    expect(Math.abs(Math.hypot(...standard(w)) - 1)).toBeLessThan(2 ** -17);
    expect(Math.max(...w)).toBe(Math.max(...w.map(Math.abs)));
    const gap = Math.min(...[j - 1, j + 1].map((o) => Math.abs((values[o] ?? 0) - values[j]!))) / values[0]!;
    const cosine = inner(standard(w), standard(expected.vectors[j]!)) / Math.hypot(...standard(w));
    if (gap > 0.05) expect(cosine).toBeGreaterThan(1 - 1e-7);
  }
  return expected;
}

describe('pca of a correlation matrix', () => {
  it('is right on iris', async () => {
    const setting = given(datasetRows('iris'), 3);
    compare(setting, await run(setting));
  });

  it('is right where deviations differ by 2^11, and their lengths come out', async () => {
    const rows = spread(40, 5, 7).map((row) => row.map((value, i) => value / [1, 2048, 1, 64, 1][i]!));
    const setting = given(rows, 3);
    const result = await run(setting);
    const { vectors } = compare(setting, result);
    for (const [j, w] of vectors.entries())
      expect(Math.hypot(...result.vectors[j]!) / Math.hypot(...w)).toBeCloseTo(1, 4);
  });

  it('gives 0 to features without variance, and counts the others', async () => {
    const rows = spread(30, 3, 9).map(([a, b, c]) => [0.25, a!, b!, -1, c!]);
    const outputs: Output[] = ['mean', 'trace', 'sampleCount', 'spectrum', 'variances'];
    const setting = given(rows, 3, { outputs });
    const result = await run(setting);
    const expected = compare(setting, result);
    for (const w of result.vectors) expect([w[0], w[3]]).toEqual([0, 0]);
    expect(result.trace).toBe(3);
    expect(result.sampleCount).toBe(30);
    for (const [i, variance] of expected.variances!.entries())
      expect(Math.abs(result.variances![i]! - variance)).toBeLessThan(2 ** -24);
    for (const [i, value] of expected.spectrum!.entries())
      expect(Math.abs(result.spectrum![i]! - value)).toBeLessThan(2 ** -16);
  });

  it('reveals of equal rows zeros alone', async () => {
    const setting = given(new Array<number[]>(5).fill([0.5, -0.5, 0.25]), 2);
    const session = new ClearSession();
    const reveal = session.reveal.bind(session);
    let seen: number[] = [];
    session.reveal = async (outputs) => {
      const bits = await reveal(outputs);
      // After the checks of owners and rows.
      seen = bits.slice(3).flatMap((vector) => [...vector]);
      return bits;
    };
    const result = await run(setting, session);
    expect(result).toMatchObject({
      vectors: [
        [0, 0, 0],
        [0, 0, 0],
      ],
      eigenvalues: [0, 0],
    });
    // Neither the number of rows nor a place of a shift; but two equations that hold.
    expect(seen.filter((bit) => bit === 1)).toHaveLength(2);
  });

  it('reveals entries to bits of the largest, whatever the deviations are', async () => {
    const rows = spread(40, 3, 4).map((row) => row.map((value, i) => value / [1, 512, 16][i]!));
    const setting = given(rows, 1);
    const [w] = (await run(setting)).vectors;
    const unit = 2 ** (Math.floor(Math.log2(Math.max(...w!))) - 26);
    for (const entry of w!) expect(Number.isInteger(entry / unit)).toBe(true);
  });

  it('is released from the least rank on', async () => {
    const least = 5;
    // Features that do not vary count as public variances, too.
    const rowsOf = (rank: number) =>
      Array.from({ length: 2 * rank }, (_, n) =>
        Array.from({ length: 5 }, (_unused, i) => (i === n >> 1 ? (1 - 2 * (n % 2)) * (1 - i / 20) : 0)),
      );
    const asked = (rank: number) => given(rowsOf(rank), 1, { outputs: ['spectrum'], allowFullRank: false });
    expect(methodOf(asked(least).program).leastRank(asked(least).program)).toBe(least);
    await expect(run(asked(least - 1))).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    expect((await run(asked(least))).vectors).toHaveLength(1);
  });
});

describe('the correlation matrix, masked', () => {
  it('is right to its accuracy, and the masks come off', async () => {
    const rows = spread(40, 6, 7).map((row) => [
      ...row.map((value, i) => value / [1, 2048, 1, 64, 1, 8][i]!),
      -0.25,
    ]);
    const { task, program, statistics, garbler, evaluator } = given(rows, 1);
    const [ringBits, d] = [80, 7];
    const masks = Array.from({ length: 28 }, (_, e) => (BigInt(e + 1) * 0x9e37_79b9_7f4a_7c15n) << 15n).map(
      (mask) => BigInt.asUintN(ringBits, mask),
    );
    const opened = (await maskedCorrelation(
      new ClearSession(),
      task,
      program,
      { garbler, evaluator },
      ringBits,
      masks,
    ))!;
    const S = totalScatter(statistics, task.fractionBits);
    let e = 0;
    for (let i = 0; i < d; i += 1) {
      for (let j = i; j < d; j += 1) {
        const entry = BigInt.asIntN(ringBits, opened.masked[e]! - masks[e]!);
        const root = Math.sqrt(S[i]![i]! * S[j]![j]!);
        if (i === j || root === 0) expect(entry).toBe(root === 0 ? 0n : 1n << 32n);
        else expect(Math.abs(Number(entry) * 2 ** -32 - S[i]![j]! / root)).toBeLessThan(2 ** -ENTRY_ACCURACY);
        e += 1;
      }
    }
    expect([opened.Q, opened.V]).toEqual([40n, undefined]);
    for (const [i, square] of opened.squares.entries())
      expect(Number(square) / 4 ** task.fractionBits / 40).toBeCloseTo(S[i]![i]!, 12);
  });
});

it.each(['pima', 'ionosphere'] as const)(
  'is right on %s',
  { tags: ['long'], timeout: 120_000 },
  async (name) => {
    const setting = given(datasetRows(name), name === 'pima' ? 6 : 15);
    compare(setting, await run(setting));
  },
);
