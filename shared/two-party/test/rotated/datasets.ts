/** Rows of the bundled data sets, each feature scaled to [−1, 1] by its minimum and maximum. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function datasetRows(name: 'iris' | 'pima' | 'breast_cancer' | 'ionosphere'): number[][] {
  const path = fileURLToPath(new URL(`../../../../data/${name}.csv`, import.meta.url));
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const cells = lines.map((line) => line.split(',').slice(0, -1).map(Number));
  const ranges = cells[0]!.map((_, j) => {
    const column = cells.map((row) => row[j]!);
    return { least: Math.min(...column), most: Math.max(...column) };
  });
  return cells.map((row) =>
    row.map((value, j) => {
      const { least, most } = ranges[j]!;
      return most === least ? 0 : (2 * (value - least)) / (most - least) - 1;
    }),
  );
}
