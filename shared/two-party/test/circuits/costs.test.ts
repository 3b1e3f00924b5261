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
        "multiply 1 by 12": "24 gates, 24 batches, depth 13",
        "multiply 10 by 10, 4 places, 24 bits": "119 gates, 45 batches, depth 20",
        "multiply 16 by 16": "287 gates, 83 batches, depth 32",
        "multiply 21 by 30": "680 gates, 137 batches, depth 51",
        "multiply 25 by 20": "544 gates, 115 batches, depth 45",
        "multiply 32 by 32": "1087 gates, 186 batches, depth 64",
        "multiply 32 by 32 modulo": "559 gates, 90 batches, depth 32",
        "multiply 32 by 32, 20 places, 32 bits": "1009 gates, 158 batches, depth 52",
        "multiply 40 by 40": "1679 gates, 234 batches, depth 80",
        "multiply 40 by 40, 24 places, 40 bits": "1543 gates, 200 batches, depth 64",
        "multiply 64 by 64": "4223 gates, 378 batches, depth 128",
        "multiply 8 by 8": "79 gates, 38 batches, depth 16",
        "negate 32": "30 gates, 30 batches, depth 30",
        "negate 32 if": "31 gates, 31 batches, depth 31",
        "normalise 32": "186 gates, 15 batches, depth 15",
        "normalise 9": "47 gates, 10 batches, depth 10",
        "occupied 32": "31 gates, 31 batches, depth 31",
        "prefix add 33": "161 gates, 7 batches, depth 6",
        "prefix add 40": "193 gates, 8 batches, depth 7",
        "reciprocal square root of 32 bits, 16 places": "2063 gates, 2063 batches, depth 2018",
        "ripple add 40": "39 gates, 39 batches, depth 39",
        "select 32": "32 gates, 1 batches, depth 1",
        "shift 32 left by 6": "192 gates, 6 batches, depth 6",
        "shift 32 right by 6": "192 gates, 6 batches, depth 6",
        "shift 8 left by 4, checked": "50 gates, 16 batches, depth 9",
        "square 3": "7 gates, 7 batches, depth 4",
        "square 32": "558 gates, 158 batches, depth 62",
        "square 40, 24 places, 40 bits": "778 gates, 166 batches, depth 62",
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
        "multiply 1 by 12": "34 gates, 16 batches, depth 15",
        "multiply 10 by 10, 4 places, 24 bits": "140 gates, 24 batches, depth 22",
        "multiply 16 by 16": "336 gates, 36 batches, depth 36",
        "multiply 21 by 30": "766 gates, 56 batches, depth 53",
        "multiply 25 by 20": "615 gates, 50 batches, depth 48",
        "multiply 32 by 32": "1216 gates, 69 batches, depth 69",
        "multiply 32 by 32 modulo": "608 gates, 37 batches, depth 36",
        "multiply 32 by 32, 20 places, 32 bits": "1098 gates, 58 batches, depth 55",
        "multiply 40 by 40": "1840 gates, 86 batches, depth 84",
        "multiply 40 by 40, 24 places, 40 bits": "1672 gates, 70 batches, depth 69",
        "multiply 64 by 64": "4544 gates, 197 batches, depth 134",
        "multiply 8 by 8": "96 gates, 19 batches, depth 19",
        "normalise 32": "186 gates, 15 batches, depth 15",
        "normalise 9": "47 gates, 10 batches, depth 10",
        "reciprocal square root of 32 bits, 16 places": "9998 gates, 506 batches, depth 422",
        "square 3": "8 gates, 6 batches, depth 5",
        "square 32": "682 gates, 75 batches, depth 66",
        "square 40, 24 places, 40 bits": "902 gates, 76 batches, depth 66",
        "square root of 1 bits": "0 gates, 0 batches, depth 0",
        "square root of 32 bits": "469 gates, 68 batches, depth 53",
        "square root of 63 bits": "2268 gates, 164 batches, depth 134",
        "square root of 64 bits": "2269 gates, 165 batches, depth 134",
      }
    `);
  });
});
