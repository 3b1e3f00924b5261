/**
 * Public Paillier keys with g = n + 1 (Paillier, EUROCRYPT '99; Damgard, Jurik and Nielsen 2010) and their
 * JSON form.
 */

import { bitLength, CodedError, nextTurn } from '@eigenveil/platform';
import { decodeBigint, encodeBigint } from '../arithmetic/bytes.ts';
import { gcd, Modulus } from '../arithmetic/modular.ts';
import { PAILLIER_CODES } from '../codes.ts';

/** Integers as base64url text, big-endian, without padding. */
export interface PublicKeyJson {
  n: string;
  /** A member of Damgard-Jurik-Nielsen keys only: h_s = h^n mod n^2. */
  h?: string;
}

export interface KeyOptions {
  /** Accepts 512 to 2047 bits, which protect nothing: for tests and benchmarks. */
  allowInsecureKey?: boolean;
}

/** The numbers of a public key, as it travels to a worker. */
export interface PublicKeyParts {
  readonly n: bigint;
  readonly h?: bigint | undefined;
}

const SECURE_KEY_BITS = 2048;
const SHORTEST_KEY_BITS = 512;
/** n^2 must stay under OpenSSL's limit of 10,000 bits; the services were measured up to here. */
const LONGEST_KEY_BITS = 4096;
const TRIAL_DIVISION_BOUND = 1 << 16;
/** Some milliseconds at 4096 bits. */
const SQUARINGS_OF_A_SLICE = 256;

/** Work that can be left for a while at each yield. */
type Slices<T> = Generator<void, T, void>;

export class PublicKey {
  readonly n: bigint;
  readonly nSquared: bigint;
  /** Exact bit length of n. */
  readonly bits: number;
  /** Bytes of one encoded ciphertext. */
  readonly ciphertextBytes: number;
  /** h_s = h^n mod n^2 of a Damgard-Jurik-Nielsen key. */
  readonly h?: bigint;

  /** Takes the numbers as they are; what comes from outside goes through `fromJSON`. */
  constructor({ n, h }: PublicKeyParts) {
    this.n = n;
    this.nSquared = n * n;
    this.bits = bitLength(n);
    this.ciphertextBytes = 2 * Math.ceil(this.bits / 8);
    if (h !== undefined) this.h = h;
  }

  toJSON(): PublicKeyJson {
    const n = encodeBigint(this.n);
    return this.h === undefined ? { n } : { n, h: encodeBigint(this.h) };
  }

  /**
   * Reads a key from an untrusted place. The length must be a multiple of 8 from 2048 (512 if
   * `allowInsecureKey`) to 4096 bits; n must be odd, without a factor below 2^16 and not a prime; h, if
   * there, an element of Z_{n^2}^* other than 1 and -1. This catches broken keys. It does not prove n to be a
   * product of two primes or h to be an n-th power: a key's owner is trusted with the plaintexts anyway.
   * @throws ERR_KEY_INVALID, ERR_KEY_TOO_SHORT
   * @example
   * import { PublicKey } from '@eigenveil/paillier';
   *
   * const publicKey = PublicKey.fromJSON(JSON.parse(text));
   */
  static fromJSON(json: unknown, options: KeyOptions = {}): PublicKey {
    const slices = inSlices(json, options);
    for (let slice = slices.next(); ; slice = slices.next()) if (slice.done) return slice.value;
  }

  /**
   * Does the same, with other work of the thread between slices of a few milliseconds: the page of an owner
   * goes on answering.
   * @throws as fromJSON
   */
  static async fromJSONInTurns(json: unknown, options: KeyOptions = {}): Promise<PublicKey> {
    const slices = inSlices(json, options);
    for (let slice = slices.next(); ; slice = slices.next()) {
      if (slice.done) return slice.value;
      await nextTurn();
    }
  }
}

function* inSlices(json: unknown, { allowInsecureKey = false }: KeyOptions): Slices<PublicKey> {
  const { n, h } = readIntegers(json, ['n'], ['h']);
  const key = new PublicKey({ n: n!, h });
  checkKeyLength(key.bits, allowInsecureKey);
  yield* checkModulus(key.n);
  if (h !== undefined) checkBase(key, h);
  return key;
}

