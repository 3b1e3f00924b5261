/** Forecasts of drafts, and captured variance as it is told, against few fixed seeds; docs/privacy.md has the tables of many, by `npm run forecast:privacy`. */
import { generator } from '@eigenveil/testbed/random';
import { expect, test } from 'vitest';
import { type LaboratoryData, loadLaboratoryData } from '../../privacy/data.ts';
import { checkForecast, checkShares } from '../../privacy/forecasts.ts';

/** Rows of which one direction of twelve has the most, far from the middle of their ranges. */
function madeUp(): LaboratoryData {
  const features = 12;
  const random = generator(7);
  const scale = 1 / Math.sqrt(features);
  const rows = Array.from({ length: 300 }, () => {
    const common = random() - 0.5;
    return Array.from({ length: features }, () => (0.3 + 0.8 * common + 0.3 * (random() - 0.5)) * scale);
  });
  return { name: 'made up', features, rows, labels: rows.map(() => 0) };
}

const within = async (name: string) => {
  const data = name === 'made up' ? madeUp() : await loadLaboratoryData(name);
  const found = checkForecast(data!, { epsilon: 1, delta: 1e-6, seeds: 10 });
  for (const ratio of [found.noiseSeen / found.noiseForecast, found.rowsSeen / found.rowsForecast])
    expect(Math.abs(Math.log2(ratio))).toBeLessThan(1);
};
const WITHIN = 'norm of the noise and rows to stand out are within a factor of two: %s';
test.each(['iris', 'made up'])(WITHIN, within);
test.each(['pima', 'breast_cancer', 'ionosphere'])(WITHIN, { tags: ['long'] }, within);

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
