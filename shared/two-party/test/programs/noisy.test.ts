/** Programs over statistics with noise for differential privacy: classes that it empties, sums beyond those of any rows. */
import { decompose } from '@eigenveil/projection';
import { layout } from '@eigenveil/statistics';
import { statisticsBounds } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { around, check, each, run, turns } from './check.ts';
import { type Given, settingOf } from './data.ts';

const D = 3;
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
  const next = generator(9);
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
  each<[string, number]>([['to less than nothing', -43]], [['to nothing', -40]])(
    '%s counts as one without rows, and its sum as zero',
    async (_, taken) => {
      for (const method of [lda, dca])
        await check(given(method, [3], { noise: noiseOf(true, [0, taken, 0]) }));
      await check(given(mdr, [3, 2], { noise: noiseOf(false, [0, taken, 0, 3, -2]) }));
    },
  );

  it('leaves one class, which is refused', async () => {
    const whole = settingOf(given(lda, [3], { noise: noiseOf(true, [-41, 0, -40]) }));
    const { task, program, statistics, garbler, evaluator } = whole;
    const refused = { code: 'ERR_SINGLE_CLASS' };
    expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
    await expect(run({ task, program, garbler, evaluator })).rejects.toMatchObject(refused);
  });
});

it.each([-ROWS, -ROWS - 5])('a PCA that noise of %i leaves without rows is refused', async (taken) => {
  const whole = settingOf(given({ kind: 'pca' }, [], { noise: noiseOf(true, [taken]) }));
  const { task, program, statistics, garbler, evaluator } = whole;
  const refused = { code: 'ERR_NO_SAMPLES' };
  expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
  await expect(run({ task, program, garbler, evaluator })).rejects.toMatchObject(refused);
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
  const result = await run({ task, program, garbler, evaluator });
  const expected = decompose(program, statistics);
  for (const [i, value] of expected.eigenvalues.entries())
    expect(Math.abs(result.eigenvalues[i]! / value - 1)).toBeLessThan(2 ** -12);
});

it('a mean beyond those of any rows is right', async () => {
  const noise = noiseOf(true, [2 - ROWS], 2 ** 36);
  noise[ENTRIES] = 40n << 14n;
  const whole = settingOf(given({ kind: 'pca' }, [], { noise }));
  const { task, statistics, garbler, evaluator } = whole;
  const program = { ...whole.program, outputs: ['mean'] as const };
  const result = await run({ task, program, garbler, evaluator });
  const { mean } = decompose(program, statistics);
  expect(mean![0]).toBeGreaterThan(2);
  for (const [i, value] of mean!.entries()) expect(result.mean![i]).toBeCloseTo(value, 5);
});

describe('noise that outweighs a class', () => {
  const outcomes = async (method: Given['method'], labelled: boolean) => {
    const classes = labelled ? 3 : 1;
    const found = [];
    for (const size of [2, 5, 10, 20]) {
      const next = generator(9 + size);
      const large = (): bigint => BigInt(Math.round((next() - 0.5) * 2 * size * 2 ** 14));
      const noise = new Array<bigint>(ENTRIES + classes * (D + 1) + 1).fill(0n);
      // Of the last class three rows are left.
      for (let i = 0; i < D; i += 1) noise[ENTRIES + (classes - 1) * (D + 1) + i] = large();
      noise[ENTRIES + classes * (D + 1) - 1] = BigInt(3 - ROWS / classes);
      const whole = settingOf(given(method, labelled ? [3] : [], { noise }));
      const { task, program, statistics, garbler, evaluator } = whole;
      const running = run({ task, program, garbler, evaluator });
      const result = await running.catch((error: { code: string }) => error.code);
      if (typeof result === 'string') {
        expect(result).toBe('ERR_NOT_POSITIVE_DEFINITE');
        found.push(false);
        continue;
      }
      found.push(result.converged![0]);
      if (!result.converged![0]) continue;
      const [value] = decompose(program, statistics).eigenvalues;
      expect(Math.abs(result.eigenvalues[0]! / value! - 1)).toBeLessThan(2 ** -10);
    }
    return found;
  };

  each<[string, NonNullable<Given['method']>]>(
    [['dca with a signal ridge', { ...dca, signalRidge: 1 }]],
    [
      ['lda', lda],
      ['dca', dca],
      ['dca of the book', { ...dca, form: 'book', signalRidge: 1 }],
    ],
  )('%s: whoever gets a wrong result is told', async (name, method) => {
    const found = await outcomes(method, true);
    if (name !== 'lda') expect(found).toContain(false);
  });

  it('a PCA that noise makes negative is said not to have converged', async () => {
    expect(await outcomes({ kind: 'pca' }, false)).toContain(false);
  });
});

