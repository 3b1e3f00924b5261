import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encryptMany } from '../src/encryption.ts';
import { aggregateContributions } from '../src/homomorphic.ts';
import {
  add,
  decrypt,
  drawBlinding,
  encodeCiphertexts,
  makePacking,
  type Packing,
  pack,
  packBlinding,
  unpackBlinded,
} from '../src/index.ts';
import { errorOf, testKey } from './keys.ts';

const key = testKey(512);
const { publicKey } = key;
const plaintextBits = publicKey.bits - 1;
const STATISTICAL_SECURITY = 40;

const widths = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 40 });
const extremes = ['least', 'greatest', 'zero', 'minus one', 'one'] as const;
/** Per value an extreme; constant ones make every slot extreme at once. */
const pattern = fc.oneof(
  fc.constantFrom(...extremes).map((one) => [one]),
  fc.array(fc.constantFrom(...extremes), { minLength: 1, maxLength: 7 }),
);
const blindingPattern = fc.oneof(
  fc.constantFrom('none', 'greatest', 'drawn').map((one) => [one]),
  fc.array(fc.constantFrom('none', 'greatest', 'drawn'), { minLength: 1, maxLength: 5 }),
);

function packingOf(valueBits: number[]): Packing {
  return makePacking({ valueBits, statisticalSecurityBits: STATISTICAL_SECURITY, plaintextBits });
}

function valuesOf(packing: Packing, names: readonly string[]): bigint[] {
  return packing.valueBits.map((bits, i) => {
    const half = 1n << BigInt(bits - 1);
    const name = names[i % names.length];
    if (name === 'least') return -half;
    if (name === 'greatest') return half - 1n;
    if (name === 'minus one') return -1n;
    return name === 'one' && half > 1n ? 1n : 0n;
  });
}

function blindingOf(packing: Packing, names: readonly string[]): bigint[] {
  const drawn = drawBlinding(packing);
  return drawn.map((value, i) => {
    const half = 1n << BigInt(packing.valueBits[i]! - 1);
    const name = names[i % names.length];
    if (name === 'none') return half;
    return name === 'greatest' ? half + (1n << BigInt(packing.blindingBits[i]!)) - 1n : value;
  });
}

/** What both servers hold in the end, put together. */
function difference(unpacked: bigint[], blinding: bigint[]): bigint[] {
  return unpacked.map((value, i) => value - blinding[i]!);
}

describe('the layout of slots', () => {
  it('places each value once, without overlap, within the plaintext', () => {
    fc.assert(
      fc.property(widths, (valueBits) => {
        const packing = packingOf(valueBits);
        const logSlots = Math.ceil(Math.log2(valueBits.length));
        const slots = [...packing.plaintexts].flat();
        expect(slots.map(({ value }) => value).sort((a, b) => a - b)).toEqual(valueBits.map((_, i) => i));
        for (const { value, valueBits: bits, width } of slots) {
          expect(bits).toBe(valueBits[value]);
          expect(packing.blindingBits[value]).toBe(bits + STATISTICAL_SECURITY + logSlots);
          expect(width).toBe(packing.blindingBits[value]! + 1);
        }
        for (const plaintext of packing.plaintexts) {
          let end = 0;
          for (const { offset, width } of plaintext) {
            expect(offset).toBe(end);
            end += width;
          }
          expect(end).toBeLessThanOrEqual(plaintextBits);
        }
        const { length } = packing.plaintexts;
        const all = [...packing.plaintexts];
        for (const index of [0, length - 1, length, -1, -length, -length - 1])
          expect(packing.plaintexts.at(index)).toEqual(all.at(index));
      }),
    );
  });

  it('is first-fit decreasing', () => {
    fc.assert(
      fc.property(widths, (valueBits) => {
        const packing = packingOf(valueBits);
        // The definition, literally: widest first, ties by index, each in the first plaintext with room.
        const order = valueBits.map((_, i) => i).sort((a, b) => valueBits[b]! - valueBits[a]! || a - b);
        const naive: number[][] = [];
        const width = (value: number) => packing.blindingBits[value]! + 1;
        for (const value of order) {
          const room = naive.find((p) => p.reduce((sum, v) => sum + width(v), width(value)) <= plaintextBits);
          if (room === undefined) naive.push([value]);
          else room.push(value);
        }
        expect(Array.from(packing.plaintexts, (slots) => slots.map(({ value }) => value))).toEqual(naive);
      }),
    );
  });

  it('packs d = 50 for ten owners of 10,000 rows into 64 plaintexts at 2048 bits', () => {
    const valueBits = [...new Array(1275).fill(46), ...new Array(50).fill(32), 18, 5];
    const packing = makePacking({ valueBits, statisticalSecurityBits: 40, plaintextBits: 2047 });
    expect(packing.plaintexts.length).toBe(64);
    expect(packing.plaintexts.at(0)!.map(({ width }) => width)).toEqual([...new Array(20).fill(98), 84]);
  });

  it('fills a plaintext to its last bit, and not beyond', () => {
    const options = { valueBits: [9, 9], statisticalSecurityBits: 40 };
    // Width 9 + 40 + 1 + 1 = 51.
    expect(makePacking({ ...options, plaintextBits: 102 }).plaintexts.length).toBe(1);
    expect(makePacking({ ...options, plaintextBits: 101 }).plaintexts.length).toBe(2);
    expect(makePacking({ ...options, plaintextBits: 51 }).plaintexts.length).toBe(2);
    expect(errorOf(() => makePacking({ ...options, plaintextBits: 50 }))).toMatchObject({
      code: 'ERR_PACKING_TOO_NARROW',
    });
  });

  it('takes many slots', () => {
    const valueBits = Array.from({ length: 10_000 }, (_, i) => 10 + ((i * 7919) % 60));
    const packing = makePacking({ valueBits, statisticalSecurityBits: 40, plaintextBits: 2047 });
    const total = packing.blindingBits.reduce((sum, bits) => sum + bits + 1, 0);
    expect(packing.plaintexts.length).toBeLessThanOrEqual(Math.ceil((total / 2047) * 1.02));
  });

  it.each([[[]], [[0]], [[1.5]], [[Number.NaN]]])('refuses value bits %j', (valueBits) => {
    expect(() => packingOf(valueBits)).toThrow(RangeError);
  });
});

