/** Streams of an answer's seed: the same again for the same seed and purpose, others for others, and none twice. */
import { createCipheriv, hkdfSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyFrom, streamsFrom } from '../../src/oblivious-transfer/randomness.ts';

const SEED = new Uint8Array(32).fill(7);
const bytes = (seed: Uint8Array, purpose: string) =>
  Buffer.from(streamsFrom(seed)(purpose)(64)).toString('hex');

it('is AES-256 in counter mode under a key by HKDF, however it is cut', () => {
  const key = Buffer.from(hkdfSync('sha256', SEED, '', 'eigenveil answer v1: products', 32));
  const expected = createCipheriv('aes-256-ctr', key, new Uint8Array(16)).update(new Uint8Array(64));
  const stream = streamsFrom(SEED)('products');
  expect(Buffer.concat([stream(1), stream(0), stream(40), stream(23)])).toEqual(expected);
});

it('is another for another purpose or seed', () => {
  const all = [
    bytes(SEED, 'products'),
    bytes(SEED, 'rotation'),
    bytes(
      SEED.map((byte) => byte ^ 1),
      'products',
    ),
  ];
  expect(new Set(all).size).toBe(3);
  expect(bytes(SEED, 'products')).toBe(all[0]);
});

it('is given once for each purpose', () => {
  const streams = streamsFrom(SEED);
  streams('products');
  streams('rotation');
  expect(() => streams('products')).toThrow(TypeError);
});

it('takes no seed of another length', () => {
  expect(() => keyFrom(new Uint8Array(31), 'products')).toThrow(RangeError);
});
