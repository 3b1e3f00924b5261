/**
 * Square roots, digit by digit without restoring, and their reciprocals. (Ercegovac and Lang, 2004, section
 * 6.)
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import { addModulo } from './add.ts';
import { divideUnsigned } from './divide.ts';
import { constantNumber, lanesOf, type Num, resize, shiftLeft, sign } from './number.ts';

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
