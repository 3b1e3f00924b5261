/** What either end holds or sees looks the same whatever the inputs are. */
import { beforeAll, describe, expect, it } from 'vitest';
import { PRODUCT_MESSAGE } from '../../src/products/layout.ts';
import { messagesOf } from '../support/views.ts';
import { type Case, type Matrix, matrixOf, opened, session } from './parties.ts';

const RING_BITS = 70;
const ENTRY_BITS = 70;
const [ROWS, INNER, COLUMNS] = [32, 2, 32];

/** In standard deviations. A fair coin exceeds it once in 1e13 times; fewer than two thousand are looked at. */
const LARGEST_DEVIATION = 7.5;

/** Of all messages with each of the inputs below. */
const forms: string[] = [];

let shared: Awaited<ReturnType<typeof session>>;
beforeAll(async () => {
  shared = await session();
});

/** The largest deviation from a fair coin, in standard deviations, over the bits of the numbers. */
function deviationOf(numbers: readonly bigint[], bits: number): number {
  let largest = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const ones = numbers.reduce((sum, number) => sum + Number((number >> BigInt(bit)) & 1n), 0);
    largest = Math.max(largest, Math.abs(ones - numbers.length / 2) / Math.sqrt(numbers.length / 4));
  }
  return largest;
}

function constantCase(a: bigint, c: bigint): Case {
  return {
    a: matrixOf(ROWS, INNER, () => a),
    c: matrixOf(INNER, COLUMNS, () => c),
    entryBits: ENTRY_BITS,
    ringBits: RING_BITS,
  };
}

const LEAST = -(1n << BigInt(ENTRY_BITS - 1));
const ALL_ONES = (1n << BigInt(RING_BITS)) - 1n;

const INPUTS: readonly (readonly [string, bigint, bigint])[] = [
  ['zeros', 0n, 0n],
  ['minus one and all ones', -1n, ALL_ONES],
  ['the least entry and one', LEAST, 1n],
];

describe.each(INPUTS)('with constant inputs, %s,', (_, a, c) => {
  let shares: { readonly chosen: Matrix; readonly correlated: Matrix };
  let sent: bigint[];

  beforeAll(async () => {
    shared.sentByCorrelator.length = 0;
    shared.sentByChooser.length = 0;
    shares = await shared.multiply(constantCase(a, c));
    const form = [shared.sentByCorrelator, shared.sentByChooser].map((frames) =>
      messagesOf(frames).map(({ type, payload }) => [type, payload.length]),
    );
    forms.push(JSON.stringify(form));
    sent = messagesOf(shared.sentByCorrelator)
      .filter(({ type }) => type === PRODUCT_MESSAGE.chunk)
      .flatMap(({ payload }) => Array.from(payload, BigInt));
  });

  it('either share alone is uniform', () => {
    expect(deviationOf(shares.chosen.flat(), RING_BITS)).toBeLessThan(LARGEST_DEVIATION);
    expect(deviationOf(shares.correlated.flat(), RING_BITS)).toBeLessThan(LARGEST_DEVIATION);
  });

  it('no share occurs twice', () => {
    const all = [...shares.chosen.flat(), ...shares.correlated.flat()];
    expect(new Set(all).size).toBe(all.length);
  });

  it('the bytes that are sent are uniform', () => {
    expect(sent.length).toBeGreaterThan(100_000);
    expect(deviationOf(sent, 8)).toBeLessThan(LARGEST_DEVIATION);
  });

  it('the product is not: the test can tell', () => {
    const result = opened(shares.chosen, shares.correlated, RING_BITS);
    expect(deviationOf(result.flat(), RING_BITS)).toBeGreaterThan(LARGEST_DEVIATION);
  });
});

describe('slopes, the combinations of a matrix that are sent', () => {
  const bits = RING_BITS + 20;

  /** By row of the matrix, threshold and combination. */
  async function slopes(c: bigint): Promise<bigint[][][]> {
    shared.sentByCorrelator.length = 0;
    await shared.multiply({
      a: matrixOf(6, 64, () => 5n),
      c: matrixOf(64, 6, () => c),
      entryBits: 4,
      ringBits: RING_BITS,
      part: 'upper',
    });
    const payload = Buffer.from(messagesOf(shared.sentByCorrelator).at(-1)!.payload);
    const bytes = Math.ceil(bits / 8);
    expect(payload.length).toBe(64 * 7 * 2 * bytes + 32);
    const at = (place: number) => BigInt(`0x${payload.toString('hex', place * bytes, (place + 1) * bytes)}`);
    return Array.from({ length: 64 }, (_, k) =>
      Array.from({ length: 7 }, (__, threshold) => [0, 1].map((b) => at((7 * k + threshold) * 2 + b))),
    );
  }

  it.each([0n, 1n, ALL_ONES])(
    'are uniform, and so is what they differ by from one threshold to the next: %i',
    async (c) => {
      const all = await slopes(c);
      expect(deviationOf(all.flat(2), bits)).toBeLessThan(LARGEST_DEVIATION);
      const differences = all.flatMap((thresholds) =>
        thresholds
          .slice(1)
          .flatMap((pair, t) => pair.map((g, b) => BigInt.asUintN(bits, g - thresholds[t]![b]!))),
      );
      expect(deviationOf(differences, bits)).toBeLessThan(LARGEST_DEVIATION);
      const between = all.flat().map(([g, h]) => BigInt.asUintN(bits, g! - h!));
      expect(deviationOf(between, bits)).toBeLessThan(LARGEST_DEVIATION);
      expect(new Set(all.flat(2)).size).toBe(all.flat(2).length);
    },
  );
});

it('the form of all messages depends on the sizes only', () => {
  expect(forms).toHaveLength(INPUTS.length);
  expect(new Set(forms).size).toBe(1);
});
