import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine, decodeShares, encodeShares, toRing } from '../src/shares.ts';

/** A ring width, a signed value that fits it, and a blinding value far wider. */
const element = fc.integer({ min: 1, max: 120 }).chain((bits) =>
  fc.record({
    bits: fc.constant(bits),
    value: fc.bigInt(-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n),
    blinding: fc.bigInt(0n, 1n << BigInt(bits + 60)),
  }),
);

describe('additive shares', () => {
  test('add up to the signed value, whatever the blinding', () => {
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 20 }), (elements) => {
        const bits = elements.map((e) => e.bits);
        const atCsp = toRing(
          bits,
          elements.map((e) => e.value + e.blinding),
        );
        const atDataUser = toRing(
          bits,
          elements.map((e) => -e.blinding),
        );
        expect(combine(bits, atCsp, atDataUser)).toEqual(elements.map((e) => e.value));
      }),
    );
  });

  test('survive encoding, whatever the mix of widths', () => {
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 20 }), (elements) => {
        const bits = elements.map((e) => e.bits);
        const shares = toRing(
          bits,
          elements.map((e) => e.value + e.blinding),
        );
        expect(decodeShares(bits, encodeShares(bits, shares))).toEqual(shares);
      }),
    );
  });

  test('encode to a length that depends on the widths alone', () => {
    expect(encodeShares([8, 9, 16], [0n, 0n, 0n])).toEqual(Buffer.alloc(5));
    expect(encodeShares([8, 9, 16], [255n, 511n, 65535n])).toEqual(Buffer.from('ff01ffffff', 'hex'));
  });

  test('that are not in their ring are not encoded', () => {
    for (const share of [-1n, 512n, 1n << 16n])
      expect(() => encodeShares([8, 9], [0n, share])).toThrow(
        new RangeError('"shares" expected 9 bits at 1'),
      );
  });

  test('of the wrong length or range are refused', () => {
    const refused = expect.objectContaining({ code: 'ERR_CHANNEL_MESSAGE' });
    expect(() => decodeShares([8, 9], Buffer.alloc(2))).toThrow(refused);
    expect(() => decodeShares([8, 9], Buffer.alloc(4))).toThrow(refused);
    expect(() => decodeShares([8, 9], Buffer.from('ff0200', 'hex'))).toThrow(refused);
  });
});
