/**
 * Ways back from reduced rows to rows: what an attacker makes of the projection alone, and of a public sample, whose rows it can reduce itself.
 * Rows are of features on [−1, 1]. Whatever is chosen is chosen inside the public sample.
 */

import type { FlatResult } from '@eigenveil/methods';
import { reconstruct } from '@eigenveil/projection';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { times } from '../../../privacy/methods/matrix.ts';
import { meanOfRows } from '../../../recognition/alignment.ts';
import { type Example, estimator } from '../../../recognition/estimator.ts';

export type Row = readonly number[];
export type Projection = Pick<FlatResult, 'vectors' | 'mean'>;

/** A map from reduced rows to estimates of the rows. */
export type Inverse = (reduced: readonly Row[]) => readonly Row[];

/** Rows of a public sample, reduced (`input`) and as they are (`output`), by person. At least PARTS people. */
export type People = readonly (readonly Example[])[];

/** Takes of all rows that reduce to this one the closest to the mean, or to the middle of the ranges where the mean is not released. */
export function pseudoInverse(projection: Projection): Inverse {
  const k = projection.vectors.length;
  // Zero and each component alone come from these: the map is affine, and its matrix is computed once.
  const units = Array.from({ length: k + 1 }, (_, c) =>
    Array.from({ length: k }, (__, i) => (i === c - 1 ? 1 : 0)),
  );
  const [origin, ...images] = reconstruct(projection, units);
  const columns = origin!.map((start, f) => images.map((image) => image[f]! - start));
  return (reduced) => reduced.map((row) => times(columns, row).map((value, f) => value + origin![f]!));
}

/**
 * The pseudo-inverse, and what ridge regression on the sample adds to it: of what the pseudo-inverse leaves on the reduced rows in standard units.
 * The ridge is chosen on people that the regression has not seen; a large one gives the pseudo-inverse again.
 */
export const linearInverse = (projection: Projection, people: People): Inverse =>
  linearAfter(pseudoInverse(projection), people);

function linearAfter(before: Inverse, people: People): Inverse {
  const standard = standardOf(people.flat().map(({ input }) => input));
  const estimate = estimator(
    people.map((own) => {
      const found = before(own.map(({ input }) => input));
      return own.map(({ input, output }, i) => ({
        input: standard(input),
        output: output.map((value, f) => value - found[i]![f]!),
      }));
    }),
  );
  return (reduced) => {
    const found = before(reduced);
    return reduced.map((input, i) => {
      const beyond = estimate(standard(input));
      return found[i]!.map((value, f) => value + beyond[f]!);
    });
  };
}

/**
 * The best that can be said of a row that nobody has seen: by feature the estimate that is right of most rows of the sample.
 * @param tolerances by feature, how far off an estimate may be and still be right
 */
export function blindGuess(rows: readonly Row[], tolerances: Row): Row {
  const columns = tolerances.map((_, f) => rows.map((row) => row[f]!));
  return columns.map((column, f) => densest(column, tolerances[f]!));
}

/** Parts of people: what is learnt from the others is tried on each. */
const PARTS = 3;
/** Rows of each part on which ways are tried, at most. */
const TRIED = 50;
const NEIGHBOURS = [10, 30, 100, Infinity] as const;

/** A feature is said to be the linear estimate, or beyond it or in its place the densest interval of the nearest rows. */
interface Way {
  readonly linear: boolean;
  /** 0 adds nothing to the linear estimate. */
  readonly neighbours: number;
}

const WAYS: readonly Way[] = [
  { linear: true, neighbours: 0 },
  ...NEIGHBOURS.flatMap((neighbours) => [true, false].map((linear) => ({ linear, neighbours }))),
];

/** A row of the sample, with what a linear inverse that has not seen it says of it. */
interface Seen {
  readonly row: Row;
  readonly linear: Row;
}

/**
 * Says of a feature what is right, within the tolerance, of most of the nearest rows of the sample: a local regression to the mode (Lee, "Mode
 * regression", Journal of Econometrics 1989) of what rows are, or of what they are beyond their linear estimate. Which of both, and of how many
 * neighbours, is chosen by feature on people that were not seen. The blind guess and the linear inverse are among the choices, so that it does worse
 * than these by chance alone. Near is near in linear estimates: coordinates of reduced rows are as arbitrary as lengths of vectors.
 */
