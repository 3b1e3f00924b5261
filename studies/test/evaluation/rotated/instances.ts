/** Pencils that are made up to attack them, and small matrix algebra in doubles. */
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import {
  type Doubles,
  lengthsOf,
  type PencilParameters,
  times,
  transposed,
} from '@eigenveil/two-party/insides';

export function sizes(features: number, groups: number, components = 1): PencilParameters {
  return lengthsOf({
    ...{ features, groups, components, columns: groups, classes: [groups + 1], summed: false },
    shareBits: { R: 96, V: 96, sums: 96 },
    totalBits: 60,
    fractionBits: 14,
  });
}

export const diagonal = (entries: readonly number[]): number[][] =>
  entries.map((entry, i) => entries.map((_, j) => (i === j ? entry : 0)));
export const whole = (matrix: Doubles): bigint[][] =>
  matrix.map((row) => row.map((entry) => BigInt(Math.round(entry))));
export const distance = (a: Doubles, b: Doubles) =>
  Math.hypot(...a.flatMap((row, i) => row.map((entry, j) => entry - b[i]![j]!))) / Math.hypot(...b.flat());
export const inner = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** An orthogonal matrix of the seed. */
export function orthogonal(n: number, seed: number): number[][] {
  const next = generator(seed);
  const random = Array.from({ length: n }, () => Array.from({ length: n }, () => next() - 0.5));
  return symmetricEigen(random).vectors;
}

/** Of a symmetric matrix, on the span of as many leading eigenvectors. */
export function inverse(matrix: Doubles, rank = matrix.length): number[][] {
  const { values, vectors } = symmetricEigen(matrix);
  const leading = vectors.slice(0, rank);
  return times(times(transposed(leading), diagonal(values.slice(0, rank).map((x) => 1 / x))), leading);
}

/** T = E D Eᵀ and G = T^(1/2) L S R, of the pencil's spectrum S². */
export function instance(
  spectrum: readonly number[],
  E: Doubles,
  S: readonly number[],
  L: Doubles,
  R: Doubles,
) {
  const power = (exponent: number) =>
    times(times(E, diagonal(spectrum.map((value) => value ** exponent))), transposed(E));
  const scaled = L.map((row) => S.map((value, j) => row[j]! * value));
  return { T: whole(power(1)), G: times(power(0.5), times(scaled, R)) };
}
