/** One split of faces at one size: PCA and DCA on its components, exact, by a sketch in the clear, and through the services. */

import { sketchEigen } from '@eigenveil/projection';
import { sketchMatrix } from '@eigenveil/statistics';
import { dcaComponents } from '../components.ts';
import { type FaceSetName, loadFaces } from '../faces.ts';
import { dot, gramOf, type Matrix, type Span, spanOf } from '../span.ts';
import { accuracyOf, ITERATIONS, RIDGE, SIGNAL_RIDGE, solveGrids, toldOf, trialOf } from '../trials.ts';
import { HALF_RANGE } from './services.ts';

/** The same faces with fewer pixels: means of square blocks, rounded to grey levels. */
export function shrunk(rows: readonly Float64Array[], side: number): readonly Float64Array[] {
  const from = Math.sqrt(rows[0]!.length);
  const block = from / side;
  if (!Number.isInteger(block)) throw new RangeError(`"side" expected a divisor of ${from}, got ${side}`);
  return rows.map((row) =>
    Float64Array.from({ length: side ** 2 }, (_, at) => {
      const [x, y] = [block * (at % side), block * Math.floor(at / side)];
      let sum = 0;
      for (let i = 0; i < block; i += 1)
        for (let j = 0; j < block; j += 1) sum += row[(y + i) * from + x + j]!;
      return Math.round(sum / block ** 2);
    }),
  );
}

/** A set at one size with a split of the study, the same one at every size. */
export interface SizedSplit {
  readonly rows: readonly Float64Array[];
  readonly labels: readonly number[];
  readonly train: readonly number[];
  readonly test: readonly number[];
  /** The folds of training rows, in their order. */
  readonly folds: readonly number[];
}

export async function sizedSplit(set: FaceSetName, side: number, number: number): Promise<SizedSplit> {
  const faces = await loadFaces(set);
  const { split, folds, labels } = trialOf(faces, toldOf(faces), 'random', number);
  return { rows: shrunk(faces.rows, side), labels, folds, ...split };
}

/** Exact PCA of the training rows: all rows in k components, centred. */
export function exactPca({ rows, train }: Pick<SizedSplit, 'rows' | 'train'>, components: number): Matrix {
  const span = spanOf(gramOf(rows), train);
  return span.coordinates.map((row) => row.slice(0, components).map((value, a) => value - span.centre[a]!));
}

/** PCA of a sketch of the training rows by the clear reference, in the same way. */
export function sketchedPca(
  { rows, train }: Pick<SizedSplit, 'rows' | 'train'>,
  {
    components,
    columns,
    seed,
  }: { readonly components: number; readonly columns: number; readonly seed: Uint8Array },
): Matrix {
  const d = rows[0]!.length;
  const mean = new Float64Array(d);
  for (const row of train) for (let i = 0; i < d; i += 1) mean[i]! += rows[row]![i]! / train.length;
  const centred = rows.map((row) => row.map((grey, i) => (grey - mean[i]!) / HALF_RANGE));
  const features = Array.from({ length: d }, (_, i) => ({ name: `${i}`, min: 0, max: 255 }));
  const signs = sketchMatrix(seed, { features, sketch: { columns } });
  const sums = Array.from({ length: columns }, () => new Float64Array(d));
  for (const row of train) {
    const cells = centred[row]!;
    const products = new Float64Array(columns);
    for (let i = 0; i < d; i += 1)
      for (let a = 0; a < columns; a += 1) products[a]! += cells[i]! * signs[i * columns + a]!;
    for (let a = 0; a < columns; a += 1)
      for (let i = 0; i < d; i += 1) sums[a]![i]! += products[a]! * cells[i]!;
  }
  const { vectors } = sketchEigen({ columns: sums.map((column) => [...column]), signs });
  const kept = vectors.slice(0, components);
  return centred.map((row) => kept.map((vector) => HALF_RANGE * dot(vector, row)));
}

type Labelled = Pick<SizedSplit, 'labels' | 'train'>;

