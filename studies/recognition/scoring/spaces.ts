/** Spaces in which windows are compared: raw rows with two classical distances, and projections with the scores of the service. */

import { makeTemplate, type ScoreKind, Scorer } from '@eigenveil/authentication';
import { generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { deviationsOf, manhattan, scaledManhattan, scaleOf } from '@eigenveil/testbed/recognition/manhattan';
import {
  add,
  centredScatter,
  orthonormal,
  secondMoment,
  squareOf,
  sumOfRows,
  times,
} from '../../privacy/methods/matrix.ts';
import { RealDraws } from '../../privacy/random/real.ts';
import { dot } from '../alignment.ts';
import type { Row } from '../people.ts';
import type { SpaceSetting } from './settings.ts';

/** A user's template, ready to compare with. */
export interface Enrolled {
  /** The user's own unit: about the distance that their own windows have. */
  readonly unit: number;
  /** The distance of a window in that unit. */
  distance(window: Float64Array): number;
  /** The score as serviceScore says; undefined of rows that are not reduced. */
  readonly score?: (window: Float64Array) => number;
}

/** The logarithm of a score of the service: in the same order, and means over windows do not hang on one that is far off. */
export const serviceScore = (scorer: Scorer, window: Float64Array): number => Math.log(scorer.score(window));

export interface Space {
  /** Returns a prepared row as the service sees it, without the frame. */
  window(row: Row): Float64Array;
  enrol(windows: readonly Float64Array[]): Enrolled;
  /** Squared distance from everyone's mean over what it is on average for those whom the space was learnt from. */
  remoteness(window: Float64Array): number;
}

/** k × d and the mean of all rows; a window is (x − mean) by it. */
export interface Projection {
  readonly vectors: readonly Row[];
  readonly mean: Row;
}

/** Learns a space from prepared rows by person: the only rows that it depends on. */
export function learnSpace(setting: SpaceSetting, people: readonly (readonly Row[])[], seed = 0): Space {
  return setting.method === 'manhattan'
    ? manhattanSpace(people, setting.ridge)
    : projected(projectionOf(setting, people, seed), setting.score, people);
}

/** The space of a projection that is given, with the scores of the service. */
export function projected(
  { vectors, mean }: Projection,
  score: ScoreKind,
  people: readonly (readonly Row[])[],
): Space {
  const matrix = vectors.map((vector) => Float64Array.from(vector));
  const window = (row: Row): Float64Array =>
    Float64Array.from(matrix, (vector) => {
      let sum = 0;
      for (let i = 0; i < vector.length; i += 1) sum += vector[i]! * (row[i]! - mean[i]!);
      return sum;
    });
  const typical = meanOf(people.flat().map((row) => squaredLength(window(row))));
  return {
    window,
    enrol: (windows) => {
      const template = makeTemplate(windows);
      const scorer = new Scorer(template, score);
      const unit = score === 'euclidean' ? scorer.expected : new Scorer(template, 'euclidean').expected;
      return { unit, distance: (it) => scorer.distance(it), score: (it) => serviceScore(scorer, it) };
    },
    remoteness: (it) => squaredLength(it) / typical,
  };
}

/** Scatter of rows about their mean, and between people. */
interface Scatter {
  readonly total: number[][];
  readonly between: number[][];
  readonly mean: Row;
  readonly rows: number;
}

/** By the rows, which are learnt from once however many settings ask for it. */
const scatters = new WeakMap<readonly (readonly Row[])[], Scatter>();
const decomposed = new WeakMap<readonly (readonly Row[])[], Map<string, readonly Row[]>>();

function scatterOf(people: readonly (readonly Row[])[]): Scatter {
  const known = scatters.get(people);
  if (known !== undefined) return known;
  const rows = people.flat();
  const d = rows[0]!.length;
  const [R, V] = [secondMoment(rows, d), sumOfRows(rows, d)];
  const total = centredScatter(R, V, rows.length);
  const within = people.reduce((S, own) => centredScatter(S, sumOfRows(own, d), own.length), R);
  const between = squareOf(d, (i, j) => total[i]![j]! - within[i]![j]!);
  const scatter = { total, between, mean: V.map((x) => x / rows.length), rows: rows.length };
  scatters.set(people, scatter);
  return scatter;
}

/** Projections in the clear, as tasks define them: of undivided scatter, vectors of length 1. */
export function projectionOf(
  setting: Omit<SpaceSetting, 'score'>,
  people: readonly (readonly Row[])[],
  seed = 0,
): Projection {
  const { method, ridge, whitened, components } = setting;
  const byRows = decomposed.get(people) ?? new Map<string, readonly Row[]>();
  decomposed.set(people, byRows);
  const key = `${method} ${ridge} ${whitened} ${method === 'random' ? `${seed} ${components}` : ''}`;
  const all = byRows.get(key) ?? allVectors(setting, scatterOf(people), seed);
  byRows.set(key, all);
  return { vectors: all.slice(0, components), mean: scatterOf(people).mean };
}

function allVectors(
  { method, ridge, whitened, components }: Omit<SpaceSetting, 'score'>,
  { total, between, mean, rows }: Scatter,
  seed: number,
): readonly Row[] {
  const d = mean.length;
  const withRidge = (matrix: number[][]) =>
    add(
      matrix,
      squareOf(d, (i, j) => (i === j ? ridge : 0)),
    );
  const within = () => squareOf(d, (i, j) => total[i]![j]! - between[i]![j]!);
  switch (method) {
    case 'pca': {
      const { values, vectors } = symmetricEigen(total);
      return whitened
        ? vectors.map((vector, i) => scaledBy(vector, 1 / Math.sqrt(Math.max(values[i]! / rows, 1e-9))))
        : vectors;
    }
    case 'dca': {
      const B = withRidge(total);
      const { values, vectors } = generalisedEigen(between, B);
      // wᵀ(S_W + ρI)w = (1 − λ) wᵀBw.
      return whitened
        ? vectors.map((vector, i) => {
            const within = (1 - values[i]!) * dot(vector, times(B, vector));
            return scaledBy(vector, Math.sqrt(rows / within));
          })
        : vectors;
    }
    case 'lda':
      return generalisedEigen(between, withRidge(within())).vectors;
    case 'mahalanobis': {
      // Rows of B^(−1/2) up to a rotation: lengths are Mahalanobis distances by the pooled covariance within people.
      const { values, vectors } = symmetricEigen(withRidge(within()));
      return vectors.map((vector, i) => scaledBy(vector, Math.sqrt(rows / values[i]!)));
    }
    case 'random': {
      const draws = new RealDraws(predictableRandomness(`random projection ${seed}`));
      return orthonormal(
        Array.from({ length: components }, () => Array.from({ length: d }, () => draws.normal())),
      );
    }
    case 'manhattan':
      throw new Error('Manhattan distances take rows as they are');
  }
}

const scaledBy = (vector: Row, factor: number): number[] => vector.map((x) => x * factor);

/** Scaled Manhattan distance, the user's own deviations mixed with everyone's. */
function manhattanSpace(people: readonly (readonly Row[])[], share: number): Space {
  const { mean } = scatterOf(people);
  const deviations = people.map((own) => deviationsOf(own));
  const pooled = mean.map((_, i) => meanOf(deviations.map((own) => own[i]!)));
  const everyone = scaleOf(pooled);
  const typical = meanOf(people.flat().map((row) => manhattan(row, mean, everyone) ** 2));
  return {
    window: (row) => Float64Array.from(row),
    enrol: (windows) => {
      const mixed = (own: number, i: number) => (1 - share) * own + share * pooled[i]!;
      const { unit, score: distance } = scaledManhattan(windows, mixed);
      return { unit, distance };
    },
    remoteness: (window) => manhattan(window, mean, everyone) ** 2 / typical,
  };
}

function squaredLength(window: Float64Array): number {
  let sum = 0;
  for (const entry of window) sum += entry * entry;
  return sum;
}
