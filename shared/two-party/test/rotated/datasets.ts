/** Rows of the bundled data sets, each feature scaled to [−1, 1] by its minimum and maximum. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Name = 'iris' | 'pima' | 'breast_cancer' | 'ionosphere';

export function datasetRows(name: Name): number[][] {
  return labelledDataset(name).rows;
}

/** The same, with the class of each row. */
export function labelledDataset(name: Name): { rows: number[][]; labels: number[] } {
  const path = fileURLToPath(new URL(`../../../../data/${name}.csv`, import.meta.url));
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const all = lines.map((line) => line.split(',').map(Number));
  const cells = all.map((row) => row.slice(0, -1));
  const ranges = cells[0]!.map((_, j) => {
    const column = cells.map((row) => row[j]!);
    return { least: Math.min(...column), most: Math.max(...column) };
  });
  const rows = cells.map((row) =>
    row.map((value, j) => {
      const { least, most } = ranges[j]!;
      return most === least ? 0 : (2 * (value - least)) / (most - least) - 1;
    }),
  );
  return { rows, labels: all.map((row) => row.at(-1)!) };
}