/** DCA of the study within the span of given reduced rows: its leading components, of its lengths. */
export function dcaOfReduced(
  reduced: Matrix,
  { labels, train }: Labelled,
  components: number,
  signalRidge = SIGNAL_RIDGE,
): Matrix {
  return dcaRows(
    spanOf(gramOf(reduced.map((row) => Float64Array.from(row))), train),
    { labels, train },
    { components, signalRidge },
  );
}

/** The study's DCA on pixels. */
export function dcaOfPixels({ rows, labels, train }: SizedSplit, components: number): Matrix {
  return dcaRows(spanOf(gramOf(rows), train), { labels, train }, { components, signalRidge: SIGNAL_RIDGE });
}

function dcaRows(
  span: Span,
  { labels, train }: Labelled,
  { components, signalRidge }: { readonly components: number; readonly signalRidge: number },
): Matrix {
  const ridges = { ridge: RIDGE, signalRidge };
  const vectors = dcaComponents(span, train, labels, ridges).vectors.slice(0, components);
  return span.coordinates.map((row) => {
    const centred = row.map((value, a) => value - span.centre[a]!);
    return vectors.map((vector) => dot(vector, centred));
  });
}

/** Columns that a vector w of length 1 gives, brought to the lengths that the study's have: wᵀ(S_W + ρI)w = 1. */
export function asInStudy(reduced: Matrix, { labels, train }: Labelled): Matrix {
  const classes = [...Map.groupBy(train, (row) => labels[row]!).values()];
  const lengths = reduced[0]!.map((_, c) => {
    const within = classes.reduce((sum, rows) => {
      const mean = rows.reduce((total, row) => total + reduced[row]![c]!, 0) / rows.length;
      return sum + rows.reduce((total, row) => total + (reduced[row]![c]! - mean) ** 2, 0);
    }, 0);
    return Math.sqrt(within + RIDGE);
  });
  return reduced.map((row) => row.map((value, c) => value / lengths[c]!));
}

/** Largest difference between reduced rows whose columns may have other signs, over the largest entry. */
export function differenceOf(one: Matrix, other: Matrix): number {
  const width = Math.min(one[0]!.length, other[0]!.length);
  let [largest, difference] = [0, 0];
  for (let c = 0; c < width; c += 1) {
    const product = one.reduce((sum, row, i) => sum + row[c]! * other[i]![c]!, 0);
    const sign = product < 0 ? -1 : 1;
    for (const [i, row] of one.entries()) {
      largest = Math.max(largest, Math.abs(row[c]!));
      difference = Math.max(difference, Math.abs(row[c]! - sign * other[i]![c]!));
    }
  }
  return difference / largest;
}

export interface Arm {
  readonly reduced: Matrix;
  readonly dimensions: readonly number[];
}

/** Accuracy in percent of the study's machine on the first components of each arm, by their number; numbers of components that it has not are left out. */
export async function accuracies(
  { labels, train, test, folds }: SizedSplit,
  arms: readonly Arm[],
): Promise<readonly ReadonlyMap<number, number>[]> {
  const searches = arms.flatMap((arm) =>
    arm.dimensions.filter((k) => k <= arm.reduced[0]!.length).map((k) => ({ arm, k })),
  );
  const flat = (reduced: Matrix, rows: readonly number[], k: number) =>
    Float64Array.from(rows.flatMap((row) => reduced[row]!.slice(0, k)));
  const outcomes = await solveGrids(
    searches.map(({ arm: { reduced }, k }) => ({
      train: flat(reduced, train, k),
      test: flat(reduced, test, k),
      width: k,
      labels: train.map((row) => labels[row]!),
      folds,
      iterations: ITERATIONS,
      apart: [new Float64Array(test.length)],
    })),
  );
  const found = searches.map(({ arm, k }, s) => ({
    arm,
    k,
    percent: accuracyOf(outcomes[s]!.predicted[0]!, test, labels),
  }));
  return arms.map(
    (arm) => new Map(found.filter((one) => one.arm === arm).map(({ k, percent }) => [k, percent])),
  );
}
