/** What is told of captured variance under noise of the protocol's sampler, with fixed seeds; docs/privacy.md has the table, by `npm run forecast:privacy`. */
import { expect, test } from 'vitest';
import { loadLaboratoryData } from '../../privacy/data.ts';
import { checkShares } from '../../privacy/forecast-shares.ts';

async function checked(name: string, epsilon: number, components: number, seeds: number, spectrum = false) {
  const data = await loadLaboratoryData(name);
  return checkShares(data!, { epsilon, delta: 1e-6, seeds, components, spectrum });
}

test('components of ionosphere have what is told, with a spectrum and without, and not eigenvalue over trace', async () => {
  for (const spectrum of [false, true]) {
    const found = await checked('ionosphere', 6, 3, 30, spectrum);
    expect(found.answered).toBe(1);
    expect(found.covered).toBeGreaterThan(0.9);
    expect(Math.abs(found.told - found.truth)).toBeLessThan(0.01);
    expect(found.uncorrected - found.truth).toBeGreaterThan(0.04);
    expect(found.errorTold).toBeLessThan(found.errorUncorrected / 2);
  }
});

const INTERVALS = 'intervals hold in 95 to 100 of 100 results: %s, ε = %f, %i components';
test.each([
  ['ionosphere', 4, 1],
  ['breast_cancer', 2, 1],
  ['breast_cancer', 4, 3],
  ['pima', 4, 1],
  ['optdigits', 0.5, 3],
  ['german', 4, 3],
])(INTERVALS, { tags: ['long'] }, async (name, epsilon, components) => {
  if ((await loadLaboratoryData(name)) === undefined) return; // not bundled
  const found = await checked(name, epsilon, components, 200);
  expect(found.answered).toBeGreaterThan(0.9);
  expect(found.covered).toBeGreaterThanOrEqual(0.95);
  expect(Math.abs(found.told - found.truth)).toBeLessThan(0.015);
});
