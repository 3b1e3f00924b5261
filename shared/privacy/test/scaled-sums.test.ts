/**
 * What a data user gains that scales the sums before the CSP adds its noise: the table of docs/privacy.md.
 *
 * @claims P-48
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { calibrateRoundedGaussian, dpDeltaOfGaussian } from '../src/index.ts';

const DOCUMENT = new URL('../../../docs/privacy.md', import.meta.url);
const TASK = { epsilon: 1, dpDelta: 1e-6 };

/** The least ε for the task's δ when sums of sensitivity s get the noise that was made for 1; to 12 digits. */
function epsilonOfScaled(s: number): number {
  const sigma = calibrateRoundedGaussian({ sensitivity: 1, ...TASK });
  let [low, high] = [0, 1e4];
  for (let i = 0; i < 60; i += 1) {
    const epsilon = (low + high) / 2;
    if (dpDeltaOfGaussian({ sigma, sensitivity: s, epsilon }) <= TASK.dpDelta) high = epsilon;
    else low = epsilon;
  }
  return high;
}

test('scaled sums have the guarantee that the document says, and no better one', () => {
  const rows = readFileSync(DOCUMENT, 'utf8').match(/\| s +\|(.*)\|\n.*\n\| ε +\|(.*)\|/);
  const [factors, figures] = rows!.slice(1).map((row) => row.split('|').map(Number));
  expect(factors).toEqual([1, 2, 4, 8, 16]);
  for (const [i, s] of factors!.entries()) {
    expect(figures![i]).toBe(Number(epsilonOfScaled(s).toPrecision(2)));
  }
});
