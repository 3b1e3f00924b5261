/** Programs over statistics with noise for differential privacy: classes that it empties, sums beyond those of any rows. */
import { decompose } from '@eigenveil/projection';
import { layout, statisticsBounds } from '@eigenveil/statistics';
import { describe, expect, it } from 'vitest';
import { ClearSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { around, check, turns } from './check.ts';
import { type Given, numbers, settingOf } from './data.ts';

const D = 4;
const ROWS = 120;
const ENTRIES = (D * (D + 1)) / 2;
const differentialPrivacy = {
  epsilon: 1,
  delta: 1e-5,
  neighbours: 'add-remove',
  clippingNorm: 2,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;

/** Noise on V of up to a twentieth of a row, the given one on the counts of the classes, and c on the diagonal of R. */
function noiseOf(collectsR: boolean, counts: readonly number[], c = 2 ** 28 * 5): bigint[] {
  const next = numbers(9);
  const small = (): bigint => BigInt(Math.round((next() - 0.5) * 2 ** 14 * 0.1));
  const R = Array.from({ length: D }, (_, i) =>
    Array.from({ length: D - i }, (_, j) => (j === 0 ? BigInt(c) : 0n)),
  ).flat();
  return [
    ...(collectsR ? R : []),
    ...counts.flatMap((count) => [...Array.from({ length: D }, small), BigInt(count)]),
    0n,
  ];
}

const given = (method: Given['method'], classes: readonly number[], changes: Partial<Given>): Given => ({
  rows: around(ROWS, D, 3),
  components: 1,
  method: method!,
  labellings: classes.map((count, l) => turns(ROWS, count, (i) => Math.floor(i / (l === 0 ? 1 : 5)) % count)),
  differentialPrivacy,
  ...changes,
});

const lda = { kind: 'lda', ridge: 10 } as const;
const dca = { kind: 'dca', form: 'standard', ridge: 10, signalRidge: 0 } as const;
const mdr = { kind: 'mdr', ridge: 10 } as const;

describe('a class that noise empties', () => {
  it.each([
    ['to less than nothing', -43],
    ['to nothing', -40],
  ])('%s counts as one without rows, and its sum as zero', async (_, taken) => {
    for (const method of [lda, dca]) await check(given(method, [3], { noise: noiseOf(true, [0, taken, 0]) }));
    await check(given(mdr, [3, 2], { noise: noiseOf(false, [0, taken, 0, 3, -2]) }));
  });

  it('leaves one class, which is refused', async () => {
    const whole = settingOf(given(lda, [3], { noise: noiseOf(true, [-41, 0, -40]) }));
    const { task, program, statistics, garbler, evaluator } = whole;
    const refused = { code: 'ERR_SINGLE_CLASS' };
    expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
    await expect(runProgram(new ClearSession(), task, program, { garbler, evaluator })).rejects.toMatchObject(
      refused,
    );
  });
});

it.each([-ROWS, -ROWS - 5])('a PCA that noise of %i leaves without rows is refused', async (taken) => {
  const whole = settingOf(given({ kind: 'pca' }, [], { noise: noiseOf(true, [taken]) }));
  const { task, program, statistics, garbler, evaluator } = whole;
  const refused = { code: 'ERR_NO_SAMPLES' };
  expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
  await expect(runProgram(new ClearSession(), task, program, { garbler, evaluator })).rejects.toMatchObject(
    refused,
  );
});

it('noise as large as slots have room for does not overflow', async () => {
  const base = given({ kind: 'pca' }, [], {
    maximumOwners: 3,
    maximumSamplesPerOwner: ROWS / 3,
    components: 2,
  });
  const { task } = settingOf(base);
  const exact = settingOf({ ...base, differentialPrivacy: null });
  const { R, M } = statisticsBounds(task);
  const { labellings, R: own } = exact.statistics;
  let entry = 0;
  const noise = new Array<bigint>(layout(task).valueBits.length).fill(0n);
  for (let i = 0; i < D; i += 1) {
    noise[entry] = R - own[entry]! - (BigInt(i) << 30n);
    entry += D - i;
  }
  noise[ENTRIES + D] = M - labellings[0]![0]!.M;
  const whole = settingOf({ ...base, noise });
  const { program, statistics, garbler, evaluator } = whole;
  const result = await runProgram(new ClearSession(), task, program, { garbler, evaluator });
  const expected = decompose(program, statistics);
  for (const [i, value] of expected.eigenvalues.entries())
    expect(Math.abs(result!.eigenvalues[i]! / value - 1)).toBeLessThan(2 ** -16);
});

it('a mean beyond those of any rows is right', async () => {
  const noise = noiseOf(true, [2 - ROWS], 2 ** 36);
  noise[ENTRIES] = 40n << 14n;
  const whole = settingOf(given({ kind: 'pca' }, [], { noise }));
  const { task, statistics, garbler, evaluator } = whole;
  const program = { ...whole.program, outputs: ['mean'] as const };
  const result = await runProgram(new ClearSession(), task, program, { garbler, evaluator });
  const { mean } = decompose(program, statistics);
  expect(mean![0]).toBeGreaterThan(2);
  for (const [i, value] of mean!.entries()) expect(result!.mean![i]).toBeCloseTo(value, 5);
});
