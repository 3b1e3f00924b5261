/** The synthetic data sets of the benchmarks: one in place of SensIT Vehicle (acoustic), which has as many features and classes. */
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

/** Rows of a wide set, its directions, and how fast they fall: as those of faces do, about. */
const [WIDE_ROWS, WIDE_FACTORS] = [500, 100];

/** Writes a CSV file of thousands of features: each row is a mix of 100 factors, whose weights fall as 1/(1 + f), and a little noise. */
export async function writeWide(file: string, features: number): Promise<void> {
  const next = generator(21);
  const centred = () => next() + next() + next() - 1.5;
  const loadings = Array.from({ length: WIDE_FACTORS }, (_, f) =>
    Float64Array.from({ length: features }, () => centred() / (1 + f)),
  );
  const lines = [[...Array.from({ length: features }, (_, i) => `x${i + 1}`), 'label'].join(',')];
  for (let row = 0; row < WIDE_ROWS; row += 1) {
    const values = Float64Array.from({ length: features }, () => 0.05 * centred());
    for (const loading of loadings) {
      const weight = centred();
      for (let i = 0; i < features; i += 1) values[i]! += weight * loading[i]!;
    }
    lines.push([...Array.from(values, (value) => value.toFixed(4)), row % CLASSES].join(','));
  }
  await writeFile(file, `${lines.join('\n')}\n`);
}
