/**
 * Scaled Manhattan distance (Killourhy and Maxion, "Comparing anomaly-detection algorithms for keystroke dynamics", 2009): differences from the user's mean
 * over the mean absolute deviation of each feature.
 */
import type { Row } from './people.ts';

/** Below this a deviation of a feature on [−1, 1] counts as so much. */
const LEAST_DEVIATION = 0.01;

/**
 * Of a user with these rows, by features on [−1, 1].
 * @param mixed what stands for the user's own deviation of a feature; by default itself
 * @returns the user's own unit, which is about the distance that new rows of the user have, and distances in that unit
 */
export function scaledManhattan(
  rows: readonly ArrayLike<number>[],
  mixed: (own: number, feature: number) => number = (own) => own,
): { readonly unit: number; score(row: ArrayLike<number>): number } {
  const centre = centreOf(rows);
  const scale = scaleOf(deviationsOf(rows, centre).map(mixed));
  const unit = (meanOf(rows.map((row) => manhattan(row, centre, scale))) * (rows.length + 1)) / rows.length;
  return { unit, score: (row) => manhattan(row, centre, scale) / unit };
}

function centreOf(rows: readonly ArrayLike<number>[]): number[] {
  return Array.from(rows[0]!, (_, i) => meanOf(rows.map((row) => row[i]!)));
}

/** Mean absolute deviations from a centre; the mean of the rows where none is given. */
export function deviationsOf(rows: readonly ArrayLike<number>[], centre: Row = centreOf(rows)): number[] {
  return centre.map((c, i) => meanOf(rows.map((row) => Math.abs(row[i]! - c))));
}

export const scaleOf = (deviations: readonly number[]): Float64Array =>
  Float64Array.from(deviations, (deviation) => 1 / (deviation + LEAST_DEVIATION));

/** The mean over features of scaled differences. */
export function manhattan(row: ArrayLike<number>, centre: Row, scale: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < scale.length; i += 1) sum += Math.abs(row[i]! - centre[i]!) * scale[i]!;
  return sum / scale.length;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
