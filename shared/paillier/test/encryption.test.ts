/**
 * Encryption and decryption: known answers, sums, refusals, and randomisers of full length.
 *
 * @claims S-72
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FixedBase } from '../src/arithmetic/fixed-base.ts';
import { encryptMany, standardRandomiser, withRandomiser } from '../src/encryption.ts';
import { add, type Ciphertext, decodeBigint, decrypt, encrypt } from '../src/index.ts';
import { inverse, jacobi, power } from './arithmetic.ts';
import known from './data/known-answers.json' with { type: 'json' };
import { standardTestKey, type TestKeyBits, testKey } from './keys.ts';

const key = testKey(512);
const { publicKey } = key;
const { n, nSquared } = publicKey;
const plaintext = fc.oneof(
  fc.bigInt({ min: 0n, max: n - 1n }),
  fc.constantFrom(0n, 1n, n - 1n, n / 2n, key.p, key.q, key.p * 3n),
);
const schemes = ['standard', 'djn'] as const;
const someRuns = { numRuns: 25 };

describe('known answers', () => {
  const answers = known.answers.map(({ bits, ...integers }) => {
    const [m, r, standard, a, djn] = [
      integers.m,
      integers.r,
      integers.standard,
      integers.a,
      integers.djn,
    ].map(decodeBigint);
    return { bits: bits as TestKeyBits, m: m!, r: r!, standard: standard!, a: a!, djn: djn! };
  });

  it.each(answers)('of $bits bits: encryption and decryption', ({ bits, m, r, standard, a, djn }) => {
    const secret = testKey(bits);
    const { h, ...key } = secret.publicKey;
    expect(withRandomiser(secret.publicKey, m, standardRandomiser(secret.publicKey, r))).toBe(standard);
    const fixedBase = new FixedBase(key.n, h!, bits / 2, 4);
    expect(withRandomiser(secret.publicKey, m, fixedBase.power(a))).toBe(djn);
    expect(decrypt(secret, standard as Ciphertext)).toBe(m);
    expect(decrypt(secret, djn as Ciphertext)).toBe(m);
  });
});

describe.each(schemes)('%s encryption', (scheme) => {
  it('decrypts to the plaintext', () => {
    fc.assert(
      fc.property(plaintext, (m) => {
        expect(decrypt(key, encrypt(publicKey, m, scheme))).toBe(m);
      }),
      someRuns,
    );
  });

  it('is different each time', () => {
    const ciphertexts = encryptMany(publicKey, new Array(40).fill(7n), scheme);
    expect(new Set(ciphertexts).size).toBe(40);
    expect(new Set(ciphertexts.map((c) => c % n)).size).toBe(40);
  });

  it('adds', () => {
    fc.assert(
      fc.property(plaintext, plaintext, (a, b) => {
        const [x, y] = encryptMany(publicKey, [a, b], scheme);
        expect(decrypt(key, add(publicKey, x!, y!))).toBe((a + b) % n);
      }),
      someRuns,
    );
  });

  it('refuses a plaintext outside [0, n), naming which', () => {
    for (const m of [-1n, n, n + 7n]) {
      expect(() => encryptMany(publicKey, [1n, m], scheme)).toThrow(
        expect.objectContaining({
          code: 'ERR_PLAINTEXT_OUT_OF_RANGE',
          message: expect.stringContaining('plaintext 1 '),
        }),
      );
    }
  });
});

describe('randomisers', () => {
  /** r of c = (1 + m n) r^n: what the key holder can always extract. */
  const randomiserOf = (c: bigint) => {
    const d = inverse(n, (key.p - 1n) * (key.q - 1n));
    return power(c % n, d, n);
  };

  it('are of full length once a zero of the standard scheme is added to a ciphertext of the short-exponent scheme', () => {
    const ciphertext = encrypt(publicKey, 5n, 'djn');
    // h = -x^2 has Jacobi symbol 1, and so has every power of it. Fresh units of Z_n^* have it half the time only.
    const symbols = Array.from({ length: 64 }, () =>
      jacobi(randomiserOf(add(publicKey, ciphertext, encrypt(publicKey, 0n, 'standard'))), n),
    );
    expect(new Set(symbols)).toEqual(new Set([1, -1]));
    const djn = encryptMany(publicKey, new Array(64).fill(5n), 'djn').map((c) => jacobi(randomiserOf(c), n));
    expect(new Set(djn)).toEqual(new Set([1]));
  });

  it('of the short-exponent scheme need a key made for it', () => {
    expect(() => encrypt(standardTestKey(512).publicKey, 1n, 'djn')).toThrow(
      expect.objectContaining({ code: 'ERR_SCHEME_UNAVAILABLE' }),
    );
  });
});

describe('decryption', () => {
  it('equals the textbook formula', () => {
    const lambda = (key.p - 1n) * (key.q - 1n);
    const mu = inverse(lambda, n);
    fc.assert(
      fc.property(plaintext, fc.constantFrom(...schemes), (m, scheme) => {
        const ciphertext = encrypt(publicKey, m, scheme);
        const textbook = (((power(ciphertext, lambda, nSquared) - 1n) / n) * mu) % n;
        expect(decrypt(key, ciphertext)).toBe(textbook);
      }),
      someRuns,
    );
  });

  it('reads plaintexts without a randomiser, and with the randomiser -1', () => {
    for (const m of [0n, 1n, key.p, n - 1n]) {
      expect(decrypt(key, (1n + m * n) as Ciphertext)).toBe(m);
      expect(decrypt(key, (nSquared - 1n - m * n) as Ciphertext)).toBe(m);
    }
  });

  it.each([
    ['0', 0n],
    ['n^2', nSquared],
    ['a negative number', -1n],
    ['n', n],
    ['a multiple of p', key.p * 12345n],
    ['a multiple of q', key.q * 12345n],
  ])('refuses %s', (_, ciphertext) => {
    expect(() => decrypt(key, ciphertext as Ciphertext)).toThrow(
      expect.objectContaining({ code: 'ERR_CIPHERTEXT_INVALID' }),
    );
  });
});
