/** Projections before a private learner, from the statistics of a task with the noise of both servers, or exact. */
import { CLASS_WEIGHTS, SCATTER_WEIGHTS } from '@eigenveil/methods';
import { noisePlan, type RandomSource, type StageTask, sampleNoise } from '@eigenveil/privacy';
import type { Row } from '../privacy/methods/index.ts';
import {
  add,
  centredScatter,
  eigenpairs,
  fromUpperTriangle,
  scaled,
  secondMoment,
  squareOf,
  sumOfRows,
  times,
  upperTriangle,
} from '../privacy/methods/matrix.ts';

const MOST_COMPONENTS = 4;
const FRACTION_BITS = 16;
const UNIT = 2 ** FRACTION_BITS;
/** Of a projected feature, in deviations; what lies beyond counts as its end. */
const REACH = 3;

export interface Budget {
  readonly epsilon: number;
  readonly dpDelta: number;
}

interface ProjectionOf extends Budget {
  readonly kind: 'pca' | 'dca';
  readonly classes: number;
}

/** Components, the mean of the rows, and their deviation along each component: as far as noise lets them be known. */
interface Components {
  readonly scales: readonly { readonly w: readonly number[]; readonly deviation: number }[];
  readonly mean: readonly number[];
}

/** Components from the statistics of a task, with the noise of both servers, or exact for ε = Infinity; mean and deviations of the same statistics. */
export function privateComponents(
  source: RandomSource,
  rows: readonly Row[],
  labels: readonly number[],
  of: ProjectionOf,
): Components {
  const d = rows[0]!.length;
  const members = of.kind === 'pca' ? 1 : of.classes;
  const integers = rows.map((row) => row.map((x) => Math.trunc(x * UNIT) + 0));
  const task = taskOf(d, members, of);
  const exact = [
    ...upperTriangle(secondMoment(integers, d)),
    ...Array.from({ length: members }, (_, c) => {
      const own = of.kind === 'pca' ? integers : integers.filter((_row, i) => labels[i] === c);
      return [...sumOfRows(own, d), own.length];
    }).flat(),
  ];
  const plan = of.epsilon === Infinity ? undefined : noisePlan(task);
  const noises = plan === undefined ? [] : [sampleNoise(source, task, plan), sampleNoise(source, task, plan)];
  const noisy = exact.map((value, i) => noises.reduce((sum, noise) => sum + Number(noise[i]!), value));
  const triangle = (d * (d + 1)) / 2;
  const R = scaled(fromUpperTriangle(noisy.slice(0, triangle), d), UNIT ** -2);
  const sums = Array.from({ length: members }, (_, c) => {
    const at = triangle + c * (d + 1);
    return { V: noisy.slice(at, at + d).map((x) => x / UNIT), M: noisy[at + d]! };
  }).filter(({ M }) => M >= 1);
  const Q = Math.max(
    1,
    sums.reduce((sum, { M }) => sum + M, 0),
  );
  const V = sums.reduce((total, sum) => total.map((x, i) => x + sum.V[i]!), new Array<number>(d).fill(0));
  const total = centredScatter(R, V, Q);
  const noiseOfR = plan === undefined ? 0 : plan.deviations.R / UNIT ** 2;
  const components =
    of.kind === 'pca'
      ? eigenpairs(total)
          .slice(0, Math.min(MOST_COMPONENTS, d - 1))
          .map(({ vector }) => vector)
      : discriminants(
          sums.reduce((S, { V: sum, M }) => centredScatter(S, sum, M), R),
          total,
          // About what noise of that deviation adds to an eigenvalue, and a hundredth of a row's length at least.
          Math.max(Q / 100, 2 * noiseOfR * Math.sqrt(d)),
        ).slice(0, Math.min(MOST_COMPONENTS, of.classes - 1));
  const mean = V.map((x) => x / Q);
  const scales = components.map((w) => {
    const variance = w.reduce((sum, x, i) => sum + x * times(total, w)[i]!, 0) / Q;
    return { w, deviation: Math.sqrt(Math.min(1, Math.max(1e-4, variance))) };
  });
  return { scales, mean };
}

/** Rows along these components, so that three deviations become 1. */
export function projection(
  source: RandomSource,
  rows: readonly Row[],
  labels: readonly number[],
  of: ProjectionOf,
): (row: Row) => number[] {
  const { scales, mean } = privateComponents(source, rows, labels, of);
  return (row) =>
    scales.map(({ w, deviation }) => {
      const along = w.reduce((sum, x, i) => sum + x * (row[i]! - mean[i]!), 0);
      return Math.min(1, Math.max(-1, along / (REACH * deviation)));
    });
}

/** Of S̄ against S_W + ρI, unit vectors; what noise made negative in S_W counts as 0. */
function discriminants(
  within: readonly (readonly number[])[],
  total: readonly (readonly number[])[],
  ridge: number,
): number[][] {
  const d = within.length;
  const roots = eigenpairs(within).map(({ value, vector }) => ({
    factor: 1 / Math.sqrt(Math.max(0, value) + ridge),
    vector,
  }));
  const whitening = roots.reduce(
    (sum, { factor, vector }) =>
      add(
        sum,
        squareOf(d, (i, j) => factor * vector[i]! * vector[j]!),
      ),
    squareOf(d, () => 0),
  );
  const turned = whitening.map((row) => times(total, row));
  const product = squareOf(d, (i, j) => turned[i]!.reduce((sum, x, l) => sum + x * whitening[l]![j]!, 0));
  return eigenpairs(squareOf(d, (i, j) => (product[i]![j]! + product[j]![i]!) / 2)).map(({ vector }) => {
    const w = times(whitening, vector);
    const length = Math.hypot(...w);
    return w.map((x) => x / length);
  });
}

function taskOf(features: number, classes: number, of: Budget & { readonly kind: 'pca' | 'dca' }): StageTask {
  return {
    weights: of.kind === 'pca' ? SCATTER_WEIGHTS : CLASS_WEIGHTS,
    collectsR: true,
    features,
    classes: [classes],
    fractionBits: FRACTION_BITS,
    maximumOwners: 1,
    setting: {
      epsilon: of.epsilon,
      delta: of.dpDelta,
      neighbours: 'add-remove',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}
