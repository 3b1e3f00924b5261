/**
 * Polynomials of Z_q[X]/(X^N + 1), q a product of primes, in one WebAssembly memory: `limbs` × N words of 32 bits each. A polynomial is
 * in coefficients or a transform; sums of products of transforms are short of a factor 2^32, which inverse() gives back.
 */
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import { Arena, type Tables, tablesOf } from './arena.ts';
import { factorOf, inverseOf, primesFor } from './primes.ts';
import { type Degree, PRIME_BITS } from './security.ts';
import { countOf, firstWords, packedBytes, type Words } from './words.ts';

declare const ADDRESS: unique symbol;
/** The address of a polynomial in its ring's memory. */
export type Polynomial = number & { readonly [ADDRESS]: 'polynomial' };
/** The address of N signed integers of 32 bits. */
export type Small = number & { readonly [ADDRESS]: 'small' };

/** Packing touches at most this number of bytes beyond its own. */
const SLACK_BYTES = 8;

export class Ring {
  readonly degree: Degree;
  readonly limbs: number;
  readonly primes: readonly number[];
  readonly modulus: bigint;
  readonly #arena: Arena;
  readonly #tables: readonly Tables[];

  private constructor(degree: Degree, arena: Arena, tables: readonly Tables[]) {
    this.degree = degree;
    this.limbs = tables.length;
    this.primes = tables.map(({ prime }) => prime);
    this.modulus = this.primes.reduce((product, prime) => product * BigInt(prime), 1n);
    this.#arena = arena;
    this.#tables = tables;
  }

  static of(degree: Degree, limbs: number): Ring {
    const arena = new Arena();
    return new Ring(
      degree,
      arena,
      primesFor(limbs).map((prime) => tablesOf(arena, degree, prime)),
    );
  }

