/** How much of the variance of rows a linear map of reduced rows explains, and reduced rows in units of their deviations. */
import {
  centredScatter,
  eigenpairs,
  type Row,
  secondMoment,
  sumOfRows,
  times,
} from '../privacy/methods/index.ts';

/** Below this share of the largest, a direction of reduced rows is constant but for rounding. */
const NEGLIGIBLE = 1e-12;

/** Each feature with mean 0 and variance 1 over these rows; 0 where it is constant. */
export function standardised(rows: readonly Row[]): (row: Row) => number[] {
  const n = rows.length;
  const moments = rows[0]!.map((_, j) => {
    const mean = rows.reduce((sum, row) => sum + row[j]!, 0) / n;
    return { mean, deviation: Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - mean) ** 2, 0) / n) };
  });
  return (row) =>
    moments.map(({ mean, deviation }, j) => (deviation > NEGLIGIBLE ? (row[j]! - mean) / deviation : 0));
}

/**
 * tr(XᵀP X) over that of the best projection of as many dimensions, X the centred rows and P the projector on what reduced rows span: in [0, 1], the share of
 * the variance that as many principal components would explain.
 */
export function explained(rows: readonly Row[], reduced: readonly Row[]): number {
  const [d, k] = [rows[0]!.length, reduced[0]!.length];
  const best = eigenpairs(centredScatter(secondMoment(rows, d), sumOfRows(rows, d), rows.length))
    .slice(0, k)
    .reduce((sum, { value }) => sum + value, 0);
  const scale = standardised(reduced);
  const z = reduced.map(scale);
  const mean = sumOfRows(rows, d).map((sum) => sum / rows.length);
  // XᵀZ, d × k.
  const across = mean.map((centre, i) => {
    const sums = new Array<number>(k).fill(0);
    z.forEach((row, r) => {
      const x = rows[r]![i]! - centre;
      for (let c = 0; c < k; c += 1) sums[c]! += x * row[c]!;
    });
    return sums;
  });
  const pairs = eigenpairs(secondMoment(z, k));
  const sum = pairs
    .filter(({ value }) => value > NEGLIGIBLE * pairs[0]!.value && value > 0)
    .reduce((total, { value, vector }) => {
      const along = times(across, vector);
      return total + along.reduce((squares, x) => squares + x * x, 0) / value;
    }, 0);
  return best > 0 ? sum / best : 0;
}
