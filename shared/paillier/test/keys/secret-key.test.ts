import { generatePrimeSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decrypt, encodeBigint, encrypt, generateKeyPair, PublicKey, SecretKey } from '../../src/index.ts';
import { greatestCommonDivisor, inverse, power } from '../arithmetic.ts';
import { standardTestKey, testKey } from '../keys.ts';

const insecure = { allowInsecureKey: true };
const invalid = expect.objectContaining({ code: 'ERR_KEY_INVALID' });
const tooShort = expect.objectContaining({ code: 'ERR_KEY_TOO_SHORT' });

/** A copy of the JSON of a test key with some members replaced. */
function changed(members: Record<string, unknown>): unknown {
  return { ...testKey(1024).toJSON(), ...members };
}

describe('generated keys', () => {
  it.each([
    ['standard', 512],
    ['djn', 512],
    ['standard', 1024],
    ['djn', 1032],
  ] as const)('%s keys of %i bits have exactly that length and work', async (scheme, bits) => {
    const key = await generateKeyPair({ bits, scheme, allowInsecureKey: true });
    expect(key.publicKey.bits).toBe(bits);
    expect(key.publicKey.n).toBe(key.p * key.q);
    expect(key.publicKey.nSquared).toBe(key.publicKey.n ** 2n);
    expect(key.publicKey.ciphertextBytes).toBe(bits / 4);
    expect(decrypt(key, encrypt(key.publicKey, 12345n, scheme))).toBe(12345n);
    expect(SecretKey.fromJSON(key.toJSON(), insecure).toJSON()).toEqual(key.toJSON());
  });

  it('standard keys have no h', async () => {
    const { publicKey } = await generateKeyPair({ bits: 512, scheme: 'standard', allowInsecureKey: true });
    expect(publicKey.h).toBeUndefined();
    expect(publicKey.toJSON()).not.toHaveProperty('h');
  });

  it('Damgard-Jurik-Nielsen keys have Blum primes and an h of the right kind', async () => {
    const { p, q, publicKey } = await generateKeyPair({ bits: 512, scheme: 'djn', allowInsecureKey: true });
    expect([p % 4n, q % 4n]).toEqual([3n, 3n]);
    const euler = ((p - 1n) / 2n) * ((q - 1n) / 2n);
    expect([euler % 2n, greatestCommonDivisor(p - 1n, q - 1n)]).toEqual([1n, 2n]);
    const { n, nSquared, h } = publicKey;
    // h_s is an n-th residue: its order divides phi(n).
    expect(power(h!, 4n * euler, nSquared)).toBe(1n);
    // h = h_s^(1/n) mod n is minus a square: a non-residue mod p and mod q, so of Jacobi symbol 1.
    const root = power(h! % n, inverse(n, 4n * euler), n);
    expect(power(root, (p - 1n) / 2n, p)).toBe(p - 1n);
    expect(power(root, (q - 1n) / 2n, q)).toBe(q - 1n);
    expect(power(root, n, nSquared)).toBe(h);
  });

  it('are refused where they are too short, too long or of odd length', async () => {
    await expect(generateKeyPair({ bits: 1024, scheme: 'standard' })).rejects.toThrow(tooShort);
    await expect(generateKeyPair({ bits: 2040, scheme: 'djn' })).rejects.toThrow(tooShort);
    await expect(generateKeyPair({ bits: 256, scheme: 'djn', ...insecure })).rejects.toThrow(tooShort);
    await expect(generateKeyPair({ bits: 2052, scheme: 'standard' })).rejects.toThrow(invalid);
    await expect(generateKeyPair({ bits: 8192, scheme: 'standard' })).rejects.toThrow(invalid);
    await expect(generateKeyPair({ bits: Number.NaN, scheme: 'standard' })).rejects.toThrow(invalid);
  });
});

