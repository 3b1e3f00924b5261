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

it.each([
  ['pca', { kind: 'pca' }, []],
  ['lda', lda, [3]],
] as const)('noise as large as slots have room for does not overflow: %s', async (_, method, classes) => {
  const base = given(method, classes, { maximumOwners: 3, maximumSamplesPerOwner: ROWS / 3 });
  const { task } = settingOf(base);
  const exact = settingOf({ ...base, differentialPrivacy: null });
  const { R, M } = statisticsBounds(task);
  let entry = 0;
  const noise = new Array<bigint>(layout(task).valueBits.length).fill(0n);
  for (let i = 0; i < D; i += 1) {
    noise[entry] = R - exact.statistics.R[entry]! - (BigInt(i) << 30n);
    entry += D - i;
  }
  noise[ENTRIES + D] = M - BigInt(ROWS);
  const { program, statistics, garbler, evaluator } = settingOf({ ...base, noise });
  const result = await runProgram(new ClearSession(), task, program, { garbler, evaluator });
  const expected = decompose(program, statistics);
  for (const [i, value] of expected.eigenvalues.entries())
    expect(Math.abs(result!.eigenvalues[i]! / value - 1)).toBeLessThan(2 ** -12);
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

describe('noise that outweighs a class', () => {
  const outcomes = async (method: Given['method'], labelled: boolean) => {
    const classes = labelled ? 3 : 1;
    const found = [];
    for (const size of [2, 5, 10, 20]) {
      const next = numbers(9 + size);
      const large = (): bigint => BigInt(Math.round((next() - 0.5) * 2 * size * 2 ** 14));
      const noise = new Array<bigint>(ENTRIES + classes * (D + 1) + 1).fill(0n);
      // Of the last class three rows are left.
      for (let i = 0; i < D; i += 1) noise[ENTRIES + (classes - 1) * (D + 1) + i] = large();
      noise[ENTRIES + classes * (D + 1) - 1] = BigInt(3 - ROWS / classes);
      const whole = settingOf(given(method, labelled ? [3] : [], { noise }));
      const { task, program, statistics, garbler, evaluator } = whole;
      const run = runProgram(new ClearSession(), task, program, { garbler, evaluator });
      const result = await run.catch((error: { code: string }) => error.code);
      if (typeof result === 'string') {
        expect(result).toBe('ERR_NOT_POSITIVE_DEFINITE');
        continue;
      }
      found.push(result!.converged[0]);
      if (!result!.converged[0]) continue;
      const [value] = decompose(program, statistics).eigenvalues;
      expect(Math.abs(result!.eigenvalues[0]! / value! - 1)).toBeLessThan(2 ** -10);
    }
    return found;
  };

  it.each([
    ['lda', lda],
    ['dca', dca],
    ['dca with a signal ridge', { ...dca, signalRidge: 1 }],
    ['dca of the book', { ...dca, form: 'book' as const, signalRidge: 1 }],
  ])('%s: whoever gets a wrong result is told', async (name, method) => {
    const found = await outcomes(method, true);
    if (name !== 'lda') expect(found).toContain(false);
  });

  it('a PCA that noise makes negative is said not to have converged', async () => {
    expect(await outcomes({ kind: 'pca' }, false)).toContain(false);
  });
});
