/**
 * Measures how far rounding moves a result: it compares sums of the rows as they are with sums of the same
 * rows rounded. Errors of rounding are not independent where values repeat, so a formula would be wrong
 * there; `roundingAngles` is the formula, for anyone who has a result and no rows.
 */
import { type MethodParameters, methodOf, type Result } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import { RowAccumulator, type Statistics, scaleCell } from '@eigenveil/statistics/owner';
import {
  cappedComponents,
  type Floor,
  type Program,
  programOf,
  type StatisticsTask,
  summedClasses,
} from '@eigenveil/task';
import type { AgreedTask } from '../claims/claimed.ts';
import { PROJECTION_CODES } from '../codes.ts';
import type { Link } from '../projector/projector.ts';
import { referenceOf } from '../reference/methods.ts';

/**
 * Cells of rows as they are have this number of binary digits: sums of two million of them are exact in
 * doubles.
 */
const FINEST_BITS = 32;
/**
 * Programs get this number instead, as they take no more than 20: everything that is decomposed is larger by
 * powers of two, and so are the ridges.
 */
const TOLD_BITS = 14;
const SCALE = 4 ** (FINEST_BITS - TOLD_BITS);

type Vector = ArrayLike<number>;

/** Sums rows that are clipped to their ranges and scaled, but not rounded. */
export class UnroundedRows {
  readonly #task: StatisticsTask;
  readonly #basis: readonly Link[];
  readonly #R: Float64Array;
  readonly #V: readonly (readonly Float64Array[])[];
  readonly #M: readonly number[][];
  /** The first row, from which all are measured, so that large means cost no digits. */
  #origin: readonly number[] | undefined;

  /** @param basis what the task stands on, with projections of rows as they are; it is applied first */
  constructor(task: StatisticsTask, basis: readonly Link[] = []) {
    const d = task.features.length;
    const classes = summedClasses(task);
    this.#task = task;
    this.#basis = basis;
    this.#R = new Float64Array(d * d);
    this.#V = classes.map((count) => Array.from({ length: count }, () => new Float64Array(d)));
    this.#M = classes.map((count) => new Array<number>(count).fill(0));
  }

