/**
 * What the correlator sends, against a slow reading of hash.ts and layout.ts: masks that both ends got wrong in the same way
 * would still give right products.
 */
import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BLOCK_ROWS } from '../../src/oblivious-transfer/extension.ts';
import { CHUNK_HASHES } from '../../src/products/hash.ts';
import { chunks, digitsPerEntry, type ProductSize, transferCount } from '../../src/products/layout.ts';
import { PRODUCT_MESSAGE } from '../../src/products/messages.ts';
import { messagesOf } from '../garbling/transcript.ts';
import { randomCase, session } from './parties.ts';

const BLOCK = 16;

function permute(key: Uint8Array, block: Uint8Array): Buffer {
  return createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block);
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!));
}

function tmmo(key: Uint8Array, x: Uint8Array, tweak: number): Buffer {
  const i = Buffer.alloc(BLOCK);
  i.writeUInt32LE(tweak);
  const inner = permute(key, x);
  return xor(permute(key, xor(inner, i)), inner);
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
}

describe('the messages of the correlator', () => {
  it.each([
    [[3, 2, 4], 13, 65, 'whole'],
    [[3, 2, 3], 6, 222, 'upper'],
    [[40, 1, 1], 64, 64, 'whole'],
    [[2, 1, 40], 9, 256, 'whole'],
  ] as const)(
    'of a %j product of %i and %i bits, %s, are masked as described',
    async (shape, entryBits, ringBits, part) => {
      const { multiply, sender, sentByCorrelator } = await session();
      const rows: Uint8Array[] = [];
      const { blocks } = sender;
      sender.blocks = async function* (count) {
        for await (const block of blocks.call(sender, count)) {
          for (let at = 0; at < block.rows.length; at += BLOCK) rows.push(block.rows.slice(at, at + BLOCK));
          yield block;
        }
      };
      const product = randomCase(shape, entryBits, ringBits, part);
      const { correlated } = await multiply(product);
      const [opening, ...messages] = messagesOf(sentByCorrelator);
      const check = messages.pop();
      expect([opening?.type, opening?.payload.length]).toEqual([PRODUCT_MESSAGE.opening, 16]);
      expect([check?.type, check?.payload.length]).toEqual([PRODUCT_MESSAGE.check, 32]);

      const [m, n, c] = shape;
      const shares = product.a.map(() => new Array<bigint>(c).fill(0n));
      const keys = new Set<string>();
      let digit = 0;
      let message = { left: Buffer.alloc(0), key: Buffer.alloc(0) };
      for (const chunk of chunks({ rows: m, inner: n, columns: c, entryBits, ringBits, part })) {
        const next = messages.shift()!;
        expect(next.type).toBe(PRODUCT_MESSAGE.chunk);
        const payload = Buffer.from(next.payload);
        message = { key: payload.subarray(0, BLOCK), left: payload.subarray(BLOCK * (1 + chunk.count)) };
        keys.add(message.key.toString('hex'));
        let tweak = chunk.count;
        for (let d = 0; d < chunk.count; d += 1, digit += 1) {
          const [q, second] = [rows[2 * digit]!, rows[2 * digit + 1]!];
          const nodes = [q, xor(q, sender.delta)] as const;
          const hashes = nodes.map((node) => tmmo(message.key, node, d)) as [Buffer, Buffer];
          const sent = payload.subarray(BLOCK * (1 + d), BLOCK * (2 + d));
          expect(xor(xor(hashes[0], hashes[1]), second)).toEqual(sent);
          const leaves = nodes.flatMap((node, a) => [hashes[a]!, xor(node, hashes[a]!)]);
          const i = Math.floor((chunk.first + d) / n);
          const k = (chunk.first + d) % n;
          const from = part === 'upper' ? i : 0;
          const width = Math.ceil((ringBits - 2 * chunk.t) / 8);
          const length = (c - from) * width + 8;
          const masks = leaves.map((leaf) =>
            Buffer.concat(
              Array.from({ length: Math.ceil(length / BLOCK) }, (_, block) =>
                tmmo(message.key, leaf, tweak + block),
              ),
            ),
          );
          tweak += Math.ceil(length / BLOCK);
          const maskedAs = (at: number, bytes: number, value: bigint) => {
            const e = masks.map((mask) => numberOf(mask.subarray(at, at + bytes)));
            const sum = e[0]! + e[1]! + e[2]! + e[3]!;
            expect(numberOf(message.left.subarray(at, at + bytes))).toBe(
              BigInt.asUintN(8 * bytes, value - sum),
            );
            return e[1]! + 2n * e[2]! + 3n * e[3]!;
          };
          for (let j = from; j < c; j += 1) {
            const gain = maskedAs((j - from) * width, width, product.c[k]![j]!);
            shares[i]![j]! +=
              (gain << BigInt(2 * chunk.t)) -
              (product.c[k]![j]! << BigInt(entryBits - 1)) * BigInt(chunk.t === 0);
          }
          maskedAs((c - from) * width, 8, 0n);
          message.left = message.left.subarray(length);
        }
        expect(message.left.length).toBe(0);
      }
      expect(messages).toEqual([]);
      expect(2 * digit).toBe(rows.length);
      expect(correlated).toEqual(shares.map((row) => row.map((share) => BigInt.asUintN(ringBits, share))));
      expect(keys.size).toBe(
        [...chunks({ rows: m, inner: n, columns: c, entryBits, ringBits, part })].length,
      );
    },
  );
});

describe('chunks', () => {
  const sizes: ProductSize[] = [
    { rows: 50, inner: 50, columns: 50, entryBits: 81, ringBits: 222, part: 'whole' },
    { rows: 50, inner: 50, columns: 50, entryBits: 81, ringBits: 222, part: 'upper' },
    { rows: 1275, inner: 1, columns: 1, entryBits: 222, ringBits: 222, part: 'whole' },
    { rows: 3, inner: 5, columns: 256, entryBits: 256, ringBits: 256, part: 'whole' },
    { rows: 1, inner: 1, columns: 1, entryBits: 1, ringBits: 1, part: 'whole' },
  ];

  it.each(sizes)('of %j cover every digit once, in order, and stay within their limits', (size) => {
    const perPass = size.rows * size.inner;
    let digit = 0;
    for (const chunk of chunks(size)) {
      const pass = Math.floor(digit / perPass);
      expect(chunk.count).toBeGreaterThan(0);
      expect(chunk.t).toBe(digitsPerEntry(size) - 1 - pass);
      expect(chunk.first).toBe(digit - pass * perPass);
      const end = digit + chunk.count;
      expect(chunk.ends).toBe(end % perPass === 0);
      expect(Math.floor((end - 1) / perPass)).toBe(pass);
      expect(Math.floor((2 * end - 1) / BLOCK_ROWS)).toBe(Math.floor((2 * digit) / BLOCK_ROWS));
      // Two nodes of two evaluations each and four leaves' first ones per digit, and every block of every leaf.
      expect(4 * chunk.blocks + 8 * chunk.count).toBeLessThanOrEqual(CHUNK_HASHES);
      digit = end;
    }
    expect(2 * digit).toBe(transferCount(size));
  });
});
