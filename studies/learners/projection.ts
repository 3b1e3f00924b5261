/** Projections before a private learner, from the statistics of a task with the noise of both servers, or exact. */
import { noisePlan, type RandomSource } from '@eigenveil/privacy';
import {
  add,
  centredScatter,
  dot,
  eigenpairs,
  scaled,
  squareOf,
  times,
  topEigenvectors,
} from '../privacy/methods/matrix.ts';
import type { Row } from '../privacy/methods/method.ts';
import {
  type Budget,
  discretised,
  partsOf,
  released,
  stageTask,
  statisticsOf,
  UNIT,
} from '../privacy/methods/stage.ts';

const MOST_COMPONENTS = 4;
/** The end of a projected feature, in deviations; numbers beyond count as it. */
const REACH = 3;

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
  { kind, classes, ...budget }: ProjectionOf,
): Components {
  const features = rows[0]!.length;
  const integers = discretised(rows);
  const members =
    kind === 'pca'
      ? [integers]
      : Array.from({ length: classes }, (_, c) => integers.filter((_row, i) => labels[i] === c));
  const task = stageTask({ features, classes: kind === 'pca' ? undefined : classes }, budget);
  const { noisy } = released(source, statisticsOf(members, features), task);
  const parts = partsOf(noisy, features);
  const R = scaled(parts.R, UNIT ** -2);
  const sums = parts.sums.map(({ V, M }) => ({ V: V.map((x) => x / UNIT), M })).filter(({ M }) => M >= 1);
  const Q = sums.reduce((sum, { M }) => sum + M, 0) || 1;
  const V = sums.reduce<Row>(
    (total, sum) => total.map((x, i) => x + sum.V[i]!),
    new Array<number>(features).fill(0),
  );
  const total = centredScatter(R, V, Q);
  const noiseOfR = budget.epsilon === Infinity ? 0 : noisePlan(task).deviations.R / UNIT ** 2;
  const components =
    kind === 'pca'
      ? topEigenvectors(total, Math.min(MOST_COMPONENTS, features - 1))
      : discriminants(
          sums.reduce((S, { V: sum, M }) => centredScatter(S, sum, M), R),
          total,
          // About what noise of that deviation adds to an eigenvalue, and a hundredth of a row's length at least.
          Math.max(Q / 100, 2 * noiseOfR * Math.sqrt(features)),
        ).slice(0, Math.min(MOST_COMPONENTS, classes - 1));
  const scales = components.map((w) => {
    const variance = dot(w, times(total, w)) / Q;
    return { w, deviation: Math.sqrt(Math.min(1, Math.max(1e-4, variance))) };
  });
  return { scales, mean: V.map((x) => x / Q) };
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

/** Unit vectors that discriminate S̄ from S_W + ρI; eigenvalues of S_W that noise made negative count as 0. */
function discriminants(within: readonly Row[], total: readonly Row[], ridge: number): number[][] {
  const d = within.length;
  const whitening = eigenpairs(within)
    .map(({ value, vector }) => {
      const factor = 1 / Math.sqrt(Math.max(0, value) + ridge);
      return squareOf(d, (i, j) => factor * vector[i]! * vector[j]!);
    })
    .reduce(add);
  const turned = whitening.map((row) => times(total, row));
  const product = squareOf(d, (i, j) => turned[i]!.reduce((sum, x, l) => sum + x * whitening[l]![j]!, 0));
  return eigenpairs(squareOf(d, (i, j) => (product[i]![j]! + product[j]![i]!) / 2)).map(({ vector }) => {
    const w = times(whitening, vector);
    const length = Math.hypot(...w);
    return w.map((x) => x / length);
  });
}
