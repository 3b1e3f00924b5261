/**
 * What the correlator sends, against a slow reading of hash.ts and layout.ts: masks that both ends got wrong in the same way
 * would still give right products.
 */
import { createDecipheriv, createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BLOCK_ROWS } from '../../src/oblivious-transfer/extension.ts';
import { CHUNK_HASHES } from '../../src/products/hash.ts';
import {
  checkSize,
  chunks,
  type DigitBits,
  digitsPerEntry,
  type Part,
  PRODUCT_MESSAGE,
  transferCount,
} from '../../src/products/layout.ts';
import { type Settled, Workspace } from '../../src/products/workspace.ts';
import { messagesOf } from '../support/views.ts';
import { randomCase, session } from './parties.ts';

const BLOCK = 16;

function permute(key: Uint8Array, block: Uint8Array): Buffer {
  return createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block);
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!));
}

function blockOf(tweak: number): Buffer {
  const i = Buffer.alloc(BLOCK);
  i.writeUInt32LE(tweak);
  return i;
}

function tmmo(key: Uint8Array, x: Uint8Array, tweak: number): Buffer {
  const inner = permute(key, x);
  return xor(permute(key, xor(inner, blockOf(tweak))), inner);
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
}

afterEach(() => vi.restoreAllMocks());

/** How many bits longer rings are with so many combinations. */
const GUARDS: Readonly<Record<number, number>> = { 2: 20, 3: 13, 4: 10, 5: 8, 6: 6, 7: 5 };

