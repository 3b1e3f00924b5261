/** The primes of the moduli, and the powers of roots of unity in their transforms: public, made when first needed. */

/** Primes are 1 modulo 2^15, so that there are roots of unity of order 2·16,384. */
const STEP = 2 ** 15;
const LARGEST = 2 ** 30 - STEP + 1;

const primes: number[] = [];

/** Returns the `count` largest primes below 2^30 that are 1 modulo 2^15. */
export function primesFor(count: number): readonly number[] {
  for (let q = (primes.at(-1) ?? LARGEST + STEP) - STEP; primes.length < count; q -= STEP) {
    if (isPrime(q)) primes.push(q);
  }
  return primes.slice(0, count);
}

/** By trial division: 2^15 steps at most. */
function isPrime(q: number): boolean {
  for (let divisor = 3; divisor * divisor <= q; divisor += 2) if (q % divisor === 0) return false;
  return true;
}

/** base^exponent modulo q. */
export function power(base: bigint, exponent: bigint, q: bigint): bigint {
  let result = 1n;
  let square = base % q;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % q;
    square = (square * square) % q;
  }
  return result;
}

/** The inverse modulo a prime. */
export function inverseOf(value: bigint, q: bigint): bigint {
  return power(((value % q) + q) % q, q - 2n, q);
}

/** q^−1 modulo 2^32, by Newton's iteration. */
export function inverseOfPrime(q: number): number {
  let inverse = q;
  for (let step = 0; step < 5; step += 1) inverse = Math.imul(inverse, 2 - Math.imul(q, inverse));
  return inverse >>> 0;
}

/** A factor of Montgomery's product: itself times 2^32 modulo q, and that times q^−1 modulo 2^32. */
export interface Factor {
  readonly value: number;
  readonly times: number;
}

export function factorOf(value: bigint, q: number): Factor {
  const scaled = Number(((value % BigInt(q)) << 32n) % BigInt(q));
  return { value: scaled, times: Math.imul(scaled, inverseOfPrime(q)) >>> 0 };
}

/** The product of numbers below 2^30 modulo q, in doubles that hold each part exactly. */
export function timesModulo(a: number, b: number, q: number): number {
  return (((a * (b >>> 15)) % q) * 0x8000 + a * (b & 0x7fff)) % q;
}

/** Powers of a root of unity as factors: their values and their products with q^−1. */
interface Powers {
  readonly values: Uint32Array;
  readonly times: Uint32Array;
}

/**
 * Returns the powers of a root of unity ψ of order 2n, and of its inverse, in bit-reversed order, as factors. ψ is the same at
 * both ends: the first that a number from 2 on gives.
 */
export function rootsOf(n: number, q: number): { readonly forward: Powers; readonly inverse: Powers } {
  const modulus = BigInt(q);
  let root = 0n;
  for (let base = 2n; power(root, BigInt(n), modulus) !== modulus - 1n; base += 1n) {
    root = power(base, (modulus - 1n) / BigInt(2 * n), modulus);
  }
  const scaled = new Uint32Array(2 * n);
  scaled[0] = factorOf(1n, q).value;
  for (let i = 1; i < n; i += 1) scaled[i] = timesModulo(scaled[i - 1]!, Number(root), q);
  for (let i = 0; i < n; i += 1) scaled[n + i] = q - scaled[i]!; // ψ^n = −1
  const inverse = inverseOfPrime(q);
  const powersAt = (place: (reversed: number) => number): Powers => {
    const values = new Uint32Array(n);
    for (let i = 0, reversed = 0; i < n; i += 1) {
      values[i] = scaled[place(reversed)]!;
      // The next number with its bits in reverse: a carry that runs to the right.
      let bit = n / 2;
      for (; reversed & bit; bit >>= 1) reversed ^= bit;
      reversed |= bit;
    }
    return { values, times: values.map((value) => Math.imul(value, inverse)) };
  };
  return { forward: powersAt((i) => i), inverse: powersAt((i) => (2 * n - i) % (2 * n)) };
}