describe('noise that makes the scatter matrix indefinite', () => {
  const ROW_COUNT = 60;
  const UNIT = 2 ** 28;

  /** Statistics with noise on R, in units of a row's square, and on V, in units of a row. */
  function disturbed(method: NonNullable<Given['method']>, R: readonly number[], V: readonly number[] = []) {
    const d = Math.floor(Math.sqrt(2 * R.length));
    const classes = method.kind === 'pca' ? [] : [3];
    const sums = Array.from({ length: 3 }, (_, k) => [
      ...Array.from({ length: d }, (_, i) => BigInt(Math.round((V[k * d + i] ?? 0) * 2 ** 14))),
      0n,
    ]);
    const noise = [
      ...R.map((value) => BigInt(Math.round(value * UNIT))),
      ...sums.slice(0, classes[0] ?? 1).flat(),
      0n,
    ];
    const labellings = classes.map((count) => turns(ROW_COUNT, count));
    const rows = around(ROW_COUNT, d, 3);
    const setting = settingOf({ rows, components: 1, method, labellings, differentialPrivacy, noise });
    return { ...setting, program: { ...setting.program, outputs: ['trace'] as const } };
  }

  /** Whether it converged, once what it says is compared with the reference. */
  async function truthful(setting: ReturnType<typeof disturbed> | ReturnType<typeof settingOf>) {
    const { task, program, statistics, garbler, evaluator } = setting;
    const running = run({ task, program, garbler, evaluator });
    const result = await running.catch((error: { code: string }) => error.code);
    if (typeof result === 'string') {
      expect(result).toBe('ERR_NOT_POSITIVE_DEFINITE');
      return false;
    }
    // The reference may refuse what has not converged.
    if (!result.converged![0] && result.trace === undefined) return false;
    const whole = { ...program, method: { kind: 'pca' } as const, classCounts: [], outputs: program.outputs };
    const { R, owners } = statistics;
    const [sums] = statistics.labellings;
    const V = task.features.map((_, i) => sums!.reduce((sum, k) => sum + k.V[i]!, 0n));
    const M = sums!.reduce((sum, k) => sum + k.M, 0n);
    const { trace } = decompose(whole, { R, labellings: [[{ V, M }]], owners });
    if (trace !== undefined)
      expect(Math.abs(result.trace! - trace)).toBeLessThan(1e-5 * (1 + Math.abs(trace)));
    if (!result.converged![0]) return false;
    const [value] = decompose(program, statistics).eigenvalues;
    expect(Math.abs(result.eigenvalues[0]! / value! - 1)).toBeLessThan(2 ** -9);
    return true;
  }

  it('does not make a PCA of entries beyond the trace converge', async () => {
    // Two rows of zeros and R as noise: an eigenvalue of 48.3 with a trace of 6.2.
    const R = [30, 32, 6, -8.1, -16, -15.7].map((value) => BigInt(Math.round(value * UNIT)));
    const rows = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    const setting = settingOf({
      rows,
      components: 1,
      differentialPrivacy,
      noise: [...R, 0n, 0n, 0n, 0n, 0n],
    });
    expect(await truthful(setting)).toBe(false);
  });

  it.each([
    ['lda', 20, lda],
    ['lda', 24, lda],
    ['dca', 20, dca],
    ['dca', 24, dca],
    ['dca', 40, dca],
  ] as const)('%s refuses an entry beyond its diagonal: %i', async (_, entry, method) => {
    const { task, program, statistics, garbler, evaluator } = disturbed(method, [0, entry, 0]);
    const refused = { code: 'ERR_NOT_POSITIVE_DEFINITE' };
    expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
    await expect(run({ task, program, garbler, evaluator })).rejects.toMatchObject(refused);
  });

  it('leaves a negative trace what it is', async () => {
    expect(await truthful(disturbed({ kind: 'pca' }, [-20, 3, -30]))).toBe(false);
  });

  it('may make classes lie further apart than the rows: a signal ridge does not hide it', async () => {
    for (const size of [13, 25]) {
      const V = [size, 0.3 * size, -size, -0.3 * size];
      expect(await truthful(disturbed({ ...dca, signalRidge: 1 }, [0, 0, 0], V))).toBe(true);
    }
  });

  for (const [name, method, numRuns, tags] of [
    ['pca', { kind: 'pca' }, 8, []],
    ['dca', dca, 8, []],
    ['many pca', { kind: 'pca' }, 24, ['long']],
    ['many lda', lda, 24, ['long']],
    ['many dca', dca, 24, ['long']],
    ['dca with a signal ridge', { ...dca, signalRidge: 1 }, 24, ['long']],
    ['dca of the book', { ...dca, form: 'book', signalRidge: 1 }, 24, ['long']],
  ] as const) {
    it(`${name}: what converged is right`, { tags: [...tags] }, async () => {
      const symmetric = fc.integer({ min: 2, max: tags.length > 0 ? 4 : 3 }).chain((d) => {
        const entries = (d * (d + 1)) / 2;
        return fc.tuple(
          fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: entries, maxLength: entries }),
          fc.double({ min: 0, max: 6, noNaN: true }),
        );
      });
      const outcomes = new Set<boolean>();
      await fc.assert(
        fc.asyncProperty(symmetric, async ([noise, size]) => {
          outcomes.add(
            await truthful(
              disturbed(
                method,
                noise.map((value) => value * 2 ** size),
              ),
            ),
          );
        }),
        { numRuns, seed: 5 },
      );
      expect(outcomes).toEqual(new Set([true, false]));
    });
  }
});