export function learnedInverse(projection: Projection, people: People, tolerances: Row): Inverse {
  const before = pseudoInverse(projection);
  const parts = Array.from({ length: PARTS }, (_, part) => people.filter((_own, p) => p % PARTS === part));
  const seen = parts.map((part, left) => {
    const inverse = linearAfter(before, parts.toSpliced(left, 1).flat());
    const examples = part.flat();
    const found = inverse(examples.map(({ input }) => input));
    return examples.map(({ output }, i): Seen => ({ row: output, linear: found[i]! }));
  });
  const hits = WAYS.map(() => tolerances.map(() => 0));
  for (const [left, part] of seen.entries()) {
    const say = localModes(seen.toSpliced(left, 1).flat(), tolerances);
    const step = Math.ceil(part.length / TRIED);
    for (const { row, linear } of part.filter((_, i) => i % step === 0)) {
      const said = say(linear);
      WAYS.forEach((way, w) => {
        for (let f = 0; f < row.length; f += 1)
          if (Math.abs(said(f, way) - row[f]!) <= tolerances[f]!) hits[w]![f]! += 1;
      });
    }
  }
  const chosen = tolerances.map((_, f) => {
    const counts = hits.map((counts) => counts[f]!);
    return WAYS[counts.indexOf(Math.max(...counts))]!;
  });
  const inverse = linearAfter(before, people);
  const say = localModes(seen.flat(), tolerances);
  return (reduced) =>
    inverse(reduced).map((linear) => {
      const said = say(linear);
      return chosen.map((way, f) => said(f, way));
    });
}

/** Says of a feature what each way does, given a row's linear estimate. */
function localModes(
  seen: readonly Seen[],
  tolerances: Row,
): (linear: Row) => (f: number, way: Way) => number {
  const columnsOf = (linear: boolean) =>
    tolerances.map((tolerance, f) => {
      const values = Float64Array.from(seen, (one) => one.row[f]! - (linear ? one.linear[f]! : 0));
      return { values, ofAll: densest(values, tolerance) };
    });
  const [beyond, whole] = [columnsOf(true), columnsOf(false)];
  const near = new Float64Array(seen.length);
  return (estimate) => {
    const distances = Float64Array.from(seen, ({ linear }) => squaredDistance(linear, estimate));
    const order = Uint32Array.from(seen, (_, i) => i).sort((a, b) => distances[a]! - distances[b]!);
    return (f, { linear, neighbours }) => {
      const start = linear ? estimate[f]! : 0;
      if (neighbours === 0) return start;
      const { values, ofAll } = (linear ? beyond : whole)[f]!;
      if (neighbours >= order.length) return start + ofAll;
      for (let i = 0; i < neighbours; i += 1) near[i] = values[order[i]!]!;
      return start + densest(near.subarray(0, neighbours), tolerances[f]!);
    };
  };
}

export function squaredDistance(a: Row, b: Row): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

/** The middle of the interval of twice the tolerance with most of these values in it; of several the one nearest to the median. */
export function densest(of: ArrayLike<number>, tolerance: number): number {
  const values = new Float64Array(of).sort();
  const median = values[values.length >> 1]!;
  let [most, best] = [0, median];
  for (let from = 0, to = 0; from < values.length; from += 1) {
    while (to < values.length && values[to]! <= values[from]! + 2 * tolerance) to += 1;
    const middle = (values[from]! + values[to - 1]!) / 2;
    const better =
      to - from > most || (to - from === most && Math.abs(middle - median) < Math.abs(best - median));
    if (better) [most, best] = [to - from, middle];
  }
  return best;
}

/** Means and deviations by column. */
export function momentsOf(rows: readonly Row[]) {
  const centre = meanOfRows(rows);
  const deviations = centre.map((at, i) => Math.sqrt(mean(rows.map((row) => (row[i]! - at) ** 2))));
  return { mean: centre, deviations };
}

/** Less their mean, over their deviation: lengths of a discriminant method's vectors say nothing. */
function standardOf(inputs: readonly Row[]): (input: Row) => Row {
  const { mean: centre, deviations } = momentsOf(inputs);
  return (input) => input.map((value, i) => (value - centre[i]!) / (deviations[i]! || 1));
}