describe('the messages of the correlator', () => {
  type Masked = readonly [Parameters<typeof randomCase>[0], number, number, Part, DigitBits];
  const title = 'of a %j product of %i and %i bits, %s, are masked as described, in digits of %i bits';
  it.each<Masked>([
    [[3, 2, 4], 13, 65, 'whole', 4],
    [[3, 2, 3], 6, 222, 'upper', 3],
    // More than two combinations.
    [[3, 2, 40], 12, 57, 'whole', 3],
  ])(title, areMasked);
  it.each<Masked>([
    [[3, 2, 3], 6, 222, 'upper', 4],
    [[40, 1, 1], 64, 64, 'whole', 4],
    [[2, 1, 2], 9, 80, 'upper', 4],
    [[2, 1, 40], 9, 300, 'whole', 4],
    // More than is expanded at once.
    [[12, 1, 40], 4, 300, 'whole', 4],
    [[3, 2, 4], 13, 65, 'whole', 3],
    [[24, 1, 40], 3, 300, 'whole', 3],
  ])(title, { tags: ['long'] }, areMasked);

  async function areMasked(...[shape, entryBits, ringBits, part, digitBits]: Masked) {
    const { multiply, sender, sentByCorrelator, sentByChooser } = await session();
    const correlators = new Set<Workspace>();
    const { place, settled } = Workspace.prototype;
    vi.spyOn(Workspace.prototype, 'place').mockImplementation(function (this: Workspace, ...placed) {
      correlators.add(this);
      place.apply(this, placed);
    });
    const kept: Settled[] = [];
    vi.spyOn(Workspace.prototype, 'settled').mockImplementation(function (this: Workspace) {
      const its = settled.call(this);
      if (correlators.has(this)) kept.push(its);
      return its;
    });
    const rows: Uint8Array[] = [];
    const { blocks } = sender;
    sender.blocks = async function* (count) {
      for await (const block of blocks.call(sender, count)) {
        for (let at = 0; at < block.rows.length; at += BLOCK) rows.push(block.rows.slice(at, at + BLOCK));
        yield block;
      }
    };
    const product = { ...randomCase(shape, entryBits, ringBits, part), digitBits };
    const { correlated } = await multiply(product);
    const messages = messagesOf(sentByCorrelator);
    const check = Buffer.from(messages.pop()!.payload);
    const challenge = messagesOf(sentByChooser).at(-1)!.payload;

    const [m, n, c] = shape;
    const size = checkSize({ rows: m, inner: n, columns: c, entryBits, ringBits, part, digitBits });
    const { combinations } = size;
    const ring = ringBits + GUARDS[combinations]!;
    const thresholds = part === 'upper' ? m + 1 : 1;
    const places = thresholds * combinations;
    /** By row of C and place. */
    const masks = product.c.map((_, k) =>
      Array.from({ length: places }, (_, place) => kept[0]!.mask(k, place)),
    );
    const maskShares = product.a.map(() =>
      new Array<bigint>(combinations * (part === 'upper' ? 2 : 1)).fill(0n),
    );
    const columnShares = product.a.map(() => new Array<bigint>(c).fill(0n));
    const shares = product.a.map(() => new Array<bigint>(c).fill(0n));
    const keys = new Set<string>();
    let digit = 0;
    let message = { left: Buffer.alloc(0), key: Buffer.alloc(0) };
    for (const chunk of chunks(size)) {
      const next = messages.shift()!;
      expect(next.type).toBe(PRODUCT_MESSAGE.chunk);
      const payload = Buffer.from(next.payload);
      message = {
        key: payload.subarray(0, BLOCK),
        left: payload.subarray(BLOCK * (1 + (digitBits - 1) * chunk.count)),
      };
      keys.add(message.key.toString('hex'));
      let tweak = (digitBits - 1) * chunk.count;
      for (let d = 0; d < chunk.count; d += 1, digit += 1) {
        const q = rows[digitBits * digit]!;
        let leaves = [q, xor(q, sender.delta)] as readonly Uint8Array[];
        for (let level = 1; level < digitBits; level += 1) {
          const first = (level - 1) * chunk.count;
          const hashes = leaves.map((node) => tmmo(message.key, node, first + d));
          const at = BLOCK * ((digitBits - 1) * d + level);
          expect(hashes.reduce(xor, Buffer.from(rows[digitBits * digit + level]!))).toEqual(
            payload.subarray(at, at + BLOCK),
          );
          leaves = leaves.flatMap((node, a) => [hashes[a]!, xor(node, hashes[a]!)]);
        }
        const i = Math.floor((chunk.first + d) / n);
        const k = (chunk.first + d) % n;
        const from = part === 'upper' ? i : 0;
        const width = Math.ceil((ring - digitBits * chunk.t) / 8);
        const length = (c - from + maskShares[i]!.length) * width;
        const leafMasks = leaves.map((leaf) =>
          Buffer.concat(
            Array.from({ length: Math.ceil(length / BLOCK) }, (_, block) =>
              xor(tmmo(message.key, leaf, tweak + block + 1), blockOf(tweak + block)),
            ),
          ),
        );
        tweak += 1 + Math.ceil(length / BLOCK);
        const maskedAs = (at: number, bytes: number, value: bigint) => {
          const e = leafMasks.map((mask) => numberOf(mask.subarray(at, at + bytes)));
          const sum = e.reduce((total, mask) => total + mask);
          // Nothing is said of bits above the ring.
          const bits = Math.min(8 * bytes, ring);
          const sent = numberOf(message.left.subarray(at, at + bytes));
          expect(BigInt.asUintN(bits, sent)).toBe(BigInt.asUintN(bits, value - sum));
          return e.reduce((total, mask, x) => total + BigInt(x) * mask, 0n);
        };
        for (let j = from; j < c; j += 1) {
          const gain = maskedAs((j - from) * width, width, product.c[k]![j]!);
          columnShares[i]![j]! += gain << BigInt(digitBits * chunk.t);
          shares[i]![j]! +=
            (gain << BigInt(digitBits * chunk.t)) -
            (product.c[k]![j]! << BigInt(entryBits - 1)) * BigInt(chunk.t === 0);
        }
        for (const q of maskShares[i]!.keys()) {
          const gain = maskedAs((c - from + q) * width, width, masks[k]![from * combinations + q]!);
          maskShares[i]![q]! += gain << BigInt(digitBits * chunk.t);
        }
        message.left = message.left.subarray(length);
      }
      expect(message.left.length).toBe(0);
    }
    expect(messages).toEqual([]);
    expect(digitBits * digit).toBe(rows.length);
    expect(correlated).toEqual(shares.map((row) => row.map((share) => BigInt.asUintN(ringBits, share))));
    // The answer to the challenge.
    const bytes = createHash('shake256', { outputLength: 4 * combinations * c })
      .update('eigenveil product challenge v1')
      .update(challenge)
      .update(Buffer.alloc(4))
      .digest();
    const factor = (b: number, j: number) => BigInt(bytes.readUInt32LE(4 * (b * c + j)));
    const encoded = (elements: readonly bigint[]) =>
      Buffer.concat(
        elements.map((element) =>
          Buffer.from(
            BigInt.asUintN(ring, element)
              .toString(16)
              .padStart(2 * Math.ceil(ring / 8), '0'),
            'hex',
          ),
        ),
      );
    const combined = (row: readonly bigint[], place: number) => {
      const from = Math.floor(place / combinations);
      return row.reduce((sum, x, j) => sum + (j < from ? 0n : factor(place % combinations, j) * x), 0n);
    };
    const slopes = product.c.flatMap((row, k) => masks[k]!.map((mask, place) => combined(row, place) + mask));
    const rowSums = product.a.flatMap((_, i) =>
      maskShares[i]!.map(
        (mask, q) => combined(columnShares[i]!, (part === 'upper' ? i : 0) * combinations + q) + mask,
      ),
    );
    const digest = createHash('sha256')
      .update('eigenveil product check v2')
      .update(encoded(rowSums))
      .digest();
    expect(check).toEqual(Buffer.concat([encoded(slopes), digest]));
    expect(keys.size).toBe([...chunks(size)].length);
  }
});

