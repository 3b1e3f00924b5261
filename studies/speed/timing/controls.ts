/** Operations of which the answer is known: the harness must see a difference in the positive controls and none in the negative ones. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Class, Operation } from './measure.ts';
import { fresh, randomBigint } from './values.ts';

const TOKEN_BYTES = 32;
const EXPONENT_BITS = 128;
const MODULUS_BITS = 1024;

/** A careless comparison of secrets. */
function agreesUntilTheEnd(a: string, b: string): boolean {
  for (let i = 0; i < a.length; i += 1) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return false;
  }
  return true;
}

/** A careless exponentiation: a product for every bit that is set. */
function squareAndMultiply(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, power] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * power) % modulus;
    power = (power * power) % modulus;
  }
  return result;
}

/** A token that differs from the secret in one character. */
export function wrongAt(secret: string, position: number): string {
  const other = secret[position] === 'A' ? 'B' : 'A';
  // Through bytes, so that it is one flat string whatever the position.
  return Buffer.from(secret.slice(0, position) + other + secret.slice(position + 1)).toString('latin1');
}

function comparison(
  kind: Operation['kind'],
  classes: Operation['classes'],
  position: (which: Class, length: number) => number,
): Operation {
  return {
    name: 'string comparison that stops at the first difference',
    kind,
    classes,
    slowness: 1,
    async open() {
      const secret = randomBytes(TOKEN_BYTES).toString('base64url');
      return {
        prepare(which) {
          const guess = wrongAt(secret, position(which, secret.length));
          return () => agreesUntilTheEnd(secret, guess);
        },
      };
    },
  };
}

function exponentiation(
  kind: Operation['kind'],
  classes: Operation['classes'],
  exponentOf: (which: Class) => bigint,
): Operation {
  return {
    name: 'BigInt square-and-multiply',
    kind,
    classes,
    slowness: 10,
    async open() {
      const modulus = randomBigint(MODULUS_BITS) | 1n;
      return {
        prepare(which) {
          const base = randomBigint(MODULUS_BITS) % modulus;
          const exponent = fresh(exponentOf(which));
          return () => squareAndMultiply(base, exponent, modulus);
        },
      };
    },
  };
}

const TOP = 1n << BigInt(EXPONENT_BITS - 1);

export const CONTROLS: readonly Operation[] = [
  comparison('positive control', ['wrong at the first character', 'wrong at the last'], (which, length) =>
    which === 0 ? 0 : length - 1,
  ),
  exponentiation('positive control', ['exponent with one bit set', 'with all bits set'], (which) =>
    which === 0 ? TOP : 2n * TOP - 1n,
  ),
  comparison('negative control', ['wrong anywhere', 'wrong anywhere'], (_, length) => randomInt(length)),
  exponentiation(
    'negative control',
    ['random exponent', 'random exponent'],
    () => TOP | randomBigint(EXPONENT_BITS - 1),
  ),
];
