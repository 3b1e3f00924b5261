/** The forecast of drafts against few seeds; docs/privacy.md has the table of many, by `npm run forecast:privacy`. */
import { generator } from '@eigenveil/testbed/random';
import { expect, test } from 'vitest';
import { type LaboratoryData, loadLaboratoryData } from '../../privacy/data.ts';
import { checkForecast } from '../../privacy/forecast-noise.ts';

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
  for (const ratio of [found.noiseSeen / found.noiseForecast, found.rowsSeen / found.rowsForecast]) {
    expect(ratio).toBeGreaterThan(1 / 2);
    expect(ratio).toBeLessThan(2);
  }
};
const WITHIN = 'norm of the noise and rows to stand out are within a factor of two: %s';
test.each(['iris', 'made up'])(WITHIN, within);
test.each(['pima', 'breast_cancer', 'ionosphere'])(WITHIN, { tags: ['long'] }, within);
