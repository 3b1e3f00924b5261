/** The synthetic data set of the benchmarks: in place of SensIT Vehicle (acoustic), which has as many features and classes. */
import { writeFile } from 'node:fs/promises';
import { generator } from '@eigenveil/testbed/random';

const FACTORS = 12;
const CLASSES = 3;
const ROWS = 3000;

/**
 * Writes a CSV file: each row is a mix of 12 factors of falling weight, the first three shifted by the row's class, and
 * noise.
 */
export async function writeSynthetic(file: string, features: number): Promise<void> {
  const next = generator(20);
  const centred = () => next() + next() + next() - 1.5;
  const loadings = Array.from({ length: FACTORS }, (_, f) =>
    Array.from({ length: features }, () => centred() / 1.25 ** f),
  );
  const lines = [[...Array.from({ length: features }, (_, i) => `x${i + 1}`), 'label'].join(',')];
  for (let row = 0; row < ROWS; row += 1) {
    const label = row % CLASSES;
    const factors = loadings.map((_, f) => centred() + (f < CLASSES && f === label ? 1 : 0));
    const values = Array.from({ length: features }, (_, i) =>
      loadings.reduce((sum, loading, f) => sum + loading[i]! * factors[f]!, 0.3 * centred()).toFixed(4),
    );
    lines.push([...values, label].join(','));
  }
  await writeFile(file, `${lines.join('\n')}\n`);
}
