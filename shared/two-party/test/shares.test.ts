import { Integers } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine, decodeShares } from '../src/shares.ts';
import { toRing } from './support/to-ring.ts';

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

  test('are read from a message as they were sent, whatever the mix of widths', () => {
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 20 }), (elements) => {
        const bits = elements.map((e) => e.bits);
        const shares = toRing(
          bits,
          elements.map((e) => e.value + e.blinding),
        );
        expect([...decodeShares(bits, Integers.of(shares, bits).bytes)]).toEqual(shares);
      }),
    );
  });

  test.each(['00', '00000000', 'ff0200'])('of the wrong length or range are refused: %s', (message) => {
    const refused = expect.objectContaining({ code: 'ERR_CHANNEL_MESSAGE' });
    expect(() => decodeShares([8, 9], Buffer.from(message, 'hex'))).toThrow(refused);
  });
});
