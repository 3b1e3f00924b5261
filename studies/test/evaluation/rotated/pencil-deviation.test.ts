/**
 * What a data user that deviates has from a pencil: it puts a matrix of its own, Z, in the place of the class means, and eigenvectors of M in the place of
 * the answer's directions. docs/arguments/rotated-pencils.md has the count; this has the attack, where the task must be refused and where not.
 */
import { methodOf } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { dca, drawPencilSecrets, seededBits, times, transposed } from '@eigenveil/two-party/insides';
import { describe, expect, it } from 'vitest';
import { instance, inverse, orthogonal, sizes } from './instances.ts';
import { pencilView } from './pencil-views.ts';
import { distancesOfCandidates } from './unknown-angles.ts';

const UNIT = 2 ** 40;

/** What it has seen: the spectrum, k of the eigenvectors, and singular values of C₁PZ, squared; and the matrix itself, to compare. */
function seen(d: number, k: number, groups: number) {
  const parameters = sizes(d, groups, k);
  const spectrum = Array.from({ length: d }, (_, i) => (1 + 2 * (d - 1 - i)) * UNIT);
  const { T } = instance(spectrum, orthogonal(d, 17), [0.5], orthogonal(d, 18), [[1]]);
  const next = generator(19);
  const Z = T.map(() => Array.from({ length: groups }, () => (next() - 0.5) * 2 ** 20));
  const secrets = drawPencilSecrets(parameters, seededBits('own matrices'));
  const { M, values: nu } = pencilView(T, Z, secrets, parameters);
  const { values, vectors } = symmetricEigen(M);
  const P = secrets.rotation.map((row) => row.map((x) => Number(x) * 2 ** -parameters.rotationBits));
  const B = T.map((row) => row.map(Number));
  return { B, Z, nu: nu.slice(0, Math.min(d, groups)), values, known: times(vectors.slice(0, k), P) };
}

function distances(d: number, k: number, groups: number): number[] {
  const { B, Z, nu, values, known } = seen(d, k, groups);
  return distancesOfCandidates({ matrix: B, values, known }, (guess) => {
    const own = symmetricEigen(times(times(transposed(Z), inverse(guess)), Z)).values;
    return nu.map((value, i) => own[i]! / value - 1);
  });
}

describe('a data user that puts matrices of its own in the place of its shares', () => {
  /** Components with so many features and classes, without `allowFullRank`. */
  const most = (d: number, groups: number) =>
    methodOf({ method: dca(0.1) }).mostRotatedComponents({ classCounts: [groups + 1], twoValued: 0 }, d);

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
