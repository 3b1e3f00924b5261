/**
 * The attacks that the literature has on rotation perturbation, which publishes every row behind one secret rotation: known rows and known samples (Liu,
 * Giannella, Kargupta, "An attacker's view of distance preserving maps for privacy preserving data mining", PKDD 2006), and independent components (Guo, Wu,
 * "Deriving private information from arbitrarily projected data", PAKDD 2007). Each is run on rotated rows, where it must succeed, and on what the data user
 * sees here, where it must find nothing: docs/related-work.md.
 */
import { symmetricEigen } from '@eigenveil/projection';
import { generator, normal } from '@eigenveil/testbed/random';
import {
  type Doubles,
  type Drawer,
  doubles,
  drawSecrets,
  FAULTS,
  honest,
  KS_LIMIT,
  opened,
  seededBits,
  smirnov,
  symmetricMatrix,
  times,
  transposed,
} from '@eigenveil/two-party/insides';
import { describe, expect, it } from 'vitest';
import { independentDirections } from './fast-ica.ts';
import { diagonal, distance, inner, inverse, orthogonal, whole } from './instances.ts';
import { scatterOf } from './scatters.ts';

const d = 4;

/** Independent features of mean 0 and such deviations, exponential and so not normal. */
function independent(count: number, seed: number, deviations: readonly number[]): number[][] {
  const next = generator(seed);
  for (let i = 0; i < 20; i += 1) next();
  return Array.from({ length: count }, () => deviations.map((s) => s * (-Math.log(next()) - 1)));
}

const P = orthogonal(d, 31);
const rotate = (rows: Doubles) => times(rows, transposed(P));

/** What the data user has of these rows: M of a fresh rotation, which is given, too. */
function shown(rows: Doubles, seed: string) {
  const { T, parameters } = scatterOf(rows);
  const secrets = drawSecrets(parameters, 1, seededBits(seed));
  const scale = 2 ** parameters.rotationBits;
  return { T: doubles(T, 1), M: opened(T, secrets, parameters), P: doubles(secrets.rotation, scale) };
}

describe('an attacker who knows some rows', () => {
  const rows = independent(500, 7, [0.1, 0.08, 0.05, 0.03]);
  const known = rows.slice(0, d);

  /** The rotation, from the published row that is nearest in length to each that is known: X Pᵀ = Y by least squares, as its transpose. */
  function turnBack(published: Doubles): number[][] {
    const found = known.map((row) => {
      const off = (other: readonly number[]) => Math.abs(Math.hypot(...other) - Math.hypot(...row));
      return published.reduce((best, other) => (off(other) < off(best) ? other : best));
    });
    const square = times(transposed(known), known);
    return transposed(times(times(inverse(square), transposed(known)), found));
  }

  it('finds them by their lengths among rotated rows, and with them the rotation and all others', () => {
    const published = rotate(rows.toReversed());
    expect(distance(times(published, turnBack(published)), rows.toReversed())).toBeLessThan(1e-9);
  });

  it('finds in M nothing that would tell matrices of equal spectra apart, which may both be of these rows', () => {
    const { T, parameters } = scatterOf(rows);
    const Q = orthogonal(d, 37);
    const others = whole(times(times(Q, doubles(T, 1)), transposed(Q)));
    const unit = 4 ** 14 * rows.length; // of T, in squares of rows
    expect(Math.abs(Number(others[0]![0]! - T[0]![0]!)) / unit).toBeGreaterThan(0.5);
    const upper = others.flatMap((row, i) => row.slice(i));
    /** What it would take for the first entry of T, of either matrix. */
    const told = (draw: Drawer) =>
      [T, symmetricMatrix(upper, d)].map((matrix, side) => {
        const random = seededBits(`known rows ${side}`);
        return Array.from({ length: 100 }, () => {
          const M = opened(matrix, draw(parameters, random, undefined), parameters).map((row) =>
            row.map((x) => x / unit),
          );
          const guess = turnBack(M);
          return times(times(transposed(guess), M), guess)[0]![0]!;
        });
      }) as [number[], number[]];
    expect(smirnov(...told(honest))).toBeLessThan(KS_LIMIT);
    expect(smirnov(...told(FAULTS['no rotation']!))).toBeGreaterThan(KS_LIMIT);
  });
});

