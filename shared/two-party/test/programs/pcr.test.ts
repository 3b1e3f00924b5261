/** The program of principal component regression in the clear against the reference, at ordinary and at degenerate statistics. */
import { type MethodParameters, ofKind } from '@eigenveil/methods';
import { resultInClear, symmetricEigen, totalScatter } from '@eigenveil/projection';
import type { Program } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CountingGates, CountingSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { around, checkGarbled, each, runTo } from './check.ts';
import { type Given, type Setting, settingOf } from './data.ts';

const pcr = (ridge: number): MethodParameters => ({ kind: 'pcr', ridge });
const given = (rows: number[][], components: number, rho: number, more: Partial<Given> = {}): Given => ({
  ...{ rows, method: pcr(rho), components },
  ...more,
});
const withProgram = (of: Given, changes: Partial<Program>): Setting => {
  const setting = settingOf(of);
  return { ...setting, program: { ...setting.program, ...changes } };
};

const run = (setting: Setting) => runTo('regression', setting);
const inClear = ({ program, statistics }: Pick<Setting, 'program' | 'statistics'>) =>
  ofKind('regression', resultInClear(program, statistics));

/**
 * Of each weight its error as a part of what a deviation of its feature moves the predicted one by, times the gap after the last component
 * over the first eigenvalue; and the intercept's.
 */
async function errors(of: Given, expectedBy: MethodParameters = of.method!) {
  const setting = settingOf(of);
  const { regression } = await run(setting);
  const isPcr = expectedBy.kind === 'pcr';
  const program = { ...setting.program, method: expectedBy, ...(isPcr ? {} : { components: 0 }) };
  const expected = inClear({ ...setting, program }).regression;
  const S = totalScatter(setting.statistics, setting.task.fractionBits);
  const { values } = symmetricEigen(S.slice(0, -1).map((row) => row.slice(0, -1)));
  const k = of.components;
  const gap = k === values.length ? 1 : (values[k - 1]! - values[k]!) / values[0]!;
  const parts = regression.weights.map(
    (w, i) => Math.abs(w - expected.weights[i]!) * Math.sqrt(S[i]![i]! / S.at(-1)!.at(-1)!),
  );
  return {
    weights: gap * Math.max(...parts),
    intercept: gap * Math.abs(regression.intercept - expected.intercept),
  };
}