  /**
   * @param values one finite number per feature of the first link, in its units
   * @param classes per labelling of the task the index of the row's class
   */
  add(values: Vector, classes: readonly number[]): void {
    const reduced = this.#basis.reduce<Vector>((row, { task, projection: { vectors, mean } }) => {
      const scaled = scaledRow(task, row);
      return vectors.map((w) => w.reduce((sum, x, i) => sum + x * (scaled[i]! - (mean?.[i] ?? 0)), 0));
    }, values);
    const cells = scaledRow(this.#task, reduced).map(
      (y) => Math.round(y * 2 ** FINEST_BITS) / 2 ** FINEST_BITS,
    );
    this.#origin ??= cells;
    const row = Float64Array.from(cells, (y, i) => y - this.#origin![i]!);
    for (const [l, sums] of this.#V.entries()) {
      const k = this.#task.labellings.length === 0 ? 0 : classes[l]!;
      const V = sums[k]!;
      for (let i = 0; i < row.length; i += 1) V[i]! += row[i]!;
      this.#M[l]![k]! += 1;
    }
    const d = row.length;
    for (let i = 0; i < d; i += 1) for (let j = i; j < d; j += 1) this.#R[i * d + j]! += row[i]! * row[j]!;
  }

  /**
   * Returns the result of the task's method on these rows.
   * @throws as `resultInClear`
   */
  result(program: Program): Result {
    const larger = {
      ...program,
      method: withRidges(program.method, SCALE),
      ...(program.floor && { floor: scaledFloor(program.floor, SCALE) }),
    };
    const found = referenceOf(larger).fromStatistics(
      { ...larger, fractionBits: TOLD_BITS, outputs: ['mean'] },
      this.#statistics(),
    );
    const shrunk = Math.sqrt(SCALE);
    return {
      ...found,
      // Eigenvalues of a pencil or of a correlation matrix are ratios.
      ...(found.kind === 'components' &&
        methodOf(program).decomposes === 'scatter' && {
          eigenvalues: found.eigenvalues.map((value) => value / SCALE),
        }),
      mean: found.mean!.map((value, i) => value / shrunk + this.#origin![i]!),
    };
  }

  #statistics(): Statistics {
    const d = this.#task.features.length;
    const integer = (value: number, bits: number) => BigInt(Math.round(value * 2 ** bits));
    const R: bigint[] = [];
    for (let i = 0; i < d; i += 1)
      for (let j = i; j < d; j += 1) R.push(integer(this.#R[i * d + j]!, 2 * FINEST_BITS));
    return {
      R: methodOf(this.#task).sums(this.#task).R ? R : [],
      labellings: this.#V.map((sums, l) =>
        sums.map((V, k) => ({
          V: Array.from(V, (value) => integer(value, FINEST_BITS)),
          M: BigInt(this.#M[l]![k]!),
        })),
      ),
      owners: 1n,
    };
  }
}

function scaledRow({ features }: Pick<StatisticsTask, 'features'>, row: Vector): number[] {
  return features.map(({ min, max }, i) => scaleCell(min, max, Math.min(max, Math.max(min, row[i]!))));
}

/** Scales the parameters that are in units of the scatter. */
function withRidges(method: MethodParameters, factor: number): MethodParameters {
  return {
    ...method,
    ...('ridge' in method && { ridge: method.ridge * factor }),
    ...('signalRidge' in method && { signalRidge: method.signalRidge * factor }),
  };
}

/** Scales the parts of a floor that are in units of the scatter. */
function scaledFloor(floor: Floor, factor: number): Floor {
  const scaled = (values: readonly number[]) => values.map((value) => value * factor);
  const { ridge, leastVariances, norm } = floor;
  return { ...floor, ridge: scaled(ridge), leastVariances: scaled(leastVariances), norm: norm * factor };
}

export interface Moved {
  readonly fractionBits: number;
  /**
   * The largest principal angle to the components of rows as they are, in radians; of ridge how far the
   * weights are off, as a part of their length.
   */
  readonly angle: number;
}

/** Rounds the same rows to several numbers of binary digits. */
export class RoundedRows {
  readonly #task: AgreedTask;
  readonly #unrounded: UnroundedRows;
  readonly #rounded: readonly { readonly fractionBits: number; readonly rows: RowAccumulator }[];

  constructor(task: AgreedTask, fractionBits: readonly number[]) {
    this.#task = task;
    this.#unrounded = new UnroundedRows(task);
    const room = { maximumOwners: 1, maximumSamplesPerOwner: Number.MAX_SAFE_INTEGER };
    this.#rounded = fractionBits.map((bits) => ({
      fractionBits: bits,
      rows: new RowAccumulator({ ...task, ...room, fractionBits: bits }),
    }));
  }

  add(values: Vector, classes: readonly number[]): void {
    this.#unrounded.add(values, classes);
    for (const { rows } of this.#rounded) rows.addClassed(values, classes);
  }

  /**
   * Returns how far each rounding moves the components; undefined where the method has no result of these
   * rows.
   */
  moved(): readonly Moved[] | undefined {
    const program = programOf(this.#task);
    const components = cappedComponents(program);
    const free = { ...program, components, minimumOwners: 1, allowFullRank: true, outputs: [] };
    try {
      const { fromStatistics, distance } = referenceOf(free);
      const exact = this.#unrounded.result(free);
      return this.#rounded.map(({ fractionBits, rows }) => ({
        fractionBits,
        angle: distance(exact, fromStatistics({ ...free, fractionBits }, rows.statistics())),
      }));
    } catch (error) {
      if (isOf(PROJECTION_CODES, error)) return undefined;
      throw error;
    }
  }
}

/**
 * Returns the radians by which rounding rows turns each component of a PCA of their covariance, estimated
 * from the eigenvalues alone as if the errors were independent and uniform: angle_i² ≈ (u²/12) Σ_j (λ_i +
 * λ_j)/(λ_i − λ_j)², u = 2^−fractionBits. Eigenvalues that the result does not have count as equal parts of
 * what the trace leaves, and as 0 where it is not known, so that the last angles are too small rather than
 * too large.
 */
export function roundingAngles({
  features: { length: d },
  fractionBits,
  eigenvalues,
  trace,
  spectrum,
}: {
  readonly features: { readonly length: number };
  readonly fractionBits: number;
  readonly eigenvalues: readonly number[];
  readonly trace?: number | undefined;
  readonly spectrum?: readonly number[] | undefined;
}): number[] {
  const left = d - eigenvalues.length;
  const rest = trace === undefined ? 0 : trace - eigenvalues.reduce((sum, value) => sum + value, 0);
  const values = spectrum ?? [...eigenvalues, ...new Array<number>(left).fill(Math.max(0, rest) / left)];
  const variance = 4 ** -fractionBits / 12;
  return eigenvalues.map((value, i) => {
    const others = values.filter((_, j) => j !== i);
    const isAlone = others.every((other) => other !== value);
    const sum = others.reduce((total, other) => total + Math.max(0, value + other) / (value - other) ** 2, 0);
    return isAlone ? Math.min(Math.PI / 2, Math.sqrt(variance * sum)) : Math.PI / 2;
  });
}
