import { bitLength } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigintToBytes } from '../../src/arithmetic/bytes.ts';
import { bytesToBigints } from '../../src/ciphertexts.ts';
import { bytesToBigint, decodeBigint, encodeBigint } from '../../src/index.ts';

const natural = fc.bigInt({ min: 0n, max: (1n << 4200n) - 1n });

describe('fixed-length bytes', () => {
  it('are big-endian', () => {
    expect([...bigintToBytes(0x0102ffn, 5)]).toEqual([0, 0, 1, 2, 255]);
    expect(bytesToBigint(Uint8Array.of(0, 0, 1, 2, 255))).toBe(0x0102ffn);
    expect(bytesToBigint(new Uint8Array())).toBe(0n);
    expect(bigintToBytes(0n, 0)).toEqual(new Uint8Array());
    expect(bigintToBytes(0n, 2)).toEqual(new Uint8Array(2));
  });

  it('read a view at its own offset', () => {
    expect(bytesToBigint(Uint8Array.of(9, 9, 1, 2, 9).subarray(2, 4))).toBe(0x0102n);
  });

  it('round-trip', () => {
    fc.assert(
      fc.property(natural, fc.nat(3), (value, extra) => {
        const length = Math.ceil(bitLength(value) / 8) + extra;
        const bytes = bigintToBytes(value, length);
        expect(bytes.length).toBe(length);
        expect(bytesToBigint(bytes)).toBe(value);
      }),
    );
  });

  it('refuse what does not fit', () => {
    expect(() => bigintToBytes(256n, 1)).toThrow(RangeError);
    expect(() => bigintToBytes(-1n, 1)).toThrow(RangeError);
    expect(() => bigintToBytes(1n, 0)).toThrow(RangeError);
  });
});

describe('many integers at once', () => {
  it('are read as one by one', () => {
    const integers = fc.integer({ min: 1, max: 300 }).chain((length) =>
      fc.tuple(
        fc.constant(length),
        fc.array(
          fc.oneof(
            fc.uint8Array({ minLength: length, maxLength: length }),
            fc.constantFrom(0, 1, 255).map((byte) => new Uint8Array(length).fill(byte, length >> 1)),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(integers, ([length, list]) => {
        const bytes = new Uint8Array(list.flatMap((one) => [...one]));
        expect(bytesToBigints(bytes, length)).toEqual(list.map(bytesToBigint));
      }),
    );
  });

  it('leave the bytes as they were', () => {
    const bytes = Uint8Array.of(9, 1, 2, 3, 4);
    expect(bytesToBigints(bytes.subarray(1), 2)).toEqual([0x0102n, 0x0304n]);
    expect([...bytes]).toEqual([9, 1, 2, 3, 4]);
  });

  it('may be thousands', () => {
    const bytes = new Uint8Array(20_000 * 8).fill(7);
    expect(bytesToBigints(bytes, 8)).toEqual(new Array(20_000).fill(0x0707070707070707n));
  });
});

describe('bit length', () => {
  it('counts to the top bit', () => {
    expect([0n, 1n, 2n, 3n, 7n, 8n, 255n, 256n].map(bitLength)).toEqual([0, 1, 2, 2, 3, 4, 8, 9]);
    fc.assert(
      fc.property(fc.nat(5000), (bits) => {
        expect(bitLength(1n << BigInt(bits))).toBe(bits + 1);
      }),
    );
  });
});

describe('base64url integers', () => {
  it('are written as in RFC 7518', () => {
    expect(encodeBigint(65537n)).toBe('AQAB');
    expect(encodeBigint(0n)).toBe('AA');
    expect(decodeBigint('AQAB')).toBe(65537n);
  });

  it('round-trip', () => {
    fc.assert(
      fc.property(natural, (value) => {
        expect(decodeBigint(encodeBigint(value))).toBe(value);
      }),
    );
  });

  it.each([
    ['empty', ''],
    ['padding', 'AQAB=='],
    ['base64 alphabet', '+/+/'],
    ['white space', 'AQ AB'],
    ['a leading zero byte', 'AAE'],
    ['stray bits', 'AR'],
    ['half a byte', 'A'],
  ])('refuse %s', (_, text) => {
    expect(() => decodeBigint(text)).toThrow(expect.objectContaining({ code: 'ERR_ENCODING_INVALID' }));
  });

  it('refuse a negative number', () => {
    expect(() => encodeBigint(-1n)).toThrow(RangeError);
  });
});