describe('an attacker who has a sample of the same distribution', () => {
  const mixing = orthogonal(d, 33);
  const rowsOf = (count: number, seed: number) =>
    times(independent(count, seed, [0.1, 0.07, 0.05, 0.03]), mixing);
  const rows = rowsOf(2000, 41);
  const sample = rowsOf(2000, 43);
  const directionsOf = (of: Doubles) => symmetricEigen(doubles(scatterOf(of).T, 1));

  it('turns rotated rows back by principal directions, whose signs third moments tell', () => {
    const published = rotate(rows);
    const skewness = (of: Doubles, v: readonly number[]) =>
      of.reduce((sum, row) => sum + inner(row, v) ** 3, 0);
    const [theirs, own] = [directionsOf(published).vectors, directionsOf(sample).vectors];
    const signed = theirs.map((v, i) => {
      const sign = Math.sign(skewness(published, v) * skewness(sample, own[i]!));
      return v.map((x) => sign * x);
    });
    // P̂ = W S V̂ᵀ, and rows of the original are those of Y P̂.
    const guess = times(transposed(signed), own);
    expect(distance(times(published, guess), rows)).toBeLessThan(0.15);
    const unsigned = times(transposed(theirs.map((v, i) => (i === 0 ? v : v.map((x) => -x)))), own);
    expect(distance(times(published, unsigned), rows)).toBeGreaterThan(0.5);
  });

  it('turns M back to its own guess of the directions and the spectrum, whatever the rotation', () => {
    const own = directionsOf(sample).vectors;
    const guesses = ['one', 'another'].map((seed) => {
      const { T, M } = shown(rows, seed);
      const { values, vectors } = symmetricEigen(M);
      const rotation = times(transposed(vectors), own);
      const back = times(times(transposed(rotation), M), rotation);
      const before = times(times(transposed(own), diagonal(values)), own);
      expect(distance(back, before)).toBeLessThan(1e-12);
      return distance(back, T);
    });
    // No better than the sample was.
    expect(Math.abs(guesses[0]! - guesses[1]!)).toBeLessThan(1e-8);
    expect(guesses[0]!).toBeGreaterThan(1e-3);
  });
});

describe('an attacker who separates independent components', () => {
  const equal = [0.1, 0.1, 0.1, 0.1];
  const rows = independent(2000, 51, equal);

  /** How near the found directions are to those of the features: 1 where each is one of them. */
  const alignment = (found: Doubles, features: Doubles) =>
    features.reduce((sum, p) => sum + Math.max(...found.map((v) => Math.abs(inner(v, p)))) / d, 0);

  it('finds the features’ directions in rotated rows', () => {
    expect(alignment(independentDirections(rotate(rows)), transposed(P))).toBeGreaterThan(0.99);
  });

  it('finds in M no more than by chance, nor in rows that are made of M', () => {
    const next = generator(53);
    const some = rows.slice(0, 200);
    const runs = 30;
    const found: Record<'M' | 'made' | 'chance', number[]> = { M: [], made: [], chance: [] };
    for (let run = 0; run < runs; run += 1) {
      const { M, P: rotation } = shown(some, `components ${run}`);
      const { values, vectors } = symmetricEigen(M);
      // All that M tells of rows is their second moments, so that normal ones are as good as any.
      const made = Array.from({ length: 200 }, () => {
        const z = values.map((value) => Math.sqrt(value) * normal(next));
        return times([z], vectors)[0]!;
      });
      const features = transposed(rotation);
      // M has no more rows than columns, and its mean taken off one less: itself and its negative are centred.
      const itself = [...M, ...M.map((row) => row.map((x) => -x))];
      found.M.push(alignment(independentDirections(itself), features));
      found.made.push(alignment(independentDirections(made), features));
      found.chance.push(alignment(orthogonal(d, 1000 + run), features));
    }
    expect(smirnov(found.made, found.chance)).toBeLessThan(KS_LIMIT);
    expect(smirnov(found.M, found.chance)).toBeLessThan(KS_LIMIT);
    // The same test tells what the attack finds in rows from chance.
    const control = alignment(independentDirections(rotate(some)), transposed(P));
    expect(smirnov(new Array<number>(runs).fill(control), found.chance)).toBeGreaterThan(KS_LIMIT);
  });
});
