/** How much randomness each draw takes, and where it goes. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { modPow } from 'bigint-crypto-utils';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decrypt, drawBlinding, encrypt, makePacking } from '../src/index.ts';
import { testKey } from './keys.ts';

/** The system's randomness, looked at until the test has finished. */
function spyOnRandomness() {
  const draw = vi.spyOn(crypto as { randomFillSync: (bytes: Uint8Array) => Uint8Array }, 'randomFillSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    draw.mockRestore();
    syncBuiltinESMExports();
  });
  return draw;
}

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
  spyOnRandomness().mockImplementation((bytes) => bytes.fill(0xff));
  const longest = (1n << BigInt(publicKey.bits / 2)) - 1n;
  expect(encrypt(publicKey, 0n, 'djn')).toBe(modPow(publicKey.h!, longest, publicKey.nSquared));
});

test('decryption adds a fresh number below n to what it works on', () => {
  const key = testKey(512);
  const ciphertext = encrypt(key.publicKey, 5n, 'standard');
  const draw = spyOnRandomness();
  expect(decrypt(key, ciphertext)).toBe(5n);
  expect(draw.mock.calls.map(([bytes]) => bytes.length)).toContain(key.publicKey.bits / 8);
});
