/** Programs of tasks with a floor against the clear reference, over statistics with both servers' noise. */
import { type MethodParameters, methodOf, type Output, ofKind } from '@eigenveil/methods';
import { decompose, resultInClear } from '@eigenveil/projection';
import type { Program } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { resolutionOf } from '../../src/programs/index.ts';
import { around, check, checkGarbled, each, run, runTo, turns } from './check.ts';
import { type Given, type Setting, settingOf } from './data.ts';

type Grains = NonNullable<Given['grains']>;

const TWO: Grains = [2, 2, 2];
const FOUR: Grains = [2, 2, 2, 2];
const CODES: Grains = [2 / 9, 2 / 9, 2 / 9];
const CELLS: Grains = ['cell', 'cell', 'cell'];
const MIXED: Grains = [2, 'cell', 0, 2 / 9, 0.1];

/** Rows on the grids of the features, around a mean per class. */
function rowsOf(count: number, grains: Grains, classes = 3, seed = 5): number[][] {
  return around(count, grains.length, classes, seed).map((row) =>
    row.map((value, i) => {
      const grain = grains[i]!;
      const within = Math.max(-1, Math.min(1, 1.6 * value));
      if (grain === 0) return 0;
      return grain === 'cell' ? within : -1 + grain * Math.round((within + 1) / grain);
    }),
  );
}

const given = (grains: Grains, method: MethodParameters, rows = 60, changes: Partial<Given> = {}): Given => {
  const labelled = methodOf({ method }).labellings;
  return {
    rows: rowsOf(rows, grains),
    components: 2,
    method,
    labellings: [turns(rows, 3), turns(rows, 2, (i) => (i >> 2) % 2)].slice(0, labelled),
    grains,
    ...changes,
  };
};

const withProgram = (of: Given, changes: Partial<Program>): Setting => {
  const setting = settingOf(of);
  return { ...setting, program: { ...setting.program, ...changes } };
};

const OUTPUTS: Output[] = ['mean', 'trace', 'sampleCount', 'spectrum'];
const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };
const dca = (signalRidge = 0, form: 'standard' | 'book' = 'standard'): MethodParameters => ({
  ...{ kind: 'dca', form, ridge: 0.5, signalRidge },
});

/** Up to the last digit that is released, and the program's own error. */
function expectClose(
  own: readonly number[],
  expected: readonly number[],
  { unit, part = 0 }: { readonly unit: number; readonly part?: number },
): void {
  expect(own).toHaveLength(expected.length);
  const largest = Math.max(...expected.map(Math.abs));
  for (const [i, value] of own.entries()) {
    expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(1.01 * unit + part * largest);
    expect(Number.isInteger(value / unit)).toBe(true);
  }
}

