/** Sums of products of rows: all of x xᵀ, or of a sketch x (xᵀΩ), which never has a d × d matrix. */

import { sketchColumnBound } from '@eigenveil/methods';
import type { StatisticsTask } from '@eigenveil/task';

/** Sums products of rows, ROWS_PER_PASS at a time. */
export interface ProductSums {
  readonly rowsPerFlush: number;
  /** @param rows ROWS_PER_PASS rows of d cells, one after the other; zeros where there are fewer */
  add(rows: Float64Array): void;
  flush(): void;
  values(): bigint[];
}

/** The upper triangle of x xᵀ, row by row. */
export class TriangleSums implements ProductSums {
  readonly rowsPerFlush: number;
  readonly #dimension: number;
  readonly #sums: Sums;

  constructor(dimension: number, fractionBits: number) {
    this.#dimension = dimension;
    this.#sums = new Sums((dimension * (dimension + 1)) / 2);
    this.rowsPerFlush = rowsPerFlush(2 * fractionBits);
  }

  add(x: Float64Array): void {
    const R = this.#sums.fast;
    const d = this.#dimension;
    let entry = 0;
    for (let i = 0; i < d; i++) {
      const a = x[i]!;
      const b = x[d + i]!;
      const c = x[2 * d + i]!;
      const e = x[3 * d + i]!;
      for (let j = i; j < d; j++) {
        R[entry]! += a * x[j]! + b * x[d + j]! + c * x[2 * d + j]! + e * x[3 * d + j]!;
        entry += 1;
      }
    }
  }

  flush(): void {
    this.#sums.flush();
  }

  values(): bigint[] {
    return this.#sums.values();
  }
}

/**
 * x (xᵀΩ), row by row: per feature one value for each column of Ω. An entry of xᵀΩ is at most the bound of a
 * column times a cell, so that a product takes as many bits more than one of cells; tasks whose products are
 * longer than doubles hold are refused (checkStatisticsTask).
 */
export class SketchSums implements ProductSums {
  readonly rowsPerFlush: number;
  readonly #dimension: number;
  readonly #columns: number;
  readonly #matrix: Float64Array;
  readonly #sums: Sums;
  /** xᵀΩ of the rows of a pass. */
  readonly #reduced: Float64Array;

  /**
   * @throws RangeError for signs that are not one per feature and column, or of more than a column of the
   *   task may have
   */
  constructor(
    task: Pick<StatisticsTask, 'features' | 'fractionBits' | 'sketch'>,
    signs: Int32Array | undefined,
  ) {
    const dimension = task.features.length;
    const columns = task.sketch!.columns;
    const bound = sketchColumnBound(task);
    if (signs?.length !== dimension * columns || !areColumns(signs, columns, bound))
      throw new RangeError(
        `"signs" expected ${dimension} × ${columns} whole numbers, in each column of magnitudes from 1 to ${bound} together, for a task with "sketch": sketchMatrix makes them`,
      );
    this.#dimension = dimension;
    this.#columns = columns;
    this.#matrix = Float64Array.from(signs); // faster to multiply with
    this.#sums = new Sums(dimension * columns);
    this.#reduced = new Float64Array(ROWS_PER_PASS * columns);
    this.rowsPerFlush = rowsPerFlush(2 * task.fractionBits + Math.ceil(Math.log2(bound)));
  }

  add(x: Float64Array): void {
    const d = this.#dimension;
    const l = this.#columns;
    const matrix = this.#matrix;
    const z = this.#reduced.fill(0);
    const Y = this.#sums.fast;
    for (let i = 0, at = 0; i < d; i += 1) {
      const [a, b, c, e] = [x[i]!, x[d + i]!, x[2 * d + i]!, x[3 * d + i]!];
      for (let j = 0; j < l; j += 1, at += 1) {
        const entry = matrix[at]!;
        z[j]! += a * entry;
        z[l + j]! += b * entry;
        z[2 * l + j]! += c * entry;
        z[3 * l + j]! += e * entry;
      }
    }
    for (let i = 0, at = 0; i < d; i += 1) {
      const [a, b, c, e] = [x[i]!, x[d + i]!, x[2 * d + i]!, x[3 * d + i]!];
      for (let j = 0; j < l; j += 1, at += 1)
        Y[at]! += a * z[j]! + b * z[l + j]! + c * z[2 * l + j]! + e * z[3 * l + j]!;
    }
  }

  flush(): void {
    this.#sums.flush();
  }

  values(): bigint[] {
    return this.#sums.values();
  }
}

function areColumns(matrix: Int32Array, columns: number, bound: number): boolean {
  const sums = new Float64Array(columns);
  for (let at = 0; at < matrix.length; at += 1) sums[at % columns]! += Math.abs(matrix[at]!);
  return sums.every((sum) => sum >= 1 && sum <= bound);
}

/** Exact sums of integers in doubles: as fast as double arithmetic, and as long as any statistics need. */

/** The size of a carry; a second sum counts how many there are. */
const CARRY_BITS = 32;
const CARRY = 2 ** CARRY_BITS;
/**
 * Sums that stay within this number of bits between two flushes, beside what a flush leaves, are exact: 2^52
 * + 2^32 < 2^53.
 */
const EXACT_BITS = 52;

/** Rows multiplied in one pass over all sums: each load and store of a sum then serves four products. */
export const ROWS_PER_PASS = 4;

/**
 * Says how many rows may be added between two flushes, a multiple of a pass.
 * @param bits what one row adds is at most 2^bits in magnitude
 * @throws RangeError when not even one pass is exact
 */
export function rowsPerFlush(bits: number): number {
  const rows = 2 ** (EXACT_BITS - bits);
  if (rows < ROWS_PER_PASS) throw new RangeError(`sums expected at most 50 bits per row, got ${bits}`);
  return rows;
}

export class Sums {
  /** The sums that are added to. */
  readonly fast: Float64Array;
  readonly #carries: Float64Array;

  constructor(length: number) {
    this.fast = new Float64Array(length);
    this.#carries = new Float64Array(length);
  }

  /** Takes the carries away. It is called after `rowsPerFlush` rows at the latest. */
  flush(): void {
    const { fast } = this;
    for (let i = 0; i < fast.length; i += 1) {
      const carry = Math.trunc(fast[i]! / CARRY);
      this.#carries[i]! += carry;
      fast[i]! -= carry * CARRY;
    }
  }

  values(): bigint[] {
    return Array.from(this.fast, (low, i) => (BigInt(this.#carries[i]!) << BigInt(CARRY_BITS)) + BigInt(low));
  }
}
