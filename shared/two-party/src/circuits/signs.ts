/**
 * Products of numbers without an AND gate for products of bits. Read as a sign, 2b − 1, a bit multiplies
 * another by being equal to it, and exclusive ors are free. So only the adders cost gates: half of what
 * products of bits with the same adders take. It is twice the product that is a sum of such bits. With ā the
 * bits of a (n of them, two's complement), all except the highest inverted, as unsigned numbers, and b̄ (m
 * bits) alike:
 *
 *     2ab = Σ 2^(i+j) ¬(ā_i ⊕ b̄_j) + ā + b̄ + 1 − 2^(n+m−1)
 *     a²  = Σ_(i<j) 2^(i+j) ¬(ā_i ⊕ ā_j) + ā + ((4^n − 1)/3 + 1)/2 − 4^(n−1)
 *
 * For a = Σ w_i a_i with weights w_i = ±2^i, the highest negative, has Σ w_i (2a_i − 1) = 2a + 1, and (2a +
 * 1)(2b + 1) = Σ w_i v_j (2 (a_i = b_j) − 1), where the sum of all w_i v_j is 1. Of a square the products of
 * a sign with itself are 1, and all others come twice.
 */
import type { Gates } from '../garbling/gates.ts';
import type { Wires } from '../garbling/wires.ts';
import type { Term } from './columns.ts';
import type { Num } from './number.ts';

/** ā: all bits but the highest inverted. */
export function barred(gates: Gates, a: Num): Wires[] {
  return a.map((bit, i) => (i + 1 === a.length ? bit : gates.not(bit)));
}

/** The terms of 2ab, except for the offset; a row for each bit of b, and one more. */
export function doubledProduct(gates: Gates, a: Num, b: Num): Term[][] {
  const [first, second] = [barred(gates, a), barred(gates, b)];
  const rows = second.map((y, j) => {
    const inverted = gates.not(y);
    return first.map((x, i): Term => ({ a: x, b: inverted, column: i + j }));
  });
  return [...rows, [first, second].flatMap((bits) => bits.map((bit, i): Term => ({ a: bit, column: i })))];
}

/** Returns the number that twice a product of n and m bits lacks. */
export function offsetOf(n: number, m: number): bigint {
  return 1n - (1n << BigInt(n + m - 1));
}

/** Returns the number that a square of n bits lacks. */
export function squareOffset(n: number): bigint {
  const fourth = 1n << BigInt(2 * n);
  return ((fourth - 1n) / 3n + 1n) / 2n - fourth / 4n;
}
