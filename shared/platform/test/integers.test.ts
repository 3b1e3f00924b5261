/** Many integers in one piece of memory: what is written is read, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sign } from '../src/integers.ts';
import { Integers, type Widths } from '../src/node.ts';

const SIGNS: readonly Sign[] = ['unsigned', 'signed'];
const bits = fc.oneof(fc.integer({ min: 1, max: 130 }), fc.constantFrom(256, 1000));
/** The ends of the range, and what lies between them. */
const within = (bits: number, sign: Sign) => {
  const least = sign === 'signed' ? -(1n << BigInt(bits - 1)) : 0n;
  const most = least + (1n << BigInt(bits)) - 1n;
  return fc.oneof(fc.constantFrom(least, most), fc.bigInt({ min: least, max: most }));
};
/** Widths in runs, as those of tasks are. */
const tables = fc
  .array(fc.tuple(bits, fc.integer({ min: 1, max: 4 })), { maxLength: 6 })
  .map((runs) => runs.flatMap(([width, count]) => new Array<number>(count).fill(width)));
const lists = (sign: Sign) =>
  tables.chain((widths) =>
    fc.tuple(fc.constant(widths), fc.tuple(...widths.map((width) => within(width, sign)))),
  );
const places = fc.integer({ min: -26, max: 26 });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe.each(SIGNS)('%s', (sign) => {
  test('integers are as they were, by place, one by one, and behind bytes that are not theirs', () => {
    fc.assert(
      fc.property(lists(sign), fc.nat(9), ([widths, values], before) => {
        const written = Integers.of(values, widths, sign);
        expect([...written]).toEqual(values);
        const strangers = new Uint8Array(before + written.bytes.length + 3).fill(0xa5);
        strangers.set(written.bytes, before);
        const own = strangers.subarray(before, before + written.bytes.length);
        const read = Integers.read(own, widths, sign);
        expect([read.length, ...read]).toEqual([values.length, ...values]);
        for (let i = -values.length - 1; i <= values.length; i += 1) expect(read.at(i)).toBe(values.at(i));
      }),
    );
  });

  test('a slice is that of an array, and has the bytes of its integers alone', () => {
    fc.assert(
      fc.property(lists(sign), places, places, ([widths, values], from, to) => {
        const slice = Integers.of(values, widths, sign).slice(from, to);
        expect([...slice]).toEqual(values.slice(from, to));
        expect(slice.at(-1)).toBe(values.slice(from, to).at(-1));
        expect(hex(slice.bytes)).toBe(
          hex(Integers.of(values.slice(from, to), widths.slice(from, to), sign).bytes),
        );
        expect([...slice.slice(1, 3)]).toEqual(values.slice(from, to).slice(1, 3));
      }),
    );
  });

  test('what is read is what these integers are written as, or it is refused', () => {
    fc.assert(
      fc.property(tables, fc.uint8Array({ minLength: 200, maxLength: 200 }), (widths, noise) => {
        const bytes = noise.subarray(0, Integers.lengthOf(widths));
        let read: Integers;
        try {
          read = Integers.read(bytes, widths, sign);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_ENCODING_INVALID' });
          return;
        }
        expect(hex(Integers.of(read, widths, sign).bytes)).toBe(hex(bytes));
      }),
    );
  });

  test('widths that are alike need no table', () => {
    fc.assert(
      fc.property(fc.nat(5), bits, (length, width) => {
        const values = new Array<bigint>(length).fill(0n);
        const table = new Array<number>(length).fill(width);
        const alike = { length, bits: width };
        expect(hex(Integers.of(values, alike, sign).bytes)).toBe(hex(Integers.of(values, table, sign).bytes));
      }),
    );
  });
});

test('an integer is big-endian, in the fewest whole bytes of its bits', () => {
  expect(hex(Integers.of([255n, 300n, 0x0102030405060708090an], [8, 9, 80]).bytes)).toBe(
    'ff012c0102030405060708090a',
  );
  expect(hex(Integers.of([-1n, -256n, 255n], [1, 9, 9], 'signed').bytes)).toBe('ffff0000ff');
});

test.each<[Widths, number[], Sign]>([
  [[8, 9], [0, 512], 'unsigned'],
  [[8, 9], [-1, 0], 'unsigned'],
  [[8, 9], [0, 256], 'signed'],
  [[8, 9], [-129, 0], 'signed'],
  [[8, 9], [0], 'unsigned'],
  [[8, 9], [0, 0, 0], 'unsigned'],
  [{ length: 0, bits: 8 }, [0], 'unsigned'],
  [[0], [0], 'unsigned'],
  [[1.5], [0], 'unsigned'],
])('%j does not hold %j, %s', (widths, values, sign) => {
  expect(() => Integers.of(values.map(BigInt), widths, sign)).toThrow(RangeError);
});

test.each<[string, Widths, Sign]>([
  ['ff', [8, 9], 'unsigned'],
  ['ff01ffff', [8, 9], 'unsigned'],
  ['ff0200', [8, 9], 'unsigned'],
  ['ff0100', [8, 9], 'signed'],
  ['fffeff', [8, 9], 'signed'],
  ['02', [1], 'signed'],
  ['00', [], 'unsigned'],
])('%s is refused as %j, %s, and not repeated', (bytes, widths, sign) => {
  const read = () => Integers.read(Buffer.from(bytes, 'hex'), widths, sign);
  expect(read).toThrow(expect.objectContaining({ name: 'CodedError', code: 'ERR_ENCODING_INVALID' }));
});