describe('pca with a floor', () => {
  each<readonly [string, Grains, number]>(
    [['two values', TWO, 60]],
    [
      ['two values, four features', FOUR, 60],
      ['cells', CELLS, 60],
      ['codes', CODES, 300],
      ['all kinds', MIXED, 100],
      ['cells, many rows', CELLS, 2000],
      ['two values, few rows', TWO, 4],
    ],
  )('is that of the noised statistics: %s', async (_, grains, rows) => {
    const setting = withProgram(given(grains, { kind: 'pca' }, rows), { outputs: OUTPUTS });
    const { released } = setting.program.floor!;
    const result = await run(setting);
    const expected = decompose(setting.program, setting.statistics);
    expect(result.converged).toEqual([true, true]);
    expectClose(result.spectrum!, expected.spectrum!, { unit: 2 ** -released.scatter, part: 2 ** -16 });
    const { error } = resolutionOf('garbled', setting.program, {
      largest: expected.eigenvalues[0]!,
      trace: expected.trace!,
    });
    // As is said to whoever gets the result, but for the released digits.
    for (const [i, value] of result.eigenvalues.entries())
      expect(Math.abs(value - expected.eigenvalues[i]!)).toBeLessThan(
        error(value) + 1.01 * 2 ** -released.scatter,
      );
    expectClose([result.trace!], [expected.trace!], { unit: 2 ** -released.scatter });
    expectClose(result.mean!, expected.mean!, { unit: 2 ** -14 });
    expect(result.sampleCount).toBe(rows);
    for (const [j, vector] of result.vectors.entries()) {
      const [before, own, after] = [-1, 0, 1].map(
        (k) => expected.spectrum![j + k] ?? Number.POSITIVE_INFINITY,
      );
      const gap = Math.min(Math.abs(before! - own!), Math.abs(own! - after!)) / expected.spectrum![0]!;
      const error = Math.hypot(...vector.map((entry, i) => entry - expected.vectors[j]![i]!));
      expect(error).toBeLessThan(2 ** -15 / gap);
    }
  });

  it('has all of its eigenvalues where noise has made some negative', async () => {
    const setting = withProgram(given(TWO, { kind: 'pca' }, 3, { components: 3 }), { outputs: ['spectrum'] });
    const result = await run(setting);
    const expected = decompose(setting.program, setting.statistics);
    expect(expected.eigenvalues.at(-1)).toBeLessThan(-1);
    expect(result.converged).toEqual([true, true, true]);
    expectClose(result.eigenvalues, expected.eigenvalues, { unit: 0.5, part: 2 ** -15 });
  });

  it('has a rank above the noise', async () => {
    // Of a copy noise alone makes an eigenvalue.
    const rows = rowsOf(200, FOUR).map(([a, b, c]) => [a!, b!, c!, a!]);
    const asked = (components: number, changes: Partial<Program> = {}) =>
      withProgram(given(FOUR, { kind: 'pca' }, 200, { rows, components, floorSize: -1 }), {
        ...{ allowFullRank: false, twoValued: 0 },
        ...changes,
      });
    const { program, statistics } = asked(4, { allowFullRank: true });
    const [largest, , third, fourth] = decompose(program, statistics).eigenvalues;
    const { norm } = program.floor!;
    expect([third! > norm, fourth! < norm, fourth! > 2 ** -12 * largest!]).toEqual([true, true, true]);
    await expect(run(asked(3))).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    expect((await run(asked(2))).vectors).toHaveLength(2);
  });
});

describe('pca of a correlation matrix with a floor', () => {
  const outputs: Output[] = ['mean', 'trace', 'variances', 'spectrum'];

  each<readonly [string, Grains, number]>(
    [['two values and cells', [2, 'cell', 2], 60]],
    [
      ['all kinds', MIXED, 100],
      ['two values', FOUR, 60],
      ['codes', CODES, 300],
      ['cells', CELLS, 60],
    ],
  )('is that of the noised statistics: %s', async (_, grains, rows) => {
    const setting = withProgram(given(grains, CORRELATION, rows), { outputs });
    const { released } = setting.program.floor!;
    const result = await run(setting);
    const expected = decompose(setting.program, setting.statistics);
    expect(result.converged).toEqual([true, true]);
    expectClose(result.variances!, expected.variances!, { unit: 2 ** -released.variances });
    expectClose(result.mean!, expected.mean!, { unit: 2 ** -14 });
    expect(result.trace).toBe(expected.trace);
    expectClose(result.spectrum!, expected.spectrum!, { unit: 2 ** -22, part: 2 ** -16 });
    for (const [j, vector] of result.vectors.entries()) {
      const largest = Math.max(...vector.map(Math.abs));
      const error = Math.hypot(...vector.map((entry, i) => entry - expected.vectors[j]![i]!));
      expect(error / largest).toBeLessThan(2 ** -11);
      const unit = 2 ** (Math.floor(Math.log2(largest)) - 23);
      for (const entry of vector) expect(Number.isInteger(entry / unit)).toBe(true);
    }
  });

  it('counts a variance that is no more than noise as none', async () => {
    const rows = rowsOf(60, TWO).map(([a, b]) => [a!, 1, b!]);
    const setting = withProgram(given(TWO, CORRELATION, 60, { rows }), { outputs });
    const result = await run(setting);
    const expected = decompose(setting.program, setting.statistics);
    expect([expected.trace, result.trace]).toEqual([2, 2]);
    expect(result.variances![1]).toBe(0);
    for (const [j, vector] of result.vectors.entries()) {
      expect(vector[1]).toBe(0);
      const error = Math.hypot(...vector.map((entry, i) => entry - expected.vectors[j]![i]!));
      expect(error / Math.max(...vector)).toBeLessThan(2 ** -11);
    }
  });

  it('is zeros alone where no feature varies by more than noise', { tags: ['long'] }, async () => {
    const { vectors, eigenvalues, trace } = await run(
      withProgram(given(TWO, CORRELATION, 12), { outputs: ['trace'] }),
    );
    expect([vectors, eigenvalues, trace]).toEqual([[0, 1].map(() => [0, 0, 0]), [0, 0], 0]);
  });

  it('has a rank above the noise', { tags: ['long'] }, async () => {
    const all = rowsOf(200, FOUR);
    const asked = (rows: number[][]) =>
      withProgram(given(FOUR, CORRELATION, 200, { rows, components: 1 }), { allowFullRank: false });
    const copied = all.map(([a, b, c]) => [a!, b!, b!, c!]);
    const refused = { code: 'ERR_FULL_RANK' };
    const { program, statistics } = asked(copied);
    expect(() => decompose(program, statistics)).toThrow(expect.objectContaining(refused));
    await expect(run(asked(copied))).rejects.toMatchObject(refused);
    const [, , , fourth] = decompose(
      { ...program, allowFullRank: true, components: 4 },
      statistics,
    ).eigenvalues;
    expect(fourth).toBeGreaterThan(2 ** -12);
    expect((await run(asked(all))).vectors).toHaveLength(1);
  });
});

