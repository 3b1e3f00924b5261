/**
 * Polynomials of Z_q[X]/(X^N + 1), q a product of primes, in one WebAssembly memory: `limbs` × N words of 32 bits each. A polynomial is
 * in coefficients or a transform; sums of products of transforms are short of a factor 2^32, which inverse() gives back.
 */
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import { PAGE_BYTES } from '../garbling/assembler.ts';
import { type LatticeKernels, latticeKernels } from './kernels.ts';
import { type Factor, factorOf, inverseOf, inverseOfPrime, primesFor, rootsOf } from './primes.ts';
import { type Degree, PRIME_BITS } from './security.ts';
import { packed, unpacked, wordBytes } from './words.ts';

declare const ADDRESS: unique symbol;
/** The address of a polynomial in its ring's memory. */
export type Polynomial = number & { readonly [ADDRESS]: 'polynomial' };
/** The address of N signed integers of 32 bits. */
export type Small = number & { readonly [ADDRESS]: 'small' };

declare const WebAssembly: {
  Memory: new (size: {
    initial: number;
    maximum: number;
  }) => {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
};

const MAXIMUM_PAGES = 2 ** 13; // 512 MiB
const BLOCK_BYTES = 64;

/** A prime's part of the memory, and numbers of its transforms. */
interface Tables {
  readonly prime: number;
  readonly inverse: number;
  readonly forward: { readonly value: number; readonly times: number };
  readonly backward: { readonly value: number; readonly times: number };
  /** N^−1, with the factor 2^32 that a sum of products is short of. */
  readonly scale: Factor;
}

/** The memory of a ring and of its prefixes. */
class Arena {
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
  readonly kernels: LatticeKernels = latticeKernels(this.memory);
  /** Factors of rescaling, by the number of a prime that stays and of the one that is dropped: prefixes have them in common. */
  readonly dropping = new Map<string, Factor>();
  top = 0;

  allocate(bytes: number): number {
    const at = this.top;
    const top = Math.ceil((at + bytes) / BLOCK_BYTES) * BLOCK_BYTES;
    const lacking = top - this.memory.buffer.byteLength;
    // This throws where there is no more memory: what has been given stays as it is, so that it can be cleared.
    if (lacking > 0) this.memory.grow(Math.ceil(lacking / PAGE_BYTES) + 16);
    this.top = top;
    return at;
  }
}

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

  /** Runs `work`, and frees and clears all that it allocated here. */
  scope<T>(work: () => T): T {
    const from = this.#arena.top;
    try {
      return work();
    } finally {
      new Uint8Array(this.#arena.memory.buffer, from, this.#arena.top - from).fill(0);
      this.#arena.top = from;
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

  negate(polynomial: Polynomial): void {
    for (const [limb, prime] of this.primes.entries()) {
      const words = this.coefficients(polynomial, limb);
      for (let i = 0; i < words.length; i += 1) words[i] = negative(words[i]!, prime);
    }
  }

  /** Sets `into` to X^exponent times a polynomial in coefficients; the exponent, in [0, 2N), is public. */
  shift(into: Polynomial, polynomial: Polynomial, exponent: number): void {
    const n = this.degree;
    const turns = exponent % n;
    const isNegative = exponent >= n;
    for (const [limb, prime] of this.primes.entries()) {
      const from = this.coefficients(polynomial, limb);
      const to = this.coefficients(into, limb);
      to.set(from.subarray(0, n - turns), turns);
      to.set(from.subarray(n - turns), 0);
      const negated = isNegative ? to.subarray(turns) : to.subarray(0, turns);
      for (let i = 0; i < negated.length; i += 1) negated[i] = negative(negated[i]!, prime);
    }
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

  /** Returns the first `limbs` residues of each coefficient, 30 bits a word. */
  bytes(polynomial: Polynomial, limbs = this.limbs): Uint8Array {
    return Buffer.concat(
      Array.from({ length: limbs }, (_, limb) => packed(this.coefficients(polynomial, limb), PRIME_BITS)),
    );
  }

  /**
   * Sets a polynomial to what bytes() made of `limbs` residues.
   * @throws ERR_CHANNEL_MESSAGE for another length, or a word that is not below its prime
   */
  read(polynomial: Polynomial, bytes: Uint8Array, limbs = this.limbs): void {
    const each = wordBytes(this.degree);
    if (bytes.length !== each * limbs) throw outOfRange();
    for (let limb = 0; limb < limbs; limb += 1) {
      const words = unpacked(bytes.subarray(limb * each, (limb + 1) * each), this.degree, PRIME_BITS);
      checkBelow(words, this.primes[limb]!);
      this.coefficients(polynomial, limb).set(words);
    }
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

/** −word modulo a prime; zero stays below it without a branch, by the sign of word − 1. */
function negative(word: number, prime: number): number {
  return (prime - word) & ~((word - 1) >> 31);
}

/** Powers of roots by degree and prime, public and the same for all runs of a process: 256 kB each at most. */
const ROOTS = new Map<string, ReturnType<typeof rootsOf>>();

function tablesOf(arena: Arena, degree: Degree, prime: number): Tables {
  const name = `${degree} ${prime}`;
  const roots = ROOTS.get(name) ?? rootsOf(degree, prime);
  ROOTS.set(name, roots);
  const place = (numbers: Uint32Array) => {
    const at = arena.allocate(4 * numbers.length);
    new Uint32Array(arena.memory.buffer, at, numbers.length).set(numbers);
    return at;
  };
  const placed = ({ values, times }: (typeof roots)['forward']) => ({
    value: place(values),
    times: place(times),
  });
  const q = BigInt(prime);
  return {
    prime,
    inverse: inverseOfPrime(prime),
    forward: placed(roots.forward),
    backward: placed(roots.inverse),
    scale: factorOf((inverseOf(BigInt(degree), q) << 32n) % q, prime),
  };
}

/** @throws ERR_CHANNEL_MESSAGE for a word that is not below the prime */
export function checkBelow(words: Uint32Array, prime: number): void {
  let beyond = 0;
  for (let i = 0; i < words.length; i += 1) beyond |= Number(words[i]! >= prime);
  if (beyond !== 0) throw outOfRange();
}

export function outOfRange(): CodedError {
  return new CodedError(
    TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
    `expected polynomials of residues of ${PRIME_BITS} bits, got something else`,
  );
}