describe('JSON of keys', () => {
  it.each([1024, 2048, 3072] as const)('round-trips at %i bits', (bits) => {
    for (const key of [testKey(bits), standardTestKey(bits)]) {
      const secret = SecretKey.fromJSON(JSON.parse(JSON.stringify(key)), insecure);
      expect([secret.p, secret.q]).toEqual([key.p, key.q]);
      expect(secret.publicKey).toEqual(key.publicKey);
      expect(PublicKey.fromJSON(JSON.parse(JSON.stringify(key.publicKey)), insecure)).toEqual(key.publicKey);
    }
  });

  it('asks for consent to a short key', () => {
    expect(() => PublicKey.fromJSON(testKey(1024).publicKey.toJSON())).toThrow(tooShort);
    expect(() => SecretKey.fromJSON(testKey(1024).toJSON())).toThrow(tooShort);
    expect(PublicKey.fromJSON(testKey(2048).publicKey.toJSON()).bits).toBe(2048);
  });

  it.each([
    ['no object', 'n'],
    ['null', null],
    ['no n', {}],
    ['n as a number', changed({ n: 5 })],
    ['n with a leading zero byte', changed({ n: `AA${testKey(1024).publicKey.toJSON().n}` })],
    ['n of a length that is no multiple of 8', changed({ n: encodeBigint(testKey(1024).publicKey.n >> 3n) })],
    ['n too long', changed({ n: encodeBigint((1n << 4104n) - 1n) })],
    ['an endless n', changed({ n: 'B'.repeat(1e6) })],
    ['n even', changed({ n: encodeBigint(testKey(1024).publicKey.n - 1n) })],
    ['n with the factor 3', changed({ n: encodeBigint(3n * primeWithTopBits(1022)) })],
    ['n with the factor 65521', changed({ n: encodeBigint(65521n * primeWithTopBits(1008)) })],
    ['n prime', changed({ n: encodeBigint(primeWithTopBits(1024)) })],
    ['h = 0', changed({ h: 'AA' })],
    ['h = 1', changed({ h: 'AQ' })],
    ['h = n^2 - 1', changed({ h: encodeBigint(testKey(1024).publicKey.nSquared - 1n) })],
    ['h beyond n^2', changed({ h: encodeBigint(testKey(1024).publicKey.nSquared + 5n) })],
    ['h a multiple of p', changed({ h: encodeBigint(testKey(1024).p * 5n) })],
    ['h null', changed({ h: null })],
  ])('refuses a public key with %s', async (_, json) => {
    expect(() => PublicKey.fromJSON(json, insecure)).toThrow(invalid);
    await expect(PublicKey.fromJSONInTurns(json, insecure)).rejects.toThrow(invalid);
  });

  it.each([2048, 3072] as const)('lets others work while a key of %i bits is checked', async (bits) => {
    const { publicKey } = testKey(bits);
    let turns = 0;
    let next: NodeJS.Immediate;
    const others = () => {
      turns += 1;
      next = setImmediate(others);
    };
    next = setImmediate(others);
    try {
      await expect(PublicKey.fromJSONInTurns(publicKey.toJSON())).resolves.toEqual(publicKey);
    } finally {
      clearImmediate(next);
    }
    expect(turns).toBeGreaterThanOrEqual(bits / 256);
  });

  it('does not take members from a prototype', () => {
    expect(() => PublicKey.fromJSON(Object.create(testKey(1024).publicKey.toJSON()), insecure)).toThrow(
      invalid,
    );
  });

  const { p, q } = testKey(1024);
  const product = (a: bigint, b: bigint) => ({
    n: encodeBigint(a * b),
    p: encodeBigint(a),
    q: encodeBigint(b),
  });
  it.each([
    ['no p', { n: product(p, q).n, q: product(p, q).q }],
    ['another n', { ...product(p, q), n: encodeBigint(p * q + 2n) }],
    ['p = q', product(p, p)],
    ['a factor 1', product(p * q, 1n)],
    ['primes of unequal length', product(primeWithTopBits(504), primeWithTopBits(520))],
    ['p composite', product(primeWithTopBits(256) * primeWithTopBits(256), q)],
    ['close primes', closePrimes()],
    ['h without Blum primes', { ...testKey(1024).toJSON(), ...notBlum() }],
  ])('refuses a secret key with %s', (_, json) => {
    expect(() => SecretKey.fromJSON(json, insecure)).toThrow(invalid);
  });

  it('keeps the primes out of logs', () => {
    const text = inspect(testKey(512), { depth: null, showHidden: true });
    expect(text).not.toContain(String(testKey(512).p));
    expect(text).not.toContain(String(testKey(512).q));
  });
});

/** OpenSSL sets the two top bits, so that a product of two has its full length. */
function primeWithTopBits(bits: number): bigint {
  return generatePrimeSync(bits, { bigint: true });
}

function closePrimes(): Record<string, string> {
  const p = primeWithTopBits(512);
  const step = 2n;
  let q = p + step;
  while (power(2n, q - 1n, q) !== 1n) q += step;
  return { n: encodeBigint(p * q), p: encodeBigint(p), q: encodeBigint(q) };
}

function notBlum(): Record<string, string> {
  const p = generatePrimeSync(512, { bigint: true, add: 4n, rem: 1n });
  const { q } = testKey(1024);
  return { n: encodeBigint(p * q), p: encodeBigint(p), q: encodeBigint(q), h: 'BQ' };
}
