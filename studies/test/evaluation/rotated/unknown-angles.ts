/** What is left of a matrix whose spectrum and leading eigenvectors are known: angles, and what equations for them come to. */
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { type Doubles, times, transposed } from '@eigenveil/two-party/insides';
import { diagonal, distance, inner, inverse } from './instances.ts';

const STARTS = 40;

/** The matrices of such eigenvalues, of which so many leading eigenvectors are known, by m(m − 1)/2 angles of the frame of the others. */
function candidates(values: readonly number[], known: Doubles) {
  const rest = times(transposed(known), known).map((row, i) => row.map((x, j) => (i === j ? 1 : 0) - x));
  const m = values.length - known.length;
  const frame = symmetricEigen(rest).vectors.slice(0, m);
  const planes = frame.flatMap((_, i) => frame.slice(i + 1).map((_unused, j) => [i, i + 1 + j] as const));
  const at = (angles: readonly number[]) => {
    let turned: number[][] = frame;
    for (const [n, [i, j]] of planes.entries()) {
      const [c, s] = [Math.cos(angles[n]!), Math.sin(angles[n]!)];
      const [p, q] = [turned[i]!, turned[j]!];
      turned = turned.with(
        i,
        p.map((x, e) => c * x + s * q[e]!),
      );
      turned = turned.with(
        j,
        q.map((x, e) => c * x - s * p[e]!),
      );
    }
    const all = [...known, ...turned];
    return times(times(transposed(all), diagonal(values)), all);
  };
  return { count: planes.length, at };
}

/** Levenberg and Marquardt: angles from which nothing is missing, or nothing where a start leads nowhere. */
function solve(count: number, missing: (angles: readonly number[]) => number[], start: readonly number[]) {
  let angles = [...start];
  let off = missing(angles);
  let damping = 1e-3;
  for (let step = 0; step < 60 && Math.hypot(...off) > 1e-9; step += 1) {
    const slopes = Array.from({ length: count }, (_, n) => {
      const more = missing(angles.with(n, angles[n]! + 1e-6));
      return more.map((x, e) => (x - off[e]!) / 1e-6);
    });
    const normal = slopes.map((row, i) =>
      slopes.map((other, j) => inner(row, other) + (i === j ? damping : 0)),
    );
    const gradient = slopes.map((row) => [-inner(row, off)]);
    const moved = times(inverse(normal), gradient).map(([x], n) => angles[n]! + x!);
    const next = missing(moved);
    if (Math.hypot(...next) < Math.hypot(...off)) [angles, off, damping] = [moved, next, damping / 10];
    else damping *= 10;
  }
  return Math.hypot(...off) < 1e-8 ? angles : undefined;
}

/** How far from the matrix those candidates lie from which all that is known follows, from many starts. `missing` is relative. */
export function distancesOfCandidates(
  { matrix, values, known }: { matrix: Doubles; values: readonly number[]; known: Doubles },
  missing: (candidate: Doubles) => number[],
): number[] {
  const { count, at } = candidates(values, known);
  const next = generator(20);
  return Array.from({ length: STARTS }, () => Array.from({ length: count }, () => next() * Math.PI))
    .map((start) => solve(count, (angles) => missing(at(angles)), start))
    .filter((angles) => angles !== undefined)
    .map((angles) => distance(at(angles), matrix));
}