/** @throws ERR_KEY_TOO_SHORT, or ERR_KEY_INVALID for a length no key may have */
export function checkKeyLength(bits: number, allowInsecureKey: boolean): void {
  const shortest = allowInsecureKey ? SHORTEST_KEY_BITS : SECURE_KEY_BITS;
  if (bits < shortest) {
    throw new CodedError(
      PAILLIER_CODES.ERR_KEY_TOO_SHORT,
      `key length expected of at least ${shortest} bits, got ${bits}`,
    );
  }
  if (!Number.isInteger(bits) || bits % 8 !== 0 || bits > LONGEST_KEY_BITS) {
    throw new CodedError(
      PAILLIER_CODES.ERR_KEY_INVALID,
      `key length expected as a multiple of 8 of at most ${LONGEST_KEY_BITS} bits, got ${bits}`,
    );
  }
}

function* checkModulus(n: bigint): Slices<void> {
  if (n % 2n === 0n) throw new CodedError(PAILLIER_CODES.ERR_KEY_INVALID, 'modulus n expected odd');
  yield;
  if (smallPrimes().some((prime) => n % prime === 0n)) {
    throw new CodedError(PAILLIER_CODES.ERR_KEY_INVALID, 'modulus n expected without a small factor');
  }
  yield;
  if (yield* isFermatProbablePrime(n))
    throw new CodedError(PAILLIER_CODES.ERR_KEY_INVALID, 'modulus n expected composite, got a prime');
  yield;
}

/**
 * Says whether 2^(n - 1) = 1 mod n, as for every odd prime n (Fermat). So no prime passes for a modulus, in a
 * browser either, where there is no other test. A composite with that property is refused, too; of the keys
 * that `generateKeyPair` makes, one in some 2^1000 is.
 */
function* isFermatProbablePrime(n: bigint): Slices<boolean> {
  const modulus = new Modulus(n);
  let power = 1n;
  for (const [i, bit] of [...(n - 1n).toString(2)].entries()) {
    if (i % SQUARINGS_OF_A_SLICE === SQUARINGS_OF_A_SLICE - 1) yield;
    power = modulus.reduce((power * power) << (bit === '1' ? 1n : 0n));
  }
  return power === 1n;
}

export function checkBase({ n, nSquared }: PublicKey, h: bigint): void {
  if (h <= 1n || h >= nSquared - 1n || gcd(h, n) !== 1n) {
    throw new CodedError(PAILLIER_CODES.ERR_KEY_INVALID, 'base h expected invertible and in [2, n^2 - 2]');
  }
}

let cachedSmallPrimes: bigint[] | undefined;

/** Odd primes below 2^16, by the sieve of Eratosthenes. */
function smallPrimes(): bigint[] {
  if (cachedSmallPrimes === undefined) {
    const composite = new Uint8Array(TRIAL_DIVISION_BOUND);
    cachedSmallPrimes = [];
    for (let i = 3; i < TRIAL_DIVISION_BOUND; i += 2) {
      if (composite[i]) continue;
      cachedSmallPrimes.push(BigInt(i));
      for (let multiple = i * i; multiple < TRIAL_DIVISION_BOUND; multiple += 2 * i) composite[multiple] = 1;
    }
  }
  return cachedSmallPrimes;
}

/**
 * Reads the named base64url integers of an untrusted object; h of an n of 4096 bits is the longest there can
 * be.
 */
export function readIntegers(
  json: unknown,
  required: readonly string[],
  optional: readonly string[],
): Record<string, bigint | undefined> {
  if (typeof json !== 'object' || json === null) {
    throw new CodedError(PAILLIER_CODES.ERR_KEY_INVALID, 'key expected as a JSON object');
  }
  const longest = Math.ceil((2 * LONGEST_KEY_BITS) / 6);
  const integers: Record<string, bigint | undefined> = {};
  for (const name of [...required, ...optional]) {
    const text: unknown = Object.hasOwn(json, name) ? json[name as keyof typeof json] : undefined;
    if (text === undefined && optional.includes(name)) continue;
    if (typeof text !== 'string' || text.length > longest) {
      throw new CodedError(
        PAILLIER_CODES.ERR_KEY_INVALID,
        `key member "${name}" expected as text of at most ${longest} characters`,
      );
    }
    try {
      integers[name] = decodeBigint(text);
    } catch (cause) {
      throw new CodedError(
        PAILLIER_CODES.ERR_KEY_INVALID,
        `key member "${name}" expected as a base64url integer`,
        {
          cause,
        },
      );
    }
  }
  return integers;
}