describe('chunks', () => {
  const sizes: readonly Parameters<typeof checkSize>[0][] = [
    { rows: 50, inner: 50, columns: 50, entryBits: 81, ringBits: 222, part: 'whole', digitBits: 4 },
    { rows: 50, inner: 50, columns: 50, entryBits: 81, ringBits: 222, part: 'whole', digitBits: 3 },
    { rows: 50, inner: 50, columns: 50, entryBits: 81, ringBits: 222, part: 'upper', digitBits: 4 },
    { rows: 1275, inner: 1, columns: 1, entryBits: 222, ringBits: 222, part: 'whole', digitBits: 3 },
    { rows: 3, inner: 5, columns: 256, entryBits: 300, ringBits: 300, part: 'whole', digitBits: 4 },
    { rows: 1, inner: 1, columns: 1, entryBits: 1, ringBits: 1, part: 'whole', digitBits: 4 },
  ];

  it.each(sizes)('of %j cover every digit once, in order, and stay within their limits', (given) => {
    const size = checkSize(given);
    const perPass = size.rows * size.inner;
    const bits = size.digitBits;
    // Two evaluations for each node of a level that has children, and for each leaf its first one.
    const [leaves, perTree] = bits === 4 ? [16, 2 * (2 + 4 + 8) + 16] : [8, 2 * (2 + 4) + 8];
    let digit = 0;
    for (const chunk of chunks(size)) {
      const pass = Math.floor(digit / perPass);
      expect(chunk.count).toBeGreaterThan(0);
      expect(chunk.t).toBe(digitsPerEntry(size) - 1 - pass);
      expect(chunk.first).toBe(digit - pass * perPass);
      const end = digit + chunk.count;
      expect(chunk.ends).toBe(end % perPass === 0);
      expect(Math.floor((end - 1) / perPass)).toBe(pass);
      expect(Math.floor((bits * end - 1) / BLOCK_ROWS)).toBe(Math.floor((bits * digit) / BLOCK_ROWS));
      expect(leaves * chunk.blocks + perTree * chunk.count).toBeLessThanOrEqual(CHUNK_HASHES);
      digit = end;
    }
    expect(bits * digit).toBe(transferCount(size));
  });
});
