/** The test of whether what real data users draw to blind is as wide as σ bits of blinding ask for, by widths that are reckoned here and not by the packing. */

import { type StatisticsTask, valueBitsOf } from '@eigenveil/task';
import type { Test, Unworded } from '../experiment.ts';
import { honestRuns, TOGETHER, tooLong } from './runs.ts';

export const WIDTHS: Unworded = {
  id: 'views-blinding-widths',
  kind: 'attack',
  attacker: 'CSP',
  secret: 'pooled statistics',
  expectation: 'holds',
  claims: ['S-11', 'S-72'],
  unit: 'run',
  together: TOGETHER,
  omits: tooLong,
  scenes: ['pima'],
  async run(setting) {
    const runs = await honestRuns(setting);
    const missing = runs.flatMap(({ task, dataUser }) => {
      const blinding = dataUser.opened.find(({ name }) => name === 'blinding');
      if (blinding === undefined) throw new Error("blinding values expected in the data user's view");
      return missingBits(task, blinding.values);
    });
    return shortfall(missing, runs.length);
  },
};

/**
 * Returns the width that the blinding of each slot must have, in bits: a sum over k slots is within 2^-σ of uniform if each is within 2^-σ / k. Not taken
 * from `layout`, whose mistakes this must find.
 */
export function widthsOf(task: StatisticsTask): number[] {
  const valueBits = valueBitsOf(task);
  const slots = Math.ceil(Math.log2(valueBits.length));
  return valueBits.map((bits) => bits + task.statisticalSecurityBits + slots);
}

/** Leading zeros of each blinding value, in bits: of what is drawn, without the constant that keeps slots positive. */
export function missingBits(task: StatisticsTask, blinding: readonly bigint[]): number[] {
  const valueBits = valueBitsOf(task);
  const widths = widthsOf(task);
  if (blinding.length !== widths.length) throw new Error('one blinding value per slot expected');
  return blinding.map((value, i) => {
    const drawn = value - (1n << BigInt(valueBits[i]! - 1));
    return widths[i]! - (drawn > 0n ? drawn.toString(2).length : 0);
  });
}

/**
 * Exact: n uniform numbers have b leading zeros each with chance 2^(-b n), and one of them has b with chance n 2^-b at most. Both are looked
 * at, for blinding may be narrow everywhere or in one place.
 */
export function shortfall(missing: readonly number[], runs: number): Test {
  const n = missing.length;
  const everywhere = Math.max(0, Math.min(...missing));
  const somewhere = Math.max(0, ...missing);
  const p = Math.min(1, 2 * Math.min(2 ** (-everywhere * n), n * 2 ** -somewhere));
  // Told apart for certain, or by nothing: a width has no share in between.
  const value = p < 0.001 ? 1 : 0;
  return {
    kind: 'test',
    p,
    n: runs,
    distance: { value, low: value, high: value },
    detectable: { leak: 'bits by which all blinding values are too narrow', size: Math.ceil(ENOUGH / n) },
    facts: {
      'blinding values': n,
      'bits that all of them lack': everywhere,
      'most leading zeros of one': somewhere,
    },
  };
}

/** -log2 of a p that stays small whatever it is adjusted for: one bit less in each of as many slots. */
const ENOUGH = 30;
