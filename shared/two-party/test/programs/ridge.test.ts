/** The program of ridge regression in the clear against the reference, at ordinary and at degenerate statistics. */
import { ofKind } from '@eigenveil/methods';
import { resultInClear, totalScatter } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { around, checkGarbled, each, runTo } from './check.ts';
import { type Given, settingOf } from './data.ts';

const ridge = (rho: number) => ({ kind: 'ridge', ridge: rho }) as const;
const given = (rows: number[][], rho: number, more: Partial<Given> = {}): Given => ({
  ...{ rows, method: ridge(rho), components: 0 },
  ...more,
});

/** Gives the largest error of a weight, as a part of what a deviation of its feature moves the predicted one by, and the intercept's. */
async function errors(of: Given): Promise<{ weights: number; intercept: number }> {
  const setting = settingOf(of);
  const { regression } = await runTo('regression', setting);
  const clear = resultInClear(setting.program, setting.statistics);
  const expected = ofKind('regression', clear).regression;
  const S = totalScatter(setting.statistics, setting.task.fractionBits);
  const deviation = S.map((row, i) => Math.sqrt(row[i]! + (of.method as { ridge: number }).ridge));
  return {
    weights: Math.max(
      ...regression.weights.map(
        (w, i) => (Math.abs(w - expected.weights[i]!) * deviation[i]!) / deviation.at(-1)!,
      ),
    ),
    intercept: Math.abs(regression.intercept - expected.intercept),
  };
}

describe('ridge', () => {
  each(
    [
      [2, 0, 60],
      [4, 0.1, 60],
    ],
    [
      [2, 1, 60],
      [6, 0, 100],
      [6, 0.1, 100],
      [12, 0.01, 200],
      [30, 1, 300],
      [5, 1000, 100],
    ],
  )('is right with %i features, ρ = %f and %i rows', async (d, rho, rows) => {
    const { weights, intercept } = await errors(given(around(rows, d, 3), rho));
    expect(weights).toBeLessThan(2 ** -22);
    expect(intercept).toBeLessThan(2 ** -23);
  });

  it('is right for features of very different spread, and one that tells little', async () => {
    const next = generator(4);
    const rows = Array.from({ length: 100 }, () => {
      const [a, b, c] = [next() - 0.5, next() - 0.5, next() - 0.5];
      return [a, a + 0.01 * b, 0.01 * c, 0.3 * a - 0.2 * b + 0.05 * c + 0.1];
    });
    // The first two are one to 10^−4, by which errors grow.
    expect((await errors(given(rows, 0))).weights).toBeLessThan(2 ** -12);
    expect((await errors(given(rows, 0.1))).weights).toBeLessThan(2 ** -17);
    const flat = rows.map(([a, b, c, y]) => [a!, b!, c!, 0.001 * y!]);
    expect((await errors(given(flat, 0.1))).intercept).toBeLessThan(2 ** -26);
  });

  it('of random rows is right', { tags: ['long'] }, async () => {
    const line = fc.tuple(fc.integer({ min: 2, max: 7 }), fc.integer({ min: 1, max: 2 ** 20 }));
    await fc.assert(
      fc.asyncProperty(line, fc.constantFrom(0.01, 0.5, 20), async ([d, seed], rho) => {
        expect((await errors(given(around(40, d, 2, seed), rho))).weights).toBeLessThan(2 ** -14);
      }),
      { numRuns: 25 },
    );
  });

  it('has no weights where there is nothing to explain, and the mean as intercept', async () => {
    const rows = around(40, 3, 2).map(([a, b]) => [a!, b!, 0.25]);
    const { regression } = await runTo('regression', settingOf(given(rows, 0.1)));
    expect(regression.weights).toEqual([0, 0]);
    expect(regression.intercept).toBeCloseTo(0.25, 12);
  });

  it('has no weight of what does not vary, and refuses it without a ridge, as two features that are one', async () => {
    const still = around(40, 3, 2).map(([a, b]) => [a!, 0.5, b!]);
    const { regression } = await runTo('regression', settingOf(given(still, 0.1)));
    expect(regression.weights[1]).toBe(0);
    expect((await errors(given(still, 0.1))).weights).toBeLessThan(2 ** -20);
    const same = around(40, 3, 2).map(([a, b]) => [a!, a!, b!]);
    expect((await errors(given(same, 0.1))).weights).toBeLessThan(2 ** -14);
    for (const rows of [still, same])
      await expect(runTo('regression', settingOf(given(rows, 0)))).rejects.toMatchObject({
        code: 'ERR_NOT_POSITIVE_DEFINITE',
      });
  });

  it('has the declared outputs', async () => {
    const setting = settingOf(given(around(50, 4, 2), 1));
    const program = { ...setting.program, outputs: ['mean', 'trace', 'sampleCount'] as const };
    const result = await runTo('regression', { ...setting, program });
    const expected = resultInClear(program, setting.statistics);
    expect(result.sampleCount).toBe(50);
    expect(result.trace).toBeCloseTo(expected.trace!, 5);
    for (const [i, value] of expected.mean!.entries()) expect(result.mean![i]).toBeCloseTo(value, 6);
  });

  it('refuses too few owners and no rows before anything else', async () => {
    const setting = settingOf(given(around(20, 3, 2), 0));
    const few = { ...setting, program: { ...setting.program, minimumOwners: 4 } };
    await expect(runTo('regression', few)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
    const empty = settingOf(given([], 0, { d: 3 }));
    await expect(runTo('regression', empty)).rejects.toMatchObject({ code: 'ERR_NO_SAMPLES' });
  });

  it('gives the evaluator what the clear program gives, and the garbler nothing', async () => {
    await checkGarbled(settingOf(given(around(30, 2, 2), 0.5)));
  });
});
