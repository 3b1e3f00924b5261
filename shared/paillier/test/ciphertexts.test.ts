import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigintToBytes } from '../src/arithmetic/bytes.ts';
import { encryptMany } from '../src/encryption.ts';
import { aggregateContributions } from '../src/homomorphic.ts';
import { type Ciphertext, decodeCiphertexts, decrypt, encodeCiphertexts, encrypt } from '../src/index.ts';
import { errorOf, testKey } from './keys.ts';

const key = testKey(512);
const { publicKey } = key;
const { n, nSquared, ciphertextBytes } = publicKey;
const COUNT = 13;
const honest = encodeCiphertexts(
  publicKey,
  encryptMany(
    publicKey,
    Array.from({ length: COUNT }, (_, i) => BigInt(i)),
    'djn',
  ),
);

/** The honest bytes with other numbers at some positions. */
function tampered(changes: Record<number, bigint>): Uint8Array {
  const bytes = honest.slice();
  for (const [index, value] of Object.entries(changes)) {
    bytes.set(bigintToBytes(value, ciphertextBytes), Number(index) * ciphertextBytes);
  }
  return bytes;
}

function failure(bytes: Uint8Array, count = COUNT): unknown {
  return errorOf(() => decodeCiphertexts(publicKey, bytes, count));
}

describe('encoded ciphertexts', () => {
  it('have a fixed length and round-trip', () => {
    expect(honest.length).toBe(COUNT * ciphertextBytes);
    const ciphertexts = decodeCiphertexts(publicKey, honest, COUNT);
    expect(ciphertexts.map((c) => decrypt(key, c))).toEqual(
      Array.from({ length: COUNT }, (_, i) => BigInt(i)),
    );
    expect(encodeCiphertexts(publicKey, ciphertexts)).toEqual(honest);
    expect(decodeCiphertexts(publicKey, new Uint8Array(), 0)).toEqual([]);
  });

  it('keep leading zero bytes', () => {
    const bytes = encodeCiphertexts(publicKey, [2n as Ciphertext]);
    expect(bytes.length).toBe(ciphertextBytes);
    expect(decodeCiphertexts(publicKey, bytes, 1)).toEqual([2n]);
  });

  it.each([
    ['truncated', honest.slice(0, -1), COUNT],
    ['with a byte too many', new Uint8Array([...honest, 0]), COUNT],
    ['one fewer than announced', honest, COUNT + 1],
    ['one more than announced', honest, COUNT - 1],
    ['empty', new Uint8Array(), 1],
  ])('are refused when %s', (_, bytes, count) => {
    expect(failure(bytes, count)).toMatchObject({ code: 'ERR_CIPHERTEXT_LENGTH' });
  });
});

describe('validation', () => {
  const bad: [string, bigint][] = [
    ['0', 0n],
    ['n^2', nSquared],
    ['all ones', (1n << BigInt(8 * ciphertextBytes)) - 1n],
    ['n', n],
    ['p', key.p],
    ['a multiple of q', key.q * 3n ** 100n],
    ['1, a zero without randomiser', 1n],
    ['a plaintext without randomiser', 1n + 123n * n],
    ['-1, a zero with the randomiser -1', nSquared - 1n],
    ['a plaintext with the randomiser -1', nSquared - 1n - 123n * n],
    ['n - 1', n - 1n],
  ];

  it.each(bad)('refuses %s at every position and names it', (_, value) => {
    for (let index = 0; index < COUNT; index += 1) {
      expect(failure(tampered({ [index]: value }))).toMatchObject({
        code: 'ERR_CIPHERTEXT_INVALID',
        message: expect.stringContaining(`ciphertext ${index} `),
      });
    }
  });

  it('names the first of several', () => {
    const position = fc.integer({ min: 0, max: COUNT - 1 });
    const changes = fc.array(fc.tuple(position, fc.constantFrom(...bad.map(([, value]) => value))), {
      minLength: 1,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const first = Math.min(...list.map(([index]) => index));
        expect(failure(tampered(Object.fromEntries(list)))).toMatchObject({
          message: expect.stringContaining(`ciphertext ${first} `),
        });
      }),
    );
  });

  it('finds factors that only the whole batch would multiply to zero', () => {
    expect(failure(tampered({ 4: key.p, 9: key.q }))).toMatchObject({
      message: expect.stringContaining('ciphertext 4 '),
    });
  });

  it('counts from the given first index', () => {
    expect(errorOf(() => decodeCiphertexts(publicKey, tampered({ 2: 0n }), COUNT, 100))).toMatchObject({
      message: expect.stringContaining('ciphertext 102 '),
    });
  });

  it('accepts the numbers next to the refused ones', () => {
    const allowed = [2n, n - 2n, n + 2n, nSquared - n - 2n, nSquared - 2n];
    expect(decodeCiphertexts(publicKey, encodeCiphertexts(publicKey, allowed as Ciphertext[]), 5)).toEqual(
      allowed,
    );
  });

  it('never gives numbers out of random bytes that break its promise', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 3 * ciphertextBytes, maxLength: 3 * ciphertextBytes }),
        (bytes) => {
          try {
            for (const c of decodeCiphertexts(publicKey, bytes, 3)) {
              expect(c > 1n && c < nSquared && c % key.p !== 0n && c % key.q !== 0n).toBe(true);
            }
          } catch (error) {
            expect(error).toMatchObject({ code: 'ERR_CIPHERTEXT_INVALID' });
          }
        },
      ),
    );
  });
});

describe('aggregation', () => {
  it('adds contributions position by position', () => {
    const values = fc.array(fc.bigInt({ min: 0n, max: n - 1n }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 4 }), (vectors) => {
        const encrypted = vectors.map((vector) => encryptMany(publicKey, vector, 'djn'));
        const rest = encrypted.slice(1).map((ciphertexts) => encodeCiphertexts(publicKey, ciphertexts));
        const sums = aggregateContributions(publicKey, encrypted[0]!, rest).map((c) => decrypt(key, c));
        expect(sums).toEqual([0, 1, 2].map((i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0n) % n));
      }),
      { numRuns: 20 },
    );
  });

  it('refuses a contribution of another length', () => {
    const aggregate = [encrypt(publicKey, 0n, 'djn')];
    expect(errorOf(() => aggregateContributions(publicKey, aggregate, [honest]))).toMatchObject({
      code: 'ERR_CIPHERTEXT_LENGTH',
    });
  });
});
