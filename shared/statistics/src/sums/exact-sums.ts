/** Exact sums of integers in doubles: as fast as double arithmetic, and as long as any statistics need. */

/** Of these a second sum counts how many there are. */
const CARRY_BITS = 32;
const CARRY = 2 ** CARRY_BITS;
/** Sums that stay within so many bits between two flushes, beside what a flush leaves, are exact: 2^52 + 2^32 < 2^53. */
const EXACT_BITS = 52;

/** Rows multiplied in one pass over all sums: each load and store of a sum then serves four products. */
export const ROWS_PER_PASS = 4;

/**
 * How many rows may be added between two flushes, a multiple of a pass.
 * @param bits what one row adds is at most 2^bits in magnitude
 * @throws RangeError when not even one pass is exact
 */
export function rowsPerFlush(bits: number): number {
  const rows = 2 ** (EXACT_BITS - bits);
  if (rows < ROWS_PER_PASS) throw new RangeError(`sums expected at most 50 bits per row, got ${bits}`);
  return rows;
}

export class Sums {
  /** What is added to. */
  readonly fast: Float64Array;
  readonly #carries: Float64Array;

  constructor(length: number) {
    this.fast = new Float64Array(length);
    this.#carries = new Float64Array(length);
  }

  /** After `rowsPerFlush` rows at the latest. */
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
