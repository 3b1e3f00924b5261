/**
 * The data user's M over many answers: it must not tell apart matrices with equal spectra, and must be distributed as the ideal
 * functionality says. The battery has to find nothing in honest answers, and to find each planted fault.
 */
import { describe, expect, it } from 'vitest';
import { type Matrix, traceOf } from '../../src/rotated/matrices.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import type { RotationSecrets } from '../../src/rotated/secrets.ts';
import { rotatedScatter, view } from '../support/views.ts';
import { settingOf } from './settings.ts';
import { KS_LIMIT, kolmogorov, normalCdf, seededBits, smirnov, uniformity } from './statistics.ts';
import { type Drawer, FAULTS, honest } from './views.ts';

const d = 4;
/** So many rows that the noise is wider than what products may be off by, and has digits above the mask to look at. */
const task = { maximumOwners: 2 ** 10, maximumSamplesPerOwner: 2 ** 10 };
const parameters = rotatedParameters(settingOf({ rows: [], features: d, components: 1, task }).task);
const { rotationBits: f, noiseBits } = parameters;
const COUNT = 400;

/** Near the largest trace that the task allows, 2^70. */
const UNIT = 1n << 64n;
const diagonal = (entries: readonly bigint[]): Matrix =>
  entries.map((entry, i) => entries.map((_, j) => (i === j ? 4n * UNIT * entry : 0n)));

/** H T H/4 with Hadamard's matrix H, of the same spectrum. */
function rotatedByHadamard(T: Matrix): Matrix {
  const H = [
    [1n, 1n, 1n, 1n],
    [1n, -1n, 1n, -1n],
    [1n, 1n, -1n, -1n],
    [1n, -1n, -1n, 1n],
  ];
  return H.map((left) =>
    H.map(
      (right) =>
        left.reduce((sum, x, i) => sum + x * right.reduce((s, y, j) => s + y * T[i]![j]!, 0n), 0n) / 4n,
    ),
  );
}

const plain = diagonal([7n, 4n, 2n, 1n]);
const turned = rotatedByHadamard(plain);
const equal = diagonal([3n, 3n, 3n, 3n]);

interface Answer {
  readonly secrets: RotationSecrets;
  readonly upper: readonly bigint[];
}

function answers(T: Matrix, drawer: Drawer, seed: string): Answer[] {
  const random = seededBits(seed);
  const list: Answer[] = [];
  for (let i = 0; i < COUNT; i += 1) {
    const secrets = drawer(parameters, random, list.at(-1)?.secrets);
    list.push({ secrets, upper: view(T, secrets) });
  }
  return list;
}

const real = (entry: bigint) => Number(entry) / 2 ** (2 * f);
const column = (list: readonly Answer[], e: number) => list.map(({ upper }) => real(upper[e]!));

/** Places in the upper triangle of 4 × 4. */
const DIAGONAL = [0, 4, 7, 9];
const OFF_DIAGONAL = [1, 2, 3, 5, 6, 8];

/** The names of the tests that a way of drawing fails. */
function suspicions(drawer: Drawer): string[] {
  const found: string[] = [];
  const test = (name: string, statistic: number, limit: number) => {
    if (!(statistic < limit) && !found.includes(name)) found.push(name);
  };
  const [left, right] = [answers(plain, drawer, 'left'), answers(turned, drawer, 'right')];
  for (const e of [...DIAGONAL, ...OFF_DIAGONAL]) {
    test('spectrum only', smirnov(column(left, e), column(right, e)), KS_LIMIT);
    for (const list of [left, right]) {
      const values = column(list, e);
      // Two fresh rotations agree to 2^−20 in one entry hardly ever, never twice in a thousand.
      const repeats = values.slice(1).filter((value, i) => Math.abs(value - values[i]!) < 2 ** 46).length;
      test('fresh', repeats, 3);
      for (const shift of [0n, 40n]) {
        const low = list.map(({ upper }) => Number(BigInt.asUintN(4, upper[e]! >> shift)));
        test('low bits', uniformity(low, 16), 6);
      }
    }
  }
  // M of a multiple of I is that multiple and the noise, whatever the rotation.
  const flat = answers(equal, drawer, 'flat');
  const trace = traceOf(equal);
  const noise = (places: readonly number[], shift: bigint) =>
    flat.flatMap(({ upper }) =>
      places.map((e) => Number(upper[e]! - (shift << BigInt(2 * f))) / Number(trace << BigInt(noiseBits))),
    );
  test('noise', kolmogorov(noise(OFF_DIAGONAL, 0n), normalCdf), KS_LIMIT);
  const deviation = Math.SQRT2;
  test(
    'diagonal noise',
    kolmogorov(noise(DIAGONAL, equal[0]![0]!), (x) => normalCdf(x / deviation)),
    KS_LIMIT,
  );
  // Even to somebody who knows P all digits of the noise above the mask are uniform, …
  const digit = trace << BigInt(noiseBits - 58);
  const digits = left.flatMap(({ secrets, upper }) => {
    const exact = rotatedScatter(plain, secrets.rotation);
    const step = traceOf(plain) << BigInt(noiseBits - 58);
    return upper.map((entry, e) => Number((((entry - exact[e]!) % step) + step) % step) / Number(step));
  });
  expect(digit > 1n << BigInt(parameters.maskBits)).toBe(true);
  test(
    'digits',
    kolmogorov(digits, (x) => x),
    KS_LIMIT,
  );
  // … and M is no multiple of what divides T.
  const common = flat.flatMap(({ upper }) => upper.map((entry) => Number(BigInt.asUintN(4, entry))));
  test('divisors', uniformity(common, 16), 6);
  return found;
}

describe('the data user’s M', () => {
  it('has spectra that are equal where the test takes them for equal', () => {
    const power = (T: Matrix, exponent: number): bigint =>
      traceOf(
        Array.from({ length: exponent - 1 }).reduce<Matrix>(
          (product) =>
            product.map((row) => T.map((_, j) => row.reduce((sum, x, i) => sum + x * T[i]![j]!, 0n))),
          T,
        ),
      );
    for (const exponent of [1, 2, 3, 4]) expect(power(turned, exponent)).toBe(power(plain, exponent));
    expect(turned).not.toEqual(plain);
  });

  it('shows nothing but the spectrum, with the noise and mask that it should have', () => {
    expect(suspicions(honest)).toEqual([]);
  });

  const title = 'is caught with %s by the test "%s"';
  const isCaught = (fault: string, name: string) => expect(suspicions(FAULTS[fault]!)).toContain(name);
  it.each([
    ['no rotation', 'spectrum only'],
    ['equal variance on the diagonal', 'diagonal noise'],
  ])(title, isCaught);
  it.each([
    ['no noise', 'noise'],
    ['noise in double precision', 'digits'],
    ['reused rotation', 'fresh'],
    ['no mask', 'divisors'],
  ])(title, { tags: ['long'] }, isCaught);
});
