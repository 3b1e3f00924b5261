/** Sums of products of rows: all of x xᵀ, or of a sketch x (xᵀΩ), which never has a d × d matrix. */
import { ROWS_PER_PASS, rowsPerFlush, Sums } from './sums.ts';

/** What sums products of rows, ROWS_PER_PASS at a time. */
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
 * x (xᵀΩ), row by row: per feature one value for each column of Ω. An entry of xᵀΩ is a sum of d cells, so that a product takes ⌈log₂ d⌉ bits more than one of
 * cells; tasks whose products are longer than doubles hold are refused (checkStatisticsTask).
 */
export class SketchSums implements ProductSums {
  readonly rowsPerFlush: number;
  readonly #dimension: number;
  readonly #columns: number;
  readonly #signs: Float64Array;
  readonly #sums: Sums;
  /** xᵀΩ of the rows of a pass. */
  readonly #reduced: Float64Array;

  /** @throws RangeError for signs that are not one per feature and column */
  constructor(
    { dimension, columns, fractionBits }: Readonly<Record<'dimension' | 'columns' | 'fractionBits', number>>,
    signs: Int8Array | undefined,
  ) {
    if (signs?.length !== dimension * columns || !signs.every((sign) => sign === 1 || sign === -1))
      throw new RangeError(
        `"signs" expected ${dimension} × ${columns} of 1 and −1 for a task with "sketch": sketchSigns makes them`,
      );
    this.#dimension = dimension;
    this.#columns = columns;
    this.#signs = Float64Array.from(signs); // faster to multiply with
    this.#sums = new Sums(dimension * columns);
    this.#reduced = new Float64Array(ROWS_PER_PASS * columns);
    this.rowsPerFlush = rowsPerFlush(2 * fractionBits + Math.ceil(Math.log2(dimension)));
  }

  add(x: Float64Array): void {
    const d = this.#dimension;
    const l = this.#columns;
    const signs = this.#signs;
    const z = this.#reduced.fill(0);
    const Y = this.#sums.fast;
    for (let i = 0, at = 0; i < d; i += 1) {
      const [a, b, c, e] = [x[i]!, x[d + i]!, x[2 * d + i]!, x[3 * d + i]!];
      for (let j = 0; j < l; j += 1, at += 1) {
        const sign = signs[at]!;
        z[j]! += a * sign;
        z[l + j]! += b * sign;
        z[2 * l + j]! += c * sign;
        z[3 * l + j]! += e * sign;
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