describe('discriminants with a floor', () => {
  each<readonly [string, Grains, MethodParameters, number, number]>(
    [
      ['dca', [2, 'cell', 0], dca(), 60, 2],
      ['lda', TWO, { kind: 'lda', ridge: 0.5 }, 40, 1],
      ['dca of the book', CODES, dca(0.25, 'book'), 60, 1],
      ['mdr', [2, 'cell'], { kind: 'mdr', ridge: 0.5 }, 60, 1],
    ],
    [
      ['dca', MIXED, dca(), 60, 2],
      ['dca', FOUR, dca(), 9, 2],
      ['dca with a signal ridge', FOUR, dca(0.25), 60, 2],
      ['dca of the book', FOUR, dca(0, 'book'), 100, 2],
      ['dca with a negative ridge', FOUR, dca(-0.25), 100, 2],
      ['lda', CELLS, { kind: 'lda', ridge: 0.5 }, 100, 2],
      ['lda without a ridge', FOUR, { kind: 'lda', ridge: 0 }, 100, 2],
      ['lda', MIXED, { kind: 'lda', ridge: 0.5 }, 100, 2],
      ['mdr', MIXED, { kind: 'mdr', ridge: 0.5 }, 60, 2],
      ['mdr', FOUR, { kind: 'mdr', ridge: 0.5 }, 60, 2],
      ['mdr', CELLS, { kind: 'mdr', ridge: 0.5 }, 60, 2],
    ],
  )('%s, grains %j, is that of the noised statistics', async (_, grains, method, rows, components) => {
    const { result } = await check(given(grains, method, rows, { components }));
    for (const vector of result.vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  });

  it('leaves out the noise of a class without rows', async () => {
    const labellings = [turns(60, 3, (i) => 2 * (i % 2))];
    await check(given([2, 2], dca(), 60, { labellings, components: 1 }));
  });

  it('declares what is made of noised sums', async () => {
    const setting = withProgram(given([2, 2], { kind: 'lda', ridge: 0.5 }, 40, { components: 1 }), {
      outputs: ['mean', 'trace', 'sampleCount', 'classCounts'],
    });
    const result = await run(setting);
    const expected = decompose(setting.program, setting.statistics);
    expectClose(result.mean!, expected.mean!, { unit: 2 ** -14 });
    expectClose([result.trace!], [expected.trace!], { unit: 0.5 });
    expect([result.sampleCount, result.classCounts]).toEqual([40, expected.classCounts]);
  });
});

describe('ridge with a floor', () => {
  each<readonly [string, Grains, number, number]>(
    [['all kinds', MIXED, 60, 0.1]],
    [
      ['two values', TWO, 60, 0],
      ['codes', CODES, 300, 0.1],
      ['cells', CELLS, 100, 0.1],
    ],
  )('is that of the noised statistics: %s', async (_, grains, rows, ridge) => {
    const setting = withProgram(given(grains, { kind: 'ridge', ridge }, rows, { components: 0 }), {
      outputs: ['mean', 'trace'],
    });
    const { regression, mean, trace } = await runTo('regression', setting);
    const expected = ofKind('regression', resultInClear(setting.program, setting.statistics));
    const { weights, intercept } = expected.regression;
    const largest = Math.max(...regression.weights.map(Math.abs));
    const unit = 2 ** (Math.floor(Math.log2(largest)) - 23);
    expectClose(regression.weights, weights, { unit, part: 2 ** -23 });
    expectClose([regression.intercept], [intercept], { unit: 2 ** -14 });
    expectClose(mean!, expected.mean!, { unit: 2 ** -14 });
    expectClose([trace!], [expected.trace!], { unit: 2 ** -setting.program.floor!.released.scatter });
  });
});

it.each<[string, Grains, MethodParameters]>([
  ['pca', [2, 'cell'], { kind: 'pca' }],
  ['dca', [2, 'cell'], dca()],
])(
  'the evaluator gets what the clear program gives, and the garbler nothing: %s',
  { tags: ['long'] },
  async (_, grains, method) => {
    await checkGarbled(settingOf(given(grains, method, 20, { components: 1 })));
  },
);

it('goes on top of noise for differential privacy, which may empty a class', { tags: ['long'] }, async () => {
  const differentialPrivacy = {
    epsilon: 1,
    delta: 1e-5,
    neighbours: 'add-remove',
    clippingNorm: 2,
    noise: 'csp',
    honestOwners: null,
    dataIndependentRanges: true,
  } as const;
  const unit = (rows: number) => BigInt(Math.round(rows * 2 ** 14));
  // Of R, and by class of V and of the number of rows, and of owners.
  const noise = [
    ...[5, 1, 0, 5, -1, 5].map((rows) => BigInt(rows) << 28n),
    ...[0, -23, 3].flatMap((rows) => [...[0.5, -1, 2].map(unit), BigInt(rows)]),
    0n,
  ];
  for (const method of [dca(), { kind: 'lda', ridge: 1 } as const])
    await check(given(TWO, method, 60, { components: 1, differentialPrivacy, noise }));
});

describe('noise beyond the floor, as owners may add it', () => {
  const RIDGED: Grains = [2, 2, 0.1];
  each<readonly [string, MethodParameters, number]>(
    [],
    ([4, -10, 30] as const).flatMap((size) =>
      [
        { kind: 'pca' } as const,
        CORRELATION,
        dca(),
        dca(0.5),
        dca(0.5, 'book'),
        { kind: 'lda', ridge: 1 } as const,
        { kind: 'mdr', ridge: 1 } as const,
      ].map((method) => [method.kind, method, size] as const),
    ),
  )('makes no wrong result that is not said to be one: %s %o, %i times', async (_, method, size) => {
    const setting = settingOf(given(RIDGED, method, 60, { components: 1, floorSize: size }));
    const result = await run(setting).catch((error: { code: string }) => error.code);
    if (typeof result === 'string') {
      expect(result).toBe('ERR_NOT_POSITIVE_DEFINITE');
      return;
    }
    if (!result.converged![0]) return;
    const { eigenvalues } = decompose(setting.program, setting.statistics);
    expect(Math.abs(result.eigenvalues[0]! / eigenvalues[0]! - 1)).toBeLessThan(2 ** -9);
  });
});
