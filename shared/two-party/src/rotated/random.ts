/**
 * Random words and integers from a source of random bytes, drawn in large pieces because a call to the source costs microseconds.
 *
 * Exact samples of the standard normal distribution: algorithm N of Karney, "Sampling exactly from the normal distribution", ACM
 * Transactions on Mathematical Software 42(1), 2016, section 3. A sample is a real number whose binary digits are drawn when a
 * comparison or the caller asks for them; every decision compares uniform numbers, so nothing is ever rounded. What a caller gets is
 * the exact sample rounded once.
 *
 * How long a sample takes depends on the sample.
 */
import type { RandomSource } from '../oblivious-transfer/randomness.ts';

const PIECE_BYTES = 16_384;

export class RandomBits {
  readonly #source: RandomSource;
  #piece = Buffer.alloc(0);
  #next = 0;

  constructor(source: RandomSource) {
    this.#source = source;
  }

  /** A uniform integer in [0, 2^32). */
  word(): number {
    return this.#take(4).readUInt32LE();
  }

  /** A uniform integer in [0, bound), 1 <= bound <= 2^16. */
  below(bound: number): number {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = this.word();
      if (word < limit) return word % bound;
    }
  }

  /** A uniform integer in [0, 2^bits), bits >= 1. */
  integer(bits: number): bigint {
    const bytes = this.#take(Math.ceil(bits / 8));
    return BigInt.asUintN(bits, BigInt(`0x${bytes.toString('hex')}`));
  }

  #take(length: number): Buffer {
    if (this.#next + length > this.#piece.length) {
      this.#piece = Buffer.from(this.#source(Math.max(PIECE_BYTES, length)));
      this.#next = 0;
    }
    const taken = this.#piece.subarray(this.#next, this.#next + length);
    this.#next += length;
    return taken;
  }
}

const UNIFORM_DIGIT_BITS = 32;

/** A uniform number in (0, 1), digit by digit: d_0 2^−32 + d_1 2^−64 + …. */
class Uniform {
  readonly #random: RandomBits;
  readonly #digits: number[] = [];

  constructor(random: RandomBits) {
    this.#random = random;
  }

  digit(i: number): number {
    while (this.#digits.length <= i) this.#digits.push(this.#random.word());
    return this.#digits[i]!;
  }

  isBelow(other: Uniform): boolean {
    for (let i = 0; ; i += 1) {
      const [own, theirs] = [this.digit(i), other.digit(i)];
      if (own !== theirs) return own < theirs;
    }
  }

  /** ⌊2^bits · number⌋. */
  floor(bits: number): bigint {
    let value = 0n;
    const digits = Math.ceil(bits / UNIFORM_DIGIT_BITS);
    for (let i = 0; i < digits; i += 1) value = (value << 32n) | BigInt(this.digit(i));
    return value >> BigInt(digits * UNIFORM_DIGIT_BITS - bits);
  }
}

/**
 * A standard normal number g in units of 2^−bits, rounded to nearest: |result − 2^bits g| <= 1/2. It is odd or even, and has every
 * low digit, as the exact one: no digit of it is filled up.
 */
export function standardNormal(random: RandomBits, bits: number): bigint {
  for (;;) {
    const sample = tryNormal(random);
    if (sample === undefined) continue;
    const { integer, fraction } = sample;
    const negative = random.word() & 1;
    const magnitude = ((BigInt(integer) << BigInt(bits + 1)) + fraction.floor(bits + 1) + 1n) >> 1n;
    return negative ? -magnitude : magnitude;
  }
}

/** Steps N1 to N4: k + x with density proportional to exp(−(k + x)²/2), or nothing when a candidate is rejected. */
function tryNormal(random: RandomBits): { integer: number; fraction: Uniform } | undefined {
  let k = 0;
  while (halfway(random)) k += 1;
  for (let i = 0; i < k * (k - 1); i += 1) if (!halfway(random)) return undefined;
  const x = new Uniform(random);
  for (let i = 0; i <= k; i += 1) if (!keeps(random, k, x)) return undefined;
  return { integer: k, fraction: x };
}

/**
 * Algorithm H: true with probability exp(−1/2). The longest falling run 1/2 > u_1 > u_2 > … has at least n members with probability
 * 2^−n/n!, so it is even with probability Σ (−1/2)^n/n!.
 */
function halfway(random: RandomBits): boolean {
  let last = new Uniform(random);
  if (last.digit(0) >>> 31 === 1) return true;
  for (let length = 1; ; length += 1) {
    const next = new Uniform(random);
    if (!next.isBelow(last)) return length % 2 === 0;
    last = next;
  }
}

/**
 * Algorithm B: true with probability exp(−x (2k + x)/(2k + 2)). The run x > z_1 > z_2 > … goes on only while a further uniform number r is
 * below (2k + x)/(2k + 2); with w = ⌊(2k + 2) r⌋ that is w < 2k, or w = 2k and the rest of it below x.
 */
function keeps(random: RandomBits, k: number, x: Uniform): boolean {
  let last = x;
  for (let length = 0; ; length += 1) {
    const next = new Uniform(random);
    if (!next.isBelow(last)) return length % 2 === 0;
    const w = random.below(2 * k + 2);
    if (w > 2 * k || (w === 2 * k && !new Uniform(random).isBelow(x))) return length % 2 === 0;
    last = next;
  }
}
