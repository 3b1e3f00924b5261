/** Every circuit against integers: at all combinations of boundaries, at random, and garbled. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, valuesOf } from '../../src/circuits/index.ts';
import { ENTRIES, type Entry, LANE_ENTRIES } from './catalogue.ts';
import { type Operand, runBoth, runClear } from './run.ts';

/** 0, 1, -1, the ends of the range and their neighbours, a lone bit, and a pattern. */
function boundaries(bits: number): bigint[] {
  const half = 1n << BigInt(bits - 1);
  const wanted = [
    0n,
    1n,
    -1n,
    2n,
    -2n,
    half - 1n,
    -half,
    half - 2n,
    1n - half,
    half >> 1n,
    half / 3n,
    -(half / 5n),
  ];
  return [...new Set(wanted.map((value) => BigInt.asIntN(bits, value)))];
}

function combinations(bits: readonly number[]): bigint[][] {
  return bits.reduce<bigint[][]>(
    (rows, length) => rows.flatMap((row) => boundaries(length).map((value) => [...row, value])),
    [[]],
  );
}

/** One operand per length from rows of one value per operand. */
const operandsOf = (bits: readonly number[], rows: readonly (readonly bigint[])[]): Operand[] =>
  bits.map((length, k) => ({ bits: length, values: rows.map((row) => row[k]!) }));

function expected(entry: Entry, rows: readonly (readonly bigint[])[]): bigint[][] {
  const results = rows.map((row) =>
    entry.reference(
      ...row.map((value, k) => (entry.unsigned ? BigInt.asUintN(entry.bits[k]!, value) : value)),
    ),
  );
  return results[0]!.map((_, k) => results.map((result) => result[k]!));
}

/** Without the rows that divide by 0. */
function allowed(entry: Entry, rows: readonly bigint[][]): bigint[][] {
  return rows.filter((row) => entry.divisor === undefined || row[entry.divisor] !== 0n);
}

/** Rows of any values, small magnitudes as likely as large ones. */
function rowsOf(bits: readonly number[], count: { minLength: number; maxLength: number }) {
  const value = (length: number) =>
    fc
      .tuple(
        fc.bigInt({ min: -(1n << BigInt(length - 1)), max: (1n << BigInt(length - 1)) - 1n }),
        fc.nat(length - 1),
      )
      .map(([drawn, places]) => drawn >> BigInt(places));
  return fc.array(fc.tuple(...bits.map(value)), count);
}

describe.each(ENTRIES.map((entry, i) => ({ ...entry, isThird: i % 3 === 0 })))('$name', (entry) => {
  it('is exact at boundaries', async () => {
    const rows = allowed(entry, combinations(entry.bits));
    expect(await runClear(entry.circuit, operandsOf(entry.bits, rows))).toEqual(expected(entry, rows));
  });

  it('is exact at random', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(entry.bits, { minLength: 1, maxLength: 40 }), async (drawn) => {
        const rows = allowed(entry, drawn);
        fc.pre(rows.length > 0);
        expect(await runClear(entry.circuit, operandsOf(entry.bits, rows))).toEqual(expected(entry, rows));
      }),
      { numRuns: 6 },
    );
  });

  const isTheSameGarbled = async (lanes: number) => {
    const drawn = fc.sample(rowsOf(entry.bits, { minLength: lanes, maxLength: lanes }), 1)[0]!;
    const rows = drawn.map((row) =>
      row.map((value, k) => (entry.divisor === k && value === 0n ? 1n : value)),
    );
    expect(await runBoth(entry.circuit, operandsOf(entry.bits, rows))).toEqual(expected(entry, rows));
  };
  // Gates are the same for all circuits: a third of them shows that they are garbled right.
  it('is the same garbled in 2 lanes', { tags: entry.isThird ? [] : ['long'] }, () => isTheSameGarbled(2));
  it('is the same garbled in 20 lanes', { tags: ['long'] }, () => isTheSameGarbled(20));
});

describe.each(LANE_ENTRIES)('$name', ({ bits, lanes, circuit, reference }) => {
  it('is exact in the clear and garbled', async () => {
    const extremes = bits.map(
      (length): Operand => ({ bits: length, values: new Array(lanes).fill(-(1n << BigInt(length - 1))) }),
    );
    const [rows] = fc.sample(rowsOf(bits, { minLength: lanes, maxLength: lanes }), 1);
    for (const operands of [extremes, operandsOf(bits, rows!)]) {
      const wanted = [[...reference(...operands.map(({ values }) => values))]];
      expect(await runClear(circuit, operands)).toEqual(wanted);
      expect(await runBoth(circuit, operands)).toEqual(wanted);
    }
  });
});

describe('numbers as bits', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -2048n, max: 2047n }), { minLength: 1 }), (values) => {
        const bits = bitsOf(values, 12);
        const vectors = Array.from({ length: 12 }, (_, i) =>
          bits.slice(i * values.length, (i + 1) * values.length),
        );
        expect(valuesOf(vectors)).toEqual(values);
      }),
    );
  });

  it('are refused when too large, without telling the value', () => {
    expect(() => bitsOf([0n, 2048n], 12)).toThrow(
      '"values" expected signed integers of 12 bits, got a larger one in lane 1',
    );
  });
});
