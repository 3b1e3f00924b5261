/** Decimal numbers as people write them into files, and nothing that `Number` would merely tolerate. */

const ZERO = 48;
const NINE = 57;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;

/**
 * The number that the text writes in plain decimal notation (sign, point and exponent allowed), or undefined when it is
 * anything else: empty, padded with spaces, hexadecimal, octal, binary, NaN, or beyond the doubles.
 *
 * `Number` is right about all text that starts with a digit, sign or point and ends with a digit or point, except for
 * 0x, 0o and 0b (ECMA-262, StringToNumber), so looking at three characters replaces a pattern match per cell.
 * @example
 * import { parseDecimal } from '@eigenveil/statistics';
 *
 * parseDecimal('-1.5e3'); // → -1500
 * parseDecimal('0x10'); // → undefined
 */
export function parseDecimal(text: string): number | undefined {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  if (!(isDigit(first) || first === MINUS || first === POINT || first === PLUS)) return undefined;
  if (!(isDigit(last) || last === POINT)) return undefined;
  // A letter in second place can only be an exponent's e or the mark of another base.
  if (first === ZERO && text.charCodeAt(1) > NINE && text[1] !== 'e' && text[1] !== 'E') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * The same with a decimal comma. A text with a point is no number then: the point could stand between thousands.
 * @example
 * import { parseDecimalComma } from '@eigenveil/statistics';
 *
 * parseDecimalComma('-1,5e3'); // → -1500
 * parseDecimalComma('1.500'); // → undefined
 */
export function parseDecimalComma(text: string): number | undefined {
  return text.includes('.') ? undefined : parseDecimal(text.replace(',', '.'));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
