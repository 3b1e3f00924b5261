/** How much randomness each draw takes, and where it goes; alone in its file, since it takes the place of the system's. */
import { randomBytes } from '@eigenveil/platform';
import { modPow } from 'bigint-crypto-utils';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decrypt, drawBlinding, encrypt, makePacking } from '../src/index.ts';
import { testKey } from './keys.ts';

vi.mock('@eigenveil/platform', async (importOriginal) => {
  const original = await importOriginal<typeof import('@eigenveil/platform')>();
  return { ...original, randomBytes: vi.fn(original.randomBytes) };
});

const draw = vi.mocked(randomBytes);

afterEach(() => draw.mockReset());

describe('blinding', () => {
  const packing = makePacking({ valueBits: [1, 8, 30], statisticalSecurityBits: 40, plaintextBits: 511 });

  test.each([
    ['at its least is 2^(b-1), which makes the least value 0', 0x00, () => 0n],
    ['at its most fills the random bits above', 0xff, (bits: number) => (1n << BigInt(bits)) - 1n],
  ])('%s', (_, byte, random) => {
    const expected = packing.valueBits.map(
      (bits, i) => (1n << BigInt(bits - 1)) + random(packing.blindingBits[i]!),
    );
    expect([...drawBlinding(packing, (bytes) => Buffer.alloc(bytes, byte))]).toEqual(expected);
  });
});

test('a randomiser of djn has an exponent of half the length of n', () => {
  const { publicKey } = testKey(512);
  draw.mockImplementation((bytes) => new Uint8Array(bytes).fill(0xff));
  const longest = (1n << BigInt(publicKey.bits / 2)) - 1n;
  expect(encrypt(publicKey, 0n, 'djn')).toBe(modPow(publicKey.h!, longest, publicKey.nSquared));
});

test('decryption adds a fresh number below n to what it works on', () => {
  const key = testKey(512);
  const ciphertext = encrypt(key.publicKey, 5n, 'standard');
  draw.mockClear();
  expect(decrypt(key, ciphertext)).toBe(5n);
  expect(draw).toHaveBeenCalledWith(key.publicKey.bits / 8);
});
