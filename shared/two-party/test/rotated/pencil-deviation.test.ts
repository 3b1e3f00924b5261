/**
 * What a data user that deviates has from a pencil: it puts a matrix of its own, Z, in the place of the class means, and eigenvectors of M in the place of
 * the answer's directions. docs/rotated-pencils.md has the count; this has the attack, where the task must be refused and where not.
 */
import { symmetricEigen } from '@eigenveil/projection';
import { mostRotatedComponents } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { drawPencilSecrets } from '../../src/rotated/pencil/secrets.ts';
import { diagonal, distance, inner, instance, inverse, orthogonal, sizes } from './instances.ts';
import { type Doubles, pencilView, times, transposed } from './pencil-views.ts';
import { dca } from './pencils.ts';
import { numbers } from './settings.ts';
import { seededBits } from './statistics.ts';

const UNIT = 2 ** 40;

/** What it has seen: the spectrum, k of the eigenvectors, and singular values of C₁PZ, squared; and the matrix itself, to compare. */
function seen(d: number, k: number, groups: number) {
  const parameters = sizes(d, groups, k);
  const spectrum = Array.from({ length: d }, (_, i) => (1 + 2 * (d - 1 - i)) * UNIT);
  const { T } = instance(spectrum, orthogonal(d, 17), [0.5], orthogonal(d, 18), [[1]]);
  const next = numbers(19);
  const Z = T.map(() => Array.from({ length: groups }, () => (next() - 0.5) * 2 ** 20));
  const secrets = drawPencilSecrets(parameters, seededBits('own matrices'));
  const { M, values: nu } = pencilView(T, Z, secrets, parameters);
  const { values, vectors } = symmetricEigen(M);
  const P = secrets.rotation.map((row) => row.map((x) => Number(x) * 2 ** -parameters.rotationBits));
  const B = T.map((row) => row.map(Number));
  return { B, Z, nu: nu.slice(0, Math.min(d, groups)), values, known: times(vectors.slice(0, k), P) };
}

/** The matrices that it may have, one for m(m − 1)/2 angles of the frame of what it does not know. */
function guessesOf({ values, known }: ReturnType<typeof seen>) {
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

/** Levenberg and Marquardt: angles from which the seen numbers follow, or nothing where a start leads nowhere. */
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

/** How far from the matrix the guesses lie from which all that was seen follows, from many starts. */
function distances(d: number, k: number, groups: number): number[] {
  const view = seen(d, k, groups);
  const { count, at } = guessesOf(view);
  const valuesOf = (guess: Doubles) =>
    symmetricEigen(times(times(transposed(view.Z), inverse(guess)), view.Z)).values;
  const missing = (angles: readonly number[]) => {
    const values = valuesOf(at(angles));
    return view.nu.map((nu, i) => values[i]! / nu - 1);
  };
  const next = numbers(20);
  return Array.from({ length: 40 }, () => Array.from({ length: count }, () => next() * Math.PI))
    .map((start) => solve(count, missing, start))
    .filter((angles) => angles !== undefined)
    .map((angles) => distance(at(angles), view.B));
}

describe('a data user that puts matrices of its own in the place of its shares', () => {
  /** Components with so many features and classes, without `allowFullRank`. */
  const most = (d: number, groups: number) =>
    mostRotatedComponents(
      { method: dca(0.1), classCounts: [groups + 1], outputs: ['sampleCount'], twoValued: 0 },
      d,
    );

  it.each([
    [5, 3, 2], // one angle, two equations
    [5, 3, 1], // one, one
    [6, 3, 3], // three, three
  ])('has all of T of %i features from %i components and %i values: refused', (d, k, groups) => {
    expect(k).toBeGreaterThan(most(d, groups));
    const found = distances(d, k, groups);
    // One of a few candidates, at which many starts end.
    expect(found.filter((x) => x < 1e-8).length).toBeGreaterThan(found.length / 5);
  });

  it.each([
    [5, 2, 2], // three angles, two equations
    [6, 2, 3], // six, three
  ])('does not of %i features from %i components and %i values', (d, k, groups) => {
    expect(k).toBeLessThanOrEqual(most(d, groups));
    const found = distances(d, k, groups);
    expect(found.length).toBeGreaterThan(20);
    // Each start ends elsewhere.
    expect(Math.min(...found)).toBeGreaterThan(1e-3);
    expect(new Set(found.map((x) => x.toPrecision(4))).size).toBeGreaterThan(0.9 * found.length);
  });
});
