/** The WebAssembly that packs integers of at most 31 bits side by side in bytes, little endian, the lowest bits first, and unpacks them. */
import {
  add,
  addLong,
  and,
  type Code,
  constant,
  constantLong,
  type FunctionSource,
  get,
  isMore,
  LONG,
  loadLong,
  loadNumber,
  long,
  lowHalf,
  NUMBER,
  orLong,
  orNumber,
  repeat,
  set,
  shiftLeft,
  shiftLeftLong,
  shiftRight,
  shiftRightLong,
  storeHalf,
  storeNumber,
  subtract,
  xorNumber,
} from '../garbling/assembler.ts';
import { advance } from './montgomery.ts';

/** The words that are meant: `runs` times, `run` words, and `gap` words between them. Only the gap may be zero. */
type Place = [runs: number, run: number, gap: number];

export interface WordKernels {
  /** Packs the lowest `bits` of each word. It writes four bytes more at most, so that lists are packed in the order in which they stand. */
  pack(to: number, from: number, ...rest: [...Place, bits: number]): void;
  /**
   * Unpacks; `sign` is the highest bit of signed integers, and 0 of others. Integers x for which x + offset is more than `limit`, without
   * sign, make the word at `beyond` 1. It reads seven bytes more at most.
   */
  unpack(
    to: number,
    from: number,
    ...rest: [...Place, bits: number, sign: number, offset: number, limit: number, beyond: number]
  ): void;
}

/** Runs `each` for all words from the pointer on. */
function forEach(pointer: number, runs: number, run: number, gap: number, count: number, each: Code) {
  return repeat(runs, [
    set(count, get(run)),
    repeat(count, [each, advance(pointer, 4)]),
    set(pointer, add(get(pointer), shiftLeft(get(gap), constant(2)))),
  ]);
}

/** A mask of the lowest `bits`, 1 to 31. */
const maskOf = (bits: number) => subtract(shiftLeft(constant(1), get(bits)), constant(1));

export function pack(): FunctionSource {
  const [to, from, runs, run, gap, bits] = [0, 1, 2, 3, 4, 5];
  const [count, mask, have, whole, held] = [6, 7, 8, 9, 10];
  return {
    name: 'pack',
    parameters: new Array(6).fill(NUMBER),
    locals: [NUMBER, NUMBER, NUMBER, NUMBER, LONG],
    body: [
      set(mask, maskOf(bits)),
      forEach(from, runs, run, gap, count, [
        set(
          held,
          orLong(get(held), shiftLeftLong(long(and(loadNumber(get(from)), get(mask))), long(get(have)))),
        ),
        set(have, add(get(have), get(bits))),
        storeHalf(get(to), get(held)),
        // 32 where four bytes are full, which leave, and 0 elsewhere.
        set(whole, and(get(have), constant(32))),
        set(to, add(get(to), shiftRight(get(whole), constant(3)))),
        set(held, shiftRightLong(get(held), long(get(whole)))),
        set(have, subtract(get(have), get(whole))),
      ]),
      storeHalf(get(to), get(held)),
    ],
  };
}

export function unpack(): FunctionSource {
  const [to, from, runs, run, gap, bits, sign, offset, limit, beyond] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const [count, mask, value, flag, at] = [10, 11, 12, 13, 14];
  return {
    name: 'unpack',
    parameters: new Array(10).fill(NUMBER),
    locals: [NUMBER, NUMBER, NUMBER, NUMBER, LONG],
    body: [
      set(mask, maskOf(bits)),
      forEach(to, runs, run, gap, count, [
        set(
          value,
          lowHalf(
            shiftRightLong(
              loadLong(add(get(from), lowHalf(shiftRightLong(get(at), constantLong(3))))),
              long(and(lowHalf(get(at)), constant(7))),
            ),
          ),
        ),
        set(value, subtract(xorNumber(and(get(value), get(mask)), get(sign)), get(sign))),
        storeNumber(get(to), get(value)),
        set(flag, orNumber(get(flag), isMore(add(get(value), get(offset)), get(limit)))),
        set(at, addLong(get(at), long(get(bits)))),
      ]),
      storeNumber(get(beyond), get(flag)),
    ],
  };
}
