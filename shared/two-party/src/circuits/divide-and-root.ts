/**
 * Division digit by digit without restoring: where the remainder went below zero, the next step adds the
 * divisor where it would otherwise subtract it. One addition per quotient bit, half of what restoring takes,
 * and the signs of the remainders are exactly the bits of the floor. (Ercegovac and Lang, "Digital
 * Arithmetic", 2004, sections 1.6 and 5.)
 *
 * Square roots, digit by digit without restoring, and their reciprocals. (Ercegovac and Lang, 2004, section
 * 6.)
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import { absolute, addModulo, negateIf } from './add.ts';
import { constantNumber, lanesOf, type Num, resize, shiftLeft, sign } from './number.ts';

/**
 * The floor of a / b for unsigned numbers (whose sign bit is the constant 0), as long as `a`. Where b is 0
 * the result means nothing: a caller for whom that can happen selects by `isZero`.
 */
export function divideUnsigned(gates: Gates, a: Num, b: Num): Num {
  return template(gates, 'divide', [a, b], (inner, [x, y]) => quotientOf(inner, x, y));
}

function quotientOf(gates: Gates, a: Num, b: Num): Num {
  const lanes = lanesOf(a);
  const zero = gates.constant(lanes, 0);
  const [dividend, divisor] = [a.slice(0, -1), b];
  // Remainders stay in [-b, b): as long as b with its sign.
  const length = divisor.length;
  const { quotient } = gates.scope(() => {
    let remainder: Num = new Array(length).fill(zero);
    let subtracts = gates.constant(lanes, 1);
    const digits: Num[number][] = [];
    for (const bit of dividend.toReversed()) {
      remainder = gates.scope(() => {
        // -b is ~b + 1, and the 1 comes in as the carry.
        const operand = divisor.map((x) => gates.xor(x, subtracts));
        return addModulo(gates, [bit, ...remainder.slice(0, -1)], operand, length, subtracts);
      });
      subtracts = gates.not(sign(remainder));
      digits.unshift(subtracts);
    }
    return { quotient: [...digits, zero] };
  });
  return quotient;
}

/**
 * a * 2^places / b, rounded towards zero, modulo 2^bits (by default as many as never overflow). Where b is 0
 * the result means nothing.
 */
export function divide(
  gates: Gates,
  a: Num,
  b: Num,
  { places = 0, bits = a.length + places + 1 }: { readonly places?: number; readonly bits?: number } = {},
): Num {
  return gates.scope(() => {
    const negative = gates.xor(sign(a), sign(b));
    const quotient = divideUnsigned(
      gates,
      shiftLeft(gates, magnitude(gates, a), places),
      magnitude(gates, b),
    );
    return negateIf(gates, negative, resize(quotient, bits));
  });
}

function magnitude(gates: Gates, a: Num): Num {
  return sign(a).constant === 0 ? a : absolute(gates, a);
}

/**
 * The floor of the square root of an unsigned number (whose sign bit is the constant 0), half as long. About
 * bits^2 / 8 gates, for the additions grow with the root.
 */
export function squareRoot(gates: Gates, a: Num): Num {
  return template(gates, 'square root', [a], (inner, [x]) => rootOf(inner, x));
}

function rootOf(gates: Gates, a: Num): Num {
  const lanes = lanesOf(a);
  const [zero, one] = [gates.constant(lanes, 0), gates.constant(lanes, 1)];
  const digits = a.slice(0, -1);
  if (digits.length % 2 === 1) digits.push(zero);
  const { result } = gates.scope(() => {
    let remainder: Num = [zero];
    let root: Num = [];
    let positive = one;
    for (let at = digits.length - 2; at >= 0; at -= 2) {
      // Remainder 4r + two digits, then minus 4q + 1 where r >= 0, otherwise plus 4q + 3. Both are q or its
      // complement above two ones: subtracting 4q + 1 adds ~(4q + 1) + 1 = ~q * 4 + 3.
      const length = root.length + 3;
      remainder = gates.scope(() => {
        const q = root.map((bit) => gates.xor(bit, positive));
        const operand = [one, one, ...q, positive];
        return addModulo(gates, [digits[at]!, digits[at + 1]!, ...remainder], operand, length);
      });
      positive = gates.not(sign(remainder));
      root = [positive, ...root];
    }
    return { result: [...root, zero] };
  });
  return result;
}

/**
 * The floor of 2^numerator / s with s = floor(sqrt(a) * 2^places), for an unsigned number; cut to `bits`. So
 * with a = x 2^2e, it is 2^(numerator - places - e) / sqrt(x) with a relative error below 1/s + 1/result.
 * Where a is 0 the result means nothing.
 */
export function reciprocalSquareRoot(
  gates: Gates,
  a: Num,
  { places, numerator, bits }: { readonly places: number; readonly numerator: number; readonly bits: number },
): Num {
  return gates.scope(() => {
    const root = squareRoot(gates, shiftLeft(gates, a, 2 * places));
    const one = constantNumber(gates, 1n << BigInt(numerator), numerator + 2, lanesOf(a));
    return resize(divideUnsigned(gates, one, root), bits);
  });
}
