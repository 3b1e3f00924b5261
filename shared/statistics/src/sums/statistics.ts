/**
 * Statistics of rows as exact integers, their one order as a flat vector, and the place of each value in
 * packed plaintexts.
 */

import { makePacking, type Packing } from '@eigenveil/paillier/owner';
import { CodedError, type IntegerList } from '@eigenveil/platform';
import {
  computedValues,
  floorOf,
  placesOf,
  type Span,
  type StatisticsTask,
  valueBitsOf,
} from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';

/** The sum V of the rows x of one class and their number M; x in units of 2^-fractionBits. */
export interface ClassSums {
  readonly V: readonly bigint[];
  readonly M: bigint;
}

export interface Statistics {
  /**
   * Upper triangle of the sum of x xᵀ in units of 2^(-2 fractionBits), row by row (i <= j); empty for MDR and
   * for a sketch.
   */
  readonly R: readonly bigint[];
  /**
   * The sum of x (xᵀΩ), which a sketch alone has, in the same units, row by row: per feature one value for
   * each column of Ω.
   */
  readonly Y?: readonly bigint[];
  /**
   * The counts of each histogram's bins, and then how many cells are no number; histograms alone have them.
   */
  readonly counts?: readonly bigint[];
  /**
   * The sums for each labelling and class; PCA has one labelling with one class that holds all rows, a
   * histogram none.
   */
  readonly labellings: readonly (readonly ClassSums[])[];
  /** The number of owners whose statistics these are; 1 in a contribution. */
  readonly owners: bigint;
  /**
   * V once more, per labelling and class, with noise of its own, in units of 2^-sumFractionBits: of what
   * servers compute with under a floor, whose fraction bits R and V have then. Released means and S_B are
   * made of these.
   */
  readonly noisedSums?: readonly (readonly (readonly bigint[])[])[];
}

type Shape = Pick<StatisticsTask, 'method' | 'features' | 'labellings' | 'sketch'>;

/**
 * R, Y or counts, then per labelling and class V and M, then the number of owners.
 * @throws ERR_STATISTICS_LENGTH when the statistics do not have the task's shape
 */
export function flatten(task: Shape, statistics: Statistics): bigint[] {
  const { R, Y, counts: bins, labellings } = placesOf(task);
  const { Y: sketch = [], counts = [] } = statistics;
  const fits = (values: readonly bigint[], { from, to }: Span) => values.length === to - from;
  if (
    !fits(statistics.R, R) ||
    !fits(sketch, Y) ||
    !fits(counts, bins) ||
    statistics.labellings.length !== labellings.length ||
    statistics.labellings.some(
      (sums, l) =>
        sums.length !== labellings[l]!.length || sums.some(({ V }, k) => !fits(V, labellings[l]![k]!.V)),
    )
  ) {
    throw new CodedError(
      STATISTICS_CODES.ERR_STATISTICS_LENGTH,
      '"statistics" expected the shape of the task, got another',
    );
  }
  const sums = statistics.labellings.flat().flatMap(({ V, M }) => [...V, M]);
  return [...statistics.R, ...sketch, ...counts, ...sums, statistics.owners];
}

/**
 * Reverses `flatten`.
 * @throws ERR_STATISTICS_LENGTH
 */
export function unflatten(task: Shape, values: IntegerList): Statistics {
  const { R, Y, counts, labellings, owners, length } = placesOf(task);
  if (values.length !== length) {
    throw new CodedError(
      STATISTICS_CODES.ERR_STATISTICS_LENGTH,
      `"values" expected ${length} integers, got ${values.length}`,
    );
  }
  const at = ({ from, to }: Span) => [...values.slice(from, to)];
  return {
    R: at(R),
    ...(Y.from < Y.to && { Y: at(Y) }),
    ...(counts.from < counts.to && { counts: at(counts) }),
    labellings: labellings.map((classes) =>
      classes.map(({ V, M }): ClassSums => ({ V: at(V), M: values.at(M.from)! })),
    ),
    owners: values.at(owners.from)!,
  };
}

/**
 * Reverses `computedValues`: with `noisedSums` where the task has a floor.
 * @throws ERR_STATISTICS_LENGTH
 */
export function unflattenComputed(task: StatisticsTask, values: IntegerList): Statistics {
  if (floorOf(task) === undefined) return unflatten(task, values);
  const { length } = placesOf(task);
  const statistics = unflatten(task, values.slice(0, length));
  const d = task.features.length;
  let next = length;
  const noisedSums = statistics.labellings.map((classes) =>
    classes.map(() => {
      next += d;
      return [...values.slice(next - d, next)];
    }),
  );
  if (values.length === next) return { ...statistics, noisedSums };
  throw new CodedError(
    STATISTICS_CODES.ERR_STATISTICS_LENGTH,
    `"values" expected ${next} integers, got ${values.length}`,
  );
}

/**
 * The statistics that servers compute with, whose noise is known: for forecasts and experiments.
 * @param values flat statistics
 * @param noises one draw for each server that counts, as `drawNoise` makes it
 * @throws ERR_STATISTICS_LENGTH
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { drawNoise, noisedStatistics } from '@eigenveil/statistics';
 *
 * const noised = noisedStatistics(task, values, [drawNoise(task, 'csp', systemRandomness)]);
 */
export function noisedStatistics(
  task: StatisticsTask,
  values: readonly bigint[],
  noises: readonly (readonly bigint[])[],
): Statistics {
  const noised = computedValues(task, values).map((value, i) =>
    noises.reduce((sum, noise) => sum + noise[i]!, value),
  );
  return unflattenComputed(task, noised);
}

/**
 * The statistics of both owners' rows together.
 * @throws RangeError when the shapes differ
 */
export function addStatistics(a: Statistics, b: Statistics): Statistics {
  return {
    R: addVectors(a.R, b.R),
    ...((a.Y ?? b.Y) && { Y: addVectors(a.Y ?? [], b.Y ?? []) }),
    ...((a.counts ?? b.counts) && { counts: addVectors(a.counts ?? [], b.counts ?? []) }),
    labellings: zip(a.labellings, b.labellings, (left, right) =>
      zip(left, right, (x, y) => ({ V: addVectors(x.V, y.V), M: x.M + y.M })),
    ),
    owners: a.owners + b.owners,
  };
}

function addVectors(a: readonly bigint[], b: readonly bigint[]): bigint[] {
  return zip(a, b, (x, y) => x + y);
}

function zip<T, U>(a: readonly T[], b: readonly T[], combine: (x: T, y: T) => U): U[] {
  if (a.length !== b.length) {
    throw new RangeError(`statistics expected the same shape, got ${a.length} and ${b.length} entries`);
  }
  return a.map((x, i) => combine(x, b[i]!));
}

/**
 * The packing of the task's flat statistics (see `flatten`), wide enough for the sum over all owners. What
 * blinding adds to the width of a value is the packing's.
 * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER, ERR_PACKING_TOO_NARROW when a slot does not fit the key
 * @example
 * import { layout } from '@eigenveil/statistics';
 *
 * const ciphertexts = layout(task).plaintexts.length; // of one contribution
 */
export function layout(task: StatisticsTask): Packing {
  return makePacking({
    valueBits: valueBitsOf(task),
    statisticalSecurityBits: task.statisticalSecurityBits,
    // Every plaintext below 2^(bits(n) - 1) is below n.
    plaintextBits: task.keyBits - 1,
  });
}
