/** What circuits cost, recorded: a change of any number here is a change of docs/costs.md and of every program's time. */
import { describe, expect, it } from 'vitest';
import { ENTRIES } from './catalogue.ts';
import { cost } from './run.ts';

describe('AND gates per lane', () => {
  it('are these at 50 lanes', () => {
    const table = Object.fromEntries(
      ENTRIES.map(({ name, circuit, bits }) => {
        const { gates, batches, depth } = cost(circuit, bits, 50);
        return [name, `${gates} gates, ${batches} batches, depth ${depth}`];
      }),
    );
    expect(table).toMatchInlineSnapshot(`
      {
        "Karatsuba product 9 by 8, 12 bits": "143 gates, 52 batches, depth 11",
        "absolute 32": "31 gates, 31 batches, depth 31",
        "add 32": "32 gates, 32 batches, depth 32",
        "add 32 modulo": "31 gates, 31 batches, depth 31",
        "add 7 and 20": "20 gates, 20 batches, depth 20",
        "divide 10 bits, 0 places, by 5 bits": "73 gates, 73 batches, depth 69",
        "divide 32 bits, 16 places, by 32 bits": "1646 gates, 1646 batches, depth 1615",
        "divide 40 bits, 24 places, by 40 bits": "2702 gates, 2702 batches, depth 2663",
        "divide unsigned 32 by 16": "512 gates, 512 batches, depth 512",
        "equal 32": "31 gates, 5 batches, depth 5",
        "is zero 32": "31 gates, 5 batches, depth 5",
        "less than 32": "32 gates, 32 batches, depth 32",
        "minimum, maximum 16": "64 gates, 34 batches, depth 17",
        "multiply 1 by 12": "23 gates, 12 batches, depth 12",
        "multiply 10 by 10, 4 places, 24 bits": "190 gates, 31 batches, depth 19",
        "multiply 16 by 16": "496 gates, 59 batches, depth 31",
        "multiply 25 by 20": "976 gates, 81 batches, depth 44",
        "multiply 32 by 32": "1785 gates, 283 batches, depth 63",
        "multiply 32 by 32 modulo": "993 gates, 72 batches, depth 31",
        "multiply 32 by 32, 20 places, 32 bits": "1761 gates, 263 batches, depth 51",
        "multiply 40 by 40": "2570 gates, 641 batches, depth 79",
        "multiply 40 by 40, 24 places, 40 bits": "2538 gates, 613 batches, depth 63",
        "multiply 64 by 64": "5783 gates, 1145 batches, depth 127",
        "multiply 8 by 8": "120 gates, 24 batches, depth 15",
        "negate 32": "30 gates, 30 batches, depth 30",
        "negate 32 if": "31 gates, 31 batches, depth 31",
        "normalise 32": "186 gates, 15 batches, depth 15",
        "normalise 9": "47 gates, 10 batches, depth 10",
        "occupied 32": "31 gates, 31 batches, depth 31",
        "prefix add 33": "161 gates, 7 batches, depth 6",
        "prefix add 40": "193 gates, 8 batches, depth 7",
        "reciprocal square root of 32 bits, 16 places": "2063 gates, 2063 batches, depth 2018",
        "ripple add 40": "39 gates, 39 batches, depth 39",
        "school product 21 by 30": "1231 gates, 102 batches, depth 50",
        "select 32": "32 gates, 1 batches, depth 1",
        "shift 32 left by 6": "192 gates, 6 batches, depth 6",
        "shift 32 right by 6": "192 gates, 6 batches, depth 6",
        "shift 8 left by 4, checked": "50 gates, 16 batches, depth 9",
        "square 3": "6 gates, 4 batches, depth 4",
        "square 32": "992 gates, 114 batches, depth 62",
        "square 40, 24 places, 40 bits": "1424 gates, 126 batches, depth 62",
        "square root of 1 bits": "0 gates, 0 batches, depth 0",
        "square root of 32 bits": "136 gates, 136 batches, depth 121",
        "square root of 63 bits": "527 gates, 527 batches, depth 497",
        "square root of 64 bits": "528 gates, 528 batches, depth 497",
        "subtract 32": "32 gates, 32 batches, depth 32",
      }
    `);
  });

  it('are these in one lane, where adders trade gates for batches', () => {
    const table = Object.fromEntries(
      ENTRIES.filter(({ name }) => /^(add|less|multiply|square|divide|normalise|reciprocal)/.test(name)).map(
        ({ name, circuit, bits }) => {
          const { gates, batches, depth } = cost(circuit, bits, 1);
          return [name, `${gates} gates, ${batches} batches, depth ${depth}`];
        },
      ),
    );
    expect(table).toMatchInlineSnapshot(`
      {
        "add 32": "161 gates, 7 batches, depth 6",
        "add 32 modulo": "151 gates, 7 batches, depth 6",
        "add 7 and 20": "81 gates, 7 batches, depth 6",
        "divide 10 bits, 0 places, by 5 bits": "139 gates, 63 batches, depth 50",
        "divide 32 bits, 16 places, by 32 bits": "7929 gates, 354 batches, depth 301",
        "divide 40 bits, 24 places, by 40 bits": "13151 gates, 532 batches, depth 462",
        "divide unsigned 32 by 16": "2048 gates, 191 batches, depth 160",
        "less than 32": "161 gates, 7 batches, depth 6",
        "multiply 1 by 12": "32 gates, 5 batches, depth 5",
        "multiply 10 by 10, 4 places, 24 bits": "228 gates, 16 batches, depth 15",
        "multiply 16 by 16": "583 gates, 22 batches, depth 21",
        "multiply 25 by 20": "1115 gates, 27 batches, depth 25",
        "multiply 32 by 32": "2245 gates, 39 batches, depth 38",
        "multiply 32 by 32 modulo": "1038 gates, 36 batches, depth 33",
        "multiply 32 by 32, 20 places, 32 bits": "2013 gates, 39 batches, depth 38",
        "multiply 40 by 40": "3443 gates, 48 batches, depth 47",
        "multiply 40 by 40, 24 places, 40 bits": "3105 gates, 47 batches, depth 46",
        "multiply 64 by 64": "8691 gates, 73 batches, depth 71",
        "multiply 8 by 8": "149 gates, 13 batches, depth 12",
        "normalise 32": "186 gates, 15 batches, depth 15",
        "normalise 9": "47 gates, 10 batches, depth 10",
        "reciprocal square root of 32 bits, 16 places": "9998 gates, 506 batches, depth 422",
        "square 3": "8 gates, 4 batches, depth 4",
        "square 32": "1221 gates, 37 batches, depth 36",
        "square 40, 24 places, 40 bits": "1625 gates, 45 batches, depth 44",
        "square root of 1 bits": "0 gates, 0 batches, depth 0",
        "square root of 32 bits": "469 gates, 68 batches, depth 53",
        "square root of 63 bits": "2268 gates, 164 batches, depth 134",
        "square root of 64 bits": "2269 gates, 165 batches, depth 134",
      }
    `);
  });
});