describe('principal component regression', () => {
  each(
    [[3, 1, 0, 60]],
    [
      [4, 2, 0.1, 60],
      [2, 1, 0, 60],
      [6, 3, 0, 100],
      [6, 3, 1000, 100],
      [12, 4, 0.01, 200],
      [30, 8, 1, 300],
    ],
  )('of %i features on %i components with ρ = %f and %i rows is right', async (d, k, rho, rows) => {
    const { weights, intercept } = await errors(given(around(rows, d, 3), k, rho));
    expect(weights).toBeLessThan(2 ** -19);
    expect(intercept).toBeLessThan(2 ** -19);
  });

  each(
    [[4, 0.1, 60]],
    [
      [2, 0, 60],
      [8, 0, 100],
      [8, 10, 100],
    ],
  )('of %i features on all components is ridge regression with ρ = %f', async (d, rho, rows) => {
    const of = given(around(rows, d, 3), d - 1, rho);
    const { weights, intercept } = await errors(of, { kind: 'ridge', ridge: rho });
    expect(weights).toBeLessThan(2 ** -21);
    expect(intercept).toBeLessThan(2 ** -21);
  });

  it('is right for small components, and for a predicted feature of another spread', {
    tags: ['long'],
  }, async () => {
    const next = generator(4);
    const rows = (size: number) =>
      Array.from({ length: 200 }, () => {
        const [a, b, c, d, e] = Array.from({ length: 5 }, () => next() - 0.5) as [
          number,
          number,
          number,
          number,
          number,
        ];
        const x = [a, a + 0.1 * b, 0.03 * c, 0.02 * d];
        return [...x, size * (x[0]! - x[1]! + 3 * x[2]! - 5 * x[3]! + 0.1 * e)];
      });
    for (const size of [1, 0.001])
      for (const k of [2, 3, 4]) {
        // The last eigenvalue is 2^−12 of the first, and half of the one before.
        expect((await errors(given(rows(size), k, 0))).weights).toBeLessThan(2 ** -16);
      }
  });

  it('of random rows is right', { tags: ['long'] }, async () => {
    const line = fc.tuple(fc.integer({ min: 3, max: 7 }), fc.integer({ min: 1, max: 2 ** 20 }));
    await fc.assert(
      fc.asyncProperty(line, fc.constantFrom(0, 0.5, 20), fc.nat(20), async ([d, seed], rho, more) => {
        const of = given(around(40, d, 2, seed), 1 + (more % (d - 1)), rho);
        expect((await errors(of)).weights).toBeLessThan(2 ** -14);
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  it('has no weights where there is nothing to explain, and the mean as intercept', async () => {
    const rows = around(40, 3, 2).map(([a, b]) => [a!, b!, 0.25]);
    const { regression } = await run(settingOf(given(rows, 1, 0)));
    expect(regression.weights).toEqual([0, 0]);
    expect(regression.intercept).toBeCloseTo(0.25, 12);
  });

  describe('of predictors that vary in fewer directions than there are of them', () => {
    const still = around(40, 4, 2).map(([a, b, y]) => [a!, 0.5, b!, y!]);
    const same = around(40, 4, 2).map(([a, b, y]) => [a!, a!, b!, y!]);

    it('refuses more components than directions, with a ridge and with consent', async () => {
      await expect(run(settingOf(given(still, 3, 1)))).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    });

    it('is right, and has no weight of what does not vary', { tags: ['long'] }, async () => {
      const { regression } = await run(settingOf(given(still, 2, 0)));
      expect(Math.abs(regression.weights[1]!)).toBeLessThan(2 ** -20);
      for (const rows of [still, same])
        expect((await errors(given(rows, 2, 0))).weights).toBeLessThan(2 ** -20);
      await expect(run(settingOf(given(same, 3, 1)))).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    });
  });

  it('refuses predictors that leave nothing of the scatter unknown, unless that is consented to', async () => {
    // A feature of two values and its complement, and a predicted one of two values.
    const rows = Array.from({ length: 40 }, (_, n) => {
      const x = n % 3 === 0 ? 1 : -1;
      return [x, -x, n % 7 < 3 ? x : -1];
    });
    const of = (changes: Partial<Program>) =>
      run(withProgram(given(rows, 1, 1), { allowFullRank: false, ...changes }));
    await expect(of({ twoValued: 2 })).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    expect((await of({ twoValued: 2, allowFullRank: true })).regression.weights).toHaveLength(2);
    expect((await of({ twoValued: 1 })).regression.weights).toHaveLength(2);
  });

  it('refuses before any gate what no predictors of this number have', async () => {
    const session = new CountingSession(new CountingGates());
    const { task, program } = withProgram(given(around(20, 2, 2), 1, 1), {
      ...{ allowFullRank: false, twoValued: 2 },
    });
    await expect(runProgram(session, task, program, {})).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
    expect(session.gates.andGates).toBe(0);
  });

  it('refuses components that were not found', { tags: ['long'] }, async () => {
    // Wilkinson's matrix of order 31, of which two sweeps do not find all of eight components.
    const order = 31;
    const L = Array.from({ length: order }, () => new Array<number>(order).fill(0));
    for (let i = 0; i < order; i += 1) {
      const before = i === 0 ? 0 : 1 / L[i - 1]![i - 1]!;
      if (i > 0) L[i]![i - 1] = before;
      L[i]![i] = Math.sqrt(Math.abs(i - (order - 1) / 2) + 2 - before ** 2);
    }
    // Each column of L and its negative are rows, whose scatter is twice L Lᵀ.
    const rows = L.flatMap((_, j) =>
      [1, -1].map((sign) => [...L.map((row) => (sign * row[j]!) / 5), sign / 9]),
    );
    await expect(run(settingOf(given(rows, 8, 0)))).rejects.toMatchObject({ code: 'ERR_ILL_CONDITIONED' });
  });

  it('has the declared outputs', async () => {
    const setting = withProgram(given(around(50, 4, 2), 2, 1), { outputs: ['mean', 'trace', 'sampleCount'] });
    const result = await run(setting);
    const expected = inClear(setting);
    expect(result.sampleCount).toBe(50);
    expect(result.trace).toBeCloseTo(expected.trace!, 5);
    for (const [i, value] of expected.mean!.entries()) expect(result.mean![i]).toBeCloseTo(value, 6);
  });

  it('refuses too few owners and no rows before anything else', async () => {
    const few = withProgram(given(around(20, 3, 2), 2, 0), { minimumOwners: 4 });
    await expect(run(few)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
    const empty = settingOf(given([], 1, 0, { d: 3 }));
    await expect(run(empty)).rejects.toMatchObject({ code: 'ERR_NO_SAMPLES' });
  });

  it('gives the evaluator what the clear program gives, and the garbler nothing', {
    tags: ['long'],
  }, async () => {
    await checkGarbled(settingOf(given(around(30, 3, 2), 1, 0.5)));
  });
});

describe('principal component regression with a floor', () => {
  type Grains = NonNullable<Given['grains']>;
  /** Rows on the grids of the features. */
  const rowsOf = (count: number, grains: Grains) =>
    around(count, grains.length, 3).map((row) =>
      row.map((value, i) => {
        const grain = grains[i]!;
        const within = Math.max(-1, Math.min(1, 1.6 * value));
        if (grain === 0) return 0;
        return grain === 'cell' ? within : -1 + grain * Math.round((within + 1) / grain);
      }),
    );

  each<readonly [string, Grains, number, number, number]>(
    [['a fine predictor of two values', [0.1, 'cell', 0.1, 2], 60, 2, 0]],
    [
      ['all kinds', [2, 'cell', 0, 2 / 9, 0.1], 100, 1, 0.1],
      ['two values', [2, 2, 2, 2], 60, 1, 0],
      ['codes', [2 / 9, 2 / 9, 2 / 9], 300, 2, 0.1],
      ['cells', ['cell', 'cell', 'cell'], 100, 1, 1],
      ['a constant predicted one', ['cell', 'cell', 0], 100, 1, 0],
    ],
  )('is that of the noised statistics: %s', async (_, grains, rows, k, rho) => {
    const setting = withProgram(given(rowsOf(rows, grains), k, rho, { grains }), {
      outputs: ['mean', 'trace'],
    });
    const { regression, mean, trace } = await run(setting);
    const expected = inClear(setting);
    const largest = Math.max(2 ** -20, ...regression.weights.map(Math.abs));
    const unit = 2 ** (Math.floor(Math.log2(largest)) - 23);
    for (const [i, w] of regression.weights.entries()) {
      expect(Math.abs(w - expected.regression.weights[i]!)).toBeLessThan(1.01 * unit + 2 ** -16 * largest);
      expect(Number.isInteger(w / unit)).toBe(true);
    }
    expect(Math.abs(regression.intercept - expected.regression.intercept)).toBeLessThan(2 ** -13.5);
    expect(Number.isInteger(regression.intercept * 2 ** 14)).toBe(true);
    for (const [i, value] of mean!.entries()) expect(value).toBeCloseTo(expected.mean![i]!, 4);
    const { released } = setting.program.floor!;
    expect(Math.abs(trace! - expected.trace!)).toBeLessThan(1.01 * 2 ** -released.scatter);
  });

  it('has room for noise that outweighs the predicted feature', async () => {
    const grains: Grains = ['cell', 'cell', 2];
    const rows = rowsOf(60, grains).map(([a, b], n) => [a!, b!, n === 7 ? 1 : -1]);
    for (const floorSize of [-1, 1]) {
      const setting = settingOf(given(rows, 2, 0, { grains, floorSize }));
      const { weights } = (await run(setting)).regression;
      const expected = inClear(setting).regression;
      for (const [i, w] of expected.weights.entries()) expect(weights[i]).toBeCloseTo(w, 4);
    }
  });

  it('counts no direction that is no more than noise of the predictors', async () => {
    const grains: Grains = [2, 2, 2, 'cell'];
    const rows = rowsOf(200, grains).map(([a, b, , y]) => [a!, b!, a!, y!]);
    const of = (components: number) => run(settingOf(given(rows, components, 1, { grains, floorSize: -1 })));
    expect((await of(2)).regression.weights).toHaveLength(3);
    await expect(of(3)).rejects.toMatchObject({ code: 'ERR_FULL_RANK' });
  });

  each<readonly [number, number, number]>(
    [],
    [4, -10, 30].flatMap((size) => [0, 1].flatMap((rho) => [1, 2].map((k) => [size, k, rho] as const))),
  )(
    'makes no wrong result of owners’ noise, %i times the floor, without saying so: %i components, ρ = %i',
    async (size, k, rho) => {
      const grains: Grains = [2, 2, 0.1, 0.5];
      const setting = settingOf(given(rowsOf(60, grains), k, rho, { grains, floorSize: size }));
      const result = await run(setting).catch((error: { code: string }) => error.code);
      if (typeof result === 'string') {
        expect(result).toMatch(/^ERR_(FULL_RANK|ILL_CONDITIONED)$/);
        return;
      }
      const { weights } = inClear(setting).regression;
      const largest = Math.max(...weights.map(Math.abs));
      for (const [i, w] of result.regression.weights.entries())
        expect(Math.abs(w - weights[i]!)).toBeLessThan(2 ** -9 * largest);
    },
  );
});