  /** Returns the ring of its first primes, in the same memory: each polynomial of the longer ring is one of it. */
  prefix(limbs: number): Ring {
    return new Ring(this.degree, this.#arena, this.#tables.slice(0, limbs));
  }

  /** Returns the ring of one of its primes, in the same memory: part() of each polynomial is one of it. */
  single(limb: number): Ring {
    return new Ring(this.degree, this.#arena, [this.#tables[limb]!]);
  }

  /** The residues by one prime. */
  part(polynomial: Polynomial, limb: number): Polynomial {
    return this.#at(polynomial, limb) as Polynomial;
  }

  /** Runs `work`, and frees and clears all that it allocated here. */
  scope<T>(work: () => T): T {
    const scope = this.#arena.enter();
    try {
      return work();
    } finally {
      this.#arena.leave(scope);
    }
  }

  /** A scope() for work that waits; nobody else may allocate from this memory meanwhile. */
  async scopeOf<T>(work: () => Promise<T>): Promise<T> {
    const scope = this.#arena.enter();
    try {
      return await work();
    } finally {
      this.#arena.leave(scope);
    }
  }

  /** Allocates zero. */
  polynomial(): Polynomial {
    return this.#arena.allocate(4 * this.degree * this.limbs) as Polynomial;
  }

  copy(polynomial: Polynomial): Polynomial {
    const copied = this.polynomial();
    const words = this.degree * this.limbs;
    const { memory } = this.#arena;
    new Uint32Array(memory.buffer, copied, words).set(new Uint32Array(memory.buffer, polynomial, words));
    return copied;
  }

  small(): Small {
    return this.#arena.allocate(4 * this.degree) as Small;
  }

  /** Returns a view of the residues by one prime, valid until the next allocation. */
  coefficients(polynomial: Polynomial, limb: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#arena.memory.buffer, this.#at(polynomial, limb), this.degree);
  }

  /** Returns a view, valid until the next allocation. */
  entries(small: Small): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#arena.memory.buffer, small, this.degree);
  }

  clear(polynomial: Polynomial): void {
    new Uint32Array(this.#arena.memory.buffer, polynomial, this.degree * this.limbs).fill(0);
  }

  /** Transforms coefficients in place, modulo the first `limbs` primes. */
  forward(polynomial: Polynomial, limbs = this.limbs): void {
    for (const [i, { prime, forward }] of this.#tables.slice(0, limbs).entries()) {
      const { value, times } = forward;
      this.#arena.kernels.forward(this.#at(polynomial, i), this.degree, this.#layers, prime, value, times);
    }
  }

  /** Makes coefficients of a sum of products, in place. */
  inverse(polynomial: Polynomial, limbs = this.limbs): void {
    for (const [i, { prime, backward, scale }] of this.#tables.slice(0, limbs).entries()) {
      const at = this.#at(polynomial, i);
      const { value, times } = backward;
      this.#arena.kernels.inverse(
        at,
        this.degree,
        this.#layers,
        prime,
        value,
        times,
        scale.value,
        scale.times,
      );
    }
  }

  /** Adds the product of two transforms to a sum of products. */
  multiplyAdd(sum: Polynomial, left: Polynomial, right: Polynomial, limbs = this.limbs): void {
    for (const [i, { prime, inverse }] of this.#tables.slice(0, limbs).entries()) {
      const [to, a, b] = [this.#at(sum, i), this.#at(left, i), this.#at(right, i)];
      this.#arena.kernels.multiplyAdd(to, a, b, this.degree, prime, inverse);
    }
  }

  /** Sets coefficients to integers modulo q whose magnitude is below every prime: SMALL_BITS with their sign. */
  lift(polynomial: Polynomial, small: Small): void {
    for (const [i, { prime }] of this.#tables.entries()) {
      this.#arena.kernels.lift(this.#at(polynomial, i), small, this.degree, prime);
    }
  }

  /** Adds coefficients. */
  add(sum: Polynomial, other: Polynomial): void {
    for (const [i, { prime }] of this.#tables.entries()) {
      this.#arena.kernels.add(this.#at(sum, i), this.#at(other, i), this.degree, prime);
    }
  }

  /** Subtracts coefficients. */
  subtract(difference: Polynomial, other: Polynomial): void {
    for (const [i, { prime }] of this.#tables.entries()) {
      this.#arena.kernels.subtract(this.#at(difference, i), this.#at(other, i), this.degree, prime);
    }
  }

  /** Adds integers as lift() takes them to coefficients. */
  addSmall(sum: Polynomial, small: Small): void {
    for (const [i, { prime }] of this.#tables.entries()) {
      this.#arena.kernels.addSmall(this.#at(sum, i), small, this.degree, prime);
    }
  }

  /** Adds X^exponent times a polynomial to coefficients; the exponent, in [0, 2N), is public. */
  addTurned(sum: Polynomial, polynomial: Polynomial, exponent: number): void {
    const n = this.degree;
    const turns = exponent % n;
    // X^n = −1: what is turned over the end changes its sign.
    const isNegative = exponent >= n;
    for (const limb of this.primes.keys()) {
      const [to, from] = [this.#at(sum, limb), this.#at(polynomial, limb)];
      this.#addPart(to + 4 * turns, from, n - turns, limb, isNegative);
      this.#addPart(to, from + 4 * (n - turns), turns, limb, !isNegative);
    }
  }

  #addPart(to: number, from: number, count: number, limb: number, isNegative: boolean): void {
    const { kernels, memory } = this.#arena;
    const prime = this.primes[limb]!;
    const whole = count - (count % 4);
    if (whole > 0) kernels[isNegative ? 'subtract' : 'add'](to, from, whole, prime);
    const [sums, others] = [to, from].map(
      (at) => new Uint32Array(memory.buffer, at + 4 * whole, count - whole),
    );
    for (const [i, other] of others!.entries())
      sums![i] = (sums![i]! + (isNegative ? prime - other : other)) % prime;
  }

  /** Divides by the last primes until `limbs` are left, and rounds: coefficients. */
  rescale(polynomial: Polynomial, limbs: number): void {
    for (let last = this.limbs - 1; last >= limbs; last -= 1) {
      for (let i = 0; i < last; i += 1) {
        this.#rescaled(this.#at(polynomial, i), this.#at(polynomial, last), this.degree, i, last);
      }
    }
  }

  /** Rescales a list of coefficients, by prime, to `limbs` primes. */
  rescaleWords(lanes: readonly Uint32Array[], limbs: number): Uint32Array[] {
    const count = lanes[0]!.length;
    const padded = Math.ceil(count / 8) * 8;
    return this.scope(() => {
      const at = lanes.map(() => this.#arena.allocate(4 * padded));
      for (const [i, lane] of lanes.entries())
        new Uint32Array(this.#arena.memory.buffer, at[i]!, count).set(lane);
      for (let last = lanes.length - 1; last >= limbs; last -= 1) {
        for (let i = 0; i < last; i += 1) this.#rescaled(at[i]!, at[last]!, padded, i, last);
      }
      return at
        .slice(0, limbs)
        .map((address) => new Uint32Array(this.#arena.memory.buffer, address, count).slice());
    });
  }

  /** Returns the first `limbs` residues of coefficients, 30 bits a word: a view, valid until the next allocation. */
  bytes(
    polynomial: Polynomial,
    limbs = this.limbs,
    words: Words = firstWords(this.degree),
  ): Uint8Array<ArrayBuffer> {
    const each = packedBytes(countOf(words), PRIME_BITS);
    const to = this.#arena.allocate(each * limbs + SLACK_BYTES);
    for (let limb = 0; limb < limbs; limb += 1)
      this.#pack(to + each * limb, this.#at(polynomial, limb), words, PRIME_BITS);
    return new Uint8Array(this.#arena.memory.buffer, to, each * limbs);
  }

  /**
   * Sets coefficients to what bytes() made of them.
   * @throws ERR_CHANNEL_MESSAGE for another length, or a word that is not below its prime
   */
  read(
    polynomial: Polynomial,
    bytes: Uint8Array,
    limbs = this.limbs,
    words: Words = firstWords(this.degree),
  ): void {
    const each = packedBytes(countOf(words), PRIME_BITS);
    if (bytes.length !== each * limbs) throw outOfRange();
    this.scope(() => {
      const from = this.#placed(bytes);
      for (const [limb, prime] of this.primes.slice(0, limbs).entries()) {
        const range = { sign: 0, offset: 0, limit: prime - 1 };
        if (!this.#unpack(this.#at(polynomial, limb), from + each * limb, words, PRIME_BITS, range))
          throw outOfRange();
      }
    });
  }

  /** Returns the lowest `bits` of signed integers: a view, valid until the next allocation. */
  smallBytes(small: Small, bits: number, words: Words): Uint8Array<ArrayBuffer> {
    const length = packedBytes(countOf(words), bits);
    const to = this.#arena.allocate(length + SLACK_BYTES);
    this.#pack(to, small, words, bits);
    return new Uint8Array(this.#arena.memory.buffer, to, length);
  }

  /** Sets integers to what smallBytes() made of them; returns whether none is more than `most` in magnitude. */
  readSmall(small: Small, bytes: Uint8Array, bits: number, words: Words, most: number): boolean {
    return this.scope(() => {
      const range = { sign: 2 ** (bits - 1), offset: most, limit: 2 * most };
      return this.#unpack(small, this.#placed(bytes), words, bits, range);
    });
  }

  /** Copies bytes to where they can be unpacked. */
  #placed(bytes: Uint8Array): number {
    const at = this.#arena.allocate(bytes.length + SLACK_BYTES);
    new Uint8Array(this.#arena.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }

  #pack(to: number, from: number, { start, runs, run, gap }: Words, bits: number): void {
    if (run > 0) this.#arena.kernels.pack(to, from + 4 * start, runs, run, gap, bits);
  }

  /** Returns whether all are in the range. */
  #unpack(
    to: number,
    from: number,
    { start, runs, run, gap }: Words,
    bits: number,
    { sign, offset, limit }: { readonly sign: number; readonly offset: number; readonly limit: number },
  ): boolean {
    if (run === 0) return true;
    const { kernels, memory, verdict } = this.#arena;
    kernels.unpack(to + 4 * start, from, runs, run, gap, bits, sign, offset, limit, verdict);
    return new Uint32Array(memory.buffer, verdict, 1)[0] === 0;
  }

  get #layers(): number {
    return Math.log2(this.degree) - 3;
  }

  #at(polynomial: Polynomial, limb: number): number {
    return polynomial + 4 * this.degree * limb;
  }

  #rescaled(to: number, last: number, count: number, limb: number, dropped: number): void {
    const [prime, drop] = [this.primes[limb]!, this.primes[dropped]!];
    const key = `${limb} ${dropped}`;
    const factor = this.#arena.dropping.get(key) ?? factorOf(inverseOf(BigInt(drop), BigInt(prime)), prime);
    this.#arena.dropping.set(key, factor);
    this.#arena.kernels.rescale(to, last, count, prime, drop, factor.value, factor.times);
  }
}

function outOfRange(): CodedError {
  return new CodedError(
    TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
    `expected polynomials of residues of ${PRIME_BITS} bits, got something else`,
  );
}
