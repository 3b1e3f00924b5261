/**
 * Differences of points of P-256, which node:crypto does not offer. All points here are public: they go over the line, or follow from
 * what does. So this need not take constant time.
 */
import { createHash, ECDH } from 'node:crypto';

export const CURVE = 'prime256v1';
export const SCALAR_BYTES = 32;
export const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Points travel uncompressed, since decompressing one costs a square root. */
export const POINT_BYTES = 1 + 2 * SCALAR_BYTES;
export const UNCOMPRESSED = 4;

const PRIME = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const EVEN_COMPRESSED = 2;

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** A point whose discrete logarithm nobody knows: the first abscissa on the curve among the hashes of a name and a counter, with the even ordinate. */
export function hashedPoint(name: string): Uint8Array {
  for (let counter = 0; ; counter += 1) {
    const x = createHash('sha256').update(name).update(Uint8Array.of(counter)).digest();
    try {
      const point = Buffer.concat([Uint8Array.of(EVEN_COMPRESSED), x]);
      return ECDH.convertKey(point, CURVE, undefined, undefined, 'uncompressed') as Buffer;
    } catch {
      // x is no abscissa of the curve, or not below the field's prime
    }
  }
}

/**
 * minuend − point for each of the points, all uncompressed and on the curve. Undefined if one of them has the abscissa of the minuend, so that the
 * difference is no point or needs another formula; a random point has it with probability 2^−255.
 */
export function differences(minuend: Uint8Array, points: readonly Uint8Array[]): Uint8Array[] | undefined {
  const from = decode(minuend);
  const others = points.map(decode);
  const runs = others.map(({ x }) => modulo(x - from.x));
  if (runs.includes(0n)) return undefined;
  const inverses = inversesOf(runs);
  return others.map(({ x, y }, i) => {
    const slope = modulo((-y - from.y) * inverses[i]!);
    const sum = modulo(slope * slope - from.x - x);
    return encode({ x: sum, y: modulo(slope * (from.x - sum) - from.y) });
  });
}

function decode(point: Uint8Array): Point {
  const number = (start: number) =>
    BigInt(`0x${Buffer.from(point.subarray(start, start + SCALAR_BYTES)).toString('hex')}`);
  return { x: number(1), y: number(1 + SCALAR_BYTES) };
}

function encode({ x, y }: Point): Uint8Array {
  const hex = (number: bigint) => number.toString(16).padStart(2 * SCALAR_BYTES, '0');
  return Buffer.concat([Uint8Array.of(UNCOMPRESSED), Buffer.from(hex(x) + hex(y), 'hex')]);
}

/** All at the price of one inversion (Montgomery). */
function inversesOf(values: readonly bigint[]): bigint[] {
  const products = [1n];
  for (const value of values) products.push(modulo(products.at(-1)! * value));
  let inverse = power(products.at(-1)!, PRIME - 2n);
  const inverses = new Array<bigint>(values.length);
  for (let i = values.length - 1; i >= 0; i -= 1) {
    inverses[i] = modulo(inverse * products[i]!);
    inverse = modulo(inverse * values[i]!);
  }
  return inverses;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = modulo(result * result);
    if (bit === '1') result = modulo(result * base);
  }
  return result;
}

function modulo(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}