describe('packing', () => {
  it('loses nothing and carries nothing, at every extreme', () => {
    fc.assert(
      fc.property(widths, pattern, blindingPattern, (valueBits, names, blindingNames) => {
        const packing = packingOf(valueBits);
        const values = valuesOf(packing, names);
        const blinding = blindingOf(packing, blindingNames);
        const blind = packBlinding(publicKey, packing, blinding);
        const plaintexts = pack(publicKey, packing, values).map((m, i) => (m + blind[i]!) % publicKey.n);
        const unpacked = unpackBlinded(packing, plaintexts);
        expect(difference(unpacked, blinding)).toEqual(values);
        unpacked.forEach((value, i) => {
          expect(value >= 0n && value < 1n << BigInt(packing.blindingBits[i]! + 1)).toBe(true);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives plaintexts for encryption: in [0, n)', () => {
    const packing = packingOf([8, 8, 8]);
    for (const values of [
      [-128n, -128n, -128n],
      [0n, 0n, 0n],
      [127n, 127n, 127n],
    ]) {
      for (const m of pack(publicKey, packing, values)) {
        expect(m >= 0n && m < publicKey.n).toBe(true);
      }
    }
    expect(pack(publicKey, packing, [0n, 0n, -1n])).toEqual([publicKey.n - (1n << 102n)]);
  });

  it('gives the exact sum through encryption, aggregation, blinding and decryption', () => {
    const owners = 5;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 4, max: 60 }), { minLength: 1, maxLength: 20 }),
        fc.array(pattern, { minLength: owners, maxLength: owners }),
        blindingPattern,
        (ownBits, patterns, blindingNames) => {
          // Three bits more than an owner's own values: room for the sum over five owners.
          const own = packingOf(ownBits);
          const packing = packingOf(ownBits.map((bits) => bits + 3));
          const contributions = patterns.map((names) => valuesOf(own, names));
          const encrypted = contributions.map((values) =>
            encryptMany(publicKey, pack(publicKey, packing, values), 'djn'),
          );
          const aggregate = aggregateContributions(
            publicKey,
            encrypted[0]!,
            encrypted.slice(1).map((ciphertexts) => encodeCiphertexts(publicKey, ciphertexts)),
          );
          const blinding = blindingOf(packing, blindingNames);
          const blind = encryptMany(publicKey, packBlinding(publicKey, packing, blinding), 'djn');
          const blinded = aggregate.map((c, i) => add(publicKey, c, blind[i]!));
          const unpacked = unpackBlinded(
            packing,
            blinded.map((c) => decrypt(key, c)),
          );
          const sums = ownBits.map((_, i) => contributions.reduce((sum, values) => sum + values[i]!, 0n));
          expect(difference(unpacked, blinding)).toEqual(sums);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('reaches both ends of a summed slot exactly', () => {
    // Two owners whose sums are the least and the greatest value of every slot.
    const packing = packingOf(new Array(16).fill(10));
    for (const [a, b] of [
      [-256n, -256n],
      [256n, 255n],
    ]) {
      const [x, y] = [a!, b!].map((value) => pack(publicKey, packing, new Array(16).fill(value)));
      const blinding = blindingOf(packing, ['none', 'greatest']);
      const blind = packBlinding(publicKey, packing, blinding);
      const plaintexts = x!.map((m, i) => (m + y![i]! + blind[i]!) % publicKey.n);
      expect(difference(unpackBlinded(packing, plaintexts), blinding)).toEqual(new Array(16).fill(a! + b!));
    }
  });

  it('refuses a value outside its slot, naming which', () => {
    const packing = packingOf([8, 8, 1]);
    for (const [values, index] of [
      [[0n, 128n, 0n], 1],
      [[-129n, 0n, 0n], 0],
      [[0n, 0n, 1n], 2],
    ] as const) {
      expect(errorOf(() => pack(publicKey, packing, values))).toMatchObject({
        code: 'ERR_VALUE_OUT_OF_RANGE',
        message: expect.stringContaining(`value ${index} `),
      });
    }
  });

  it('does not tell a value in its error', () => {
    const secret = 987654321n;
    expect(String(errorOf(() => pack(publicKey, packingOf([8]), [secret])))).not.toContain(String(secret));
  });

  it('refuses vectors and keys that do not match', () => {
    const packing = packingOf([8, 8]);
    expect(() => pack(publicKey, packing, [1n])).toThrow(RangeError);
    expect(() => packBlinding(publicKey, packing, [1n])).toThrow(RangeError);
    expect(() => unpackBlinded(packing, [])).toThrow(RangeError);
    const wide = makePacking({
      valueBits: new Array(16).fill(8),
      statisticalSecurityBits: 40,
      plaintextBits: 1023,
    });
    expect(() => pack(publicKey, wide, new Array(16).fill(0n))).toThrow(RangeError);
    // The modulus lies below two to its bits: a slot of as many would wrap around.
    const filling = (bits: number) =>
      makePacking({ valueBits: [bits - 41], statisticalSecurityBits: 40, plaintextBits: bits });
    expect(() => pack(publicKey, filling(publicKey.bits), [0n])).toThrow(RangeError);
    expect(pack(publicKey, filling(publicKey.bits - 1), [0n])).toEqual([0n]);
  });
});

describe('blinding', () => {
  it('is uniform over its range and different each time', () => {
    const packing = packingOf([1, 8, 33]);
    const draws = Array.from({ length: 400 }, () => drawBlinding(packing));
    packing.valueBits.forEach((bits, i) => {
      const random = draws.map((values) => values.at(i)! - (1n << BigInt(bits - 1)));
      const range = 1n << BigInt(packing.blindingBits[i]!);
      expect(random.every((r) => r >= 0n && r < range)).toBe(true);
      expect(new Set(random).size).toBe(400);
      // Each eighth of the range is hit: one that is not has a chance of (7/8)^400.
      expect(new Set(random.map((r) => (8n * r) / range)).size).toBe(8);
    });
  });

  it('refuses what it cannot have drawn', () => {
    const packing = packingOf([8]);
    const range = 1n << BigInt(packing.blindingBits[0]!);
    for (const value of [127n, -1n, 128n + range]) {
      expect(errorOf(() => packBlinding(publicKey, packing, [value]))).toMatchObject({
        code: 'ERR_VALUE_OUT_OF_RANGE',
      });
    }
    expect(packBlinding(publicKey, packing, [128n])).toEqual([128n]);
    expect(packBlinding(publicKey, packing, [127n + range])).toEqual([127n + range]);
  });

  it('shows a sum that left its range, where it reaches beyond the last slot', () => {
    const packing = packingOf([8]);
    const [blind] = packBlinding(publicKey, packing, [128n]);
    for (const sum of [-129n, 1n << 60n]) {
      const plaintext = (blind! + sum + publicKey.n) % publicKey.n;
      expect(errorOf(() => unpackBlinded(packing, [plaintext]))).toMatchObject({
        code: 'ERR_PACKING_OVERFLOW',
      });
    }
  });
});
