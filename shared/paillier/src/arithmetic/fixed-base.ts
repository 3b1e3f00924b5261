/**
 * Powers of one fixed base mod n^2 by the comb of Lim and Lee, "More flexible exponentiation with
 * precomputation" (CRYPTO '94).
 */

import { type Residue, ResidueRing } from './modular.ts';

/**
 * NOT constant-time: which table entries are read, and how long BigInt products take, depend on the exponent.
 * Whoever can watch memory accesses or timing on the encryptor's machine may learn a randomiser, and from it
 * and the ciphertext that encryptor's own plaintext. Nothing here touches a secret key. Encryptors who share
 * a machine with an adversary use the standard scheme.
 */
export class FixedBase {
  readonly #ring: ResidueRing;
  /** Exponent bits per tooth: the exponent is cut into rows of this length, one below the other. */
  readonly #columns: number;
  /** Columns per sub-table. */
  readonly #stride: number;
  readonly #teeth: number;
  readonly #exponentBits: number;
  /** tables[j][u]: the product of base^(2^(i * columns + j * stride)) over the bits i set in u. */
  readonly #tables: Residue[][];

  /**
   * @param n modulus of the key; the powers are mod n^2
   * @param base in (0, n^2)
   * @param exponentBits longest exponent, in bits
   * @param expected about how many powers will be asked for: decides how large a table pays
   */
  constructor(n: bigint, base: bigint, exponentBits: number, expected: number) {
    const { teeth, columns, stride, subTables } = chooseComb(exponentBits, expected);
    this.#ring = new ResidueRing(n);
    this.#teeth = teeth;
    this.#columns = columns;
    this.#stride = stride;
    this.#exponentBits = exponentBits;
    this.#tables = this.#build(this.#ring.from(base), subTables);
  }

  /** base^exponent mod n^2 for 0 <= exponent < 2^exponentBits; RangeError beyond. */
  power(exponent: bigint): bigint {
    if (exponent < 0n || exponent >> BigInt(this.#exponentBits) !== 0n) {
      throw new RangeError(`"exponent" expected of at most ${this.#exponentBits} bits`);
    }
    const bits = exponent.toString(2).padStart(this.#teeth * this.#columns, '0');
    let result: Residue | undefined;
    for (let k = this.#stride - 1; k >= 0; k -= 1) {
      if (result !== undefined) result = this.#ring.square(result);
      for (const [j, table] of this.#tables.entries()) {
        const entry = table[this.#column(bits, j * this.#stride + k)];
        if (entry !== undefined) result = result === undefined ? entry : this.#ring.multiply(result, entry);
      }
    }
    return result === undefined ? 1n : this.#ring.toInteger(result);
  }

  /** The bits that stand in one column, one per tooth; 0 beyond the last column. */
  #column(bits: string, column: number): number {
    let index = 0;
    if (column >= this.#columns) return index;
    for (let tooth = this.#teeth - 1; tooth >= 0; tooth -= 1) {
      const position = bits.length - 1 - tooth * this.#columns - column;
      index = 2 * index + (bits[position] === '1' ? 1 : 0);
    }
    return index;
  }

  #build(base: Residue, subTables: number): Residue[][] {
    const tables = Array.from({ length: subTables }, (): Residue[] => []);
    let power = base;
    let exponent = 0;
    for (let tooth = 0; tooth < this.#teeth; tooth += 1) {
      for (const [j, table] of tables.entries()) {
        for (const target = tooth * this.#columns + j * this.#stride; exponent < target; exponent += 1) {
          power = this.#ring.square(power);
        }
        // Entry 0, the empty product, stays a hole: it is skipped, not multiplied by.
        const half = 1 << tooth;
        table[half] = power;
        for (let u = 1; u < half; u += 1) table[half + u] = this.#ring.multiply(power, table[u]!);
      }
    }
    return tables;
  }
}

interface Comb {
  teeth: number;
  columns: number;
  stride: number;
  subTables: number;
}

/**
 * The comb with the fewest products over building and `expected` powers. At 1024 exponent bits and 64 powers:
 * 8 teeth, 6 sub-tables of 255 entries, 2,500 products to build and 150 per power, where squaring and
 * multiplying takes 1,500.
 */
export function chooseComb(exponentBits: number, expected: number): Comb {
  // 8 * 2^10 entries at most: 8 MB at 4096 bits.
  const mostTeeth = 10;
  const mostSubTables = 8;
  let best: Comb | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (let teeth = 1; teeth <= mostTeeth; teeth += 1) {
    const columns = Math.ceil(exponentBits / teeth);
    for (let subTables = 1; subTables <= mostSubTables; subTables += 1) {
      // Rounding up may leave the last sub-tables without columns. Such a choice never wins: with fewer
      // sub-tables the stride is the same.
      const stride = Math.ceil(columns / subTables);
      const building = exponentBits + subTables * (2 ** teeth - teeth - 1);
      const products = building + expected * (stride + columns);
      if (products < fewest) {
        fewest = products;
        best = { teeth, columns, stride, subTables };
      }
    }
  }
  return best!;
}
