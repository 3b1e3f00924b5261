/** The same projections in the clear: from rows in double precision, by ml-matrix, without owners, rounding or integers. */
import { type EigenPairs, generalisedEigen, symmetricEigen } from '@eigenveil/projection';

type Rows = readonly (readonly number[])[];

/**
 * All eigenpairs of the method's problem: of the total scatter for PCA, of (S_B, S̄ + ridge I) for DCA.
 * @param rows features in [−1, 1]
 * @param labels class indices
 */
export function decomposeRows(
  method: 'pca' | 'dca',
  rows: Rows,
  labels: readonly number[],
  ridge: number,
): EigenPairs {
  const total = scatterAbout(meanOf(rows), rows);
  if (method === 'pca') return symmetricEigen(total);
  const B = total.map((row, i) => row.map((value, j) => (i === j ? value + ridge : value)));
  return generalisedEigen(betweenClasses(rows, labels), B);
}

/** Σ over classes of their number of rows times the outer product of their mean's distance from the mean of all. */
function betweenClasses(rows: Rows, labels: readonly number[]): number[][] {
  const meanOfClass = new Map(
    [...new Set(labels)].map((label) => [label, meanOf(rows.filter((_, i) => labels[i] === label))]),
  );
  return scatterAbout(
    meanOf(rows),
    labels.map((label) => meanOfClass.get(label)!),
  );
}

function meanOf(rows: Rows): number[] {
  return rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length);
}

/** Σ (x − centre)(x − centre)ᵀ. */
function scatterAbout(centre: readonly number[], rows: Rows): number[][] {
  const scatter = centre.map(() => new Array<number>(centre.length).fill(0));
  for (const row of rows) {
    const centred = row.map((value, j) => value - centre[j]!);
    centred.forEach((a, i) => {
      const line = scatter[i]!;
      for (let j = 0; j < line.length; j += 1) line[j]! += a * centred[j]!;
    });
  }
  return scatter;
}
