/**
 * The WebAssembly of sums in rings of 64 bits at most, whose elements take 8 bytes in memory and need no
 * carries: two elements at once where those that are sent take 5 to 8 bytes, and four where they take up to
 * 4, since the lowest 32 bits are all that counts of such a pass. A row's columns, and its masks, fill up
 * groups of four in memory. What is added there behind the last is nobody's.
 */
import {
  add,
  addHalves,
  addQuarters,
  andNot,
  type Code,
  constant,
  type FunctionSource,
  get,
  half,
  highQuarters,
  load,
  loadNumber,
  lowQuarters,
  NUMBER,
  repeat,
  set,
  shiftHalvesLeft,
  shiftLeft,
  shiftQuartersLeft,
  shiftRight,
  shuffle,
  store,
  storeLong,
  subtract,
  subtractHalves,
  subtractQuarters,
  times,
  VECTOR,
  vector,
  xor,
} from '../garbling/assembler.ts';
import { type DigitBits, leavesOf, NARROW_BYTES, NARROW_GROUP } from './layout.ts';
import { addUp, advance, DIGIT_TABLE_BYTES, leafPointers, maskOf, range } from './ring-kernels.ts';

/** The way in which a register holds elements of a given number of bytes each. */
interface Lanes {
  readonly elements: 2 | 4;
  readonly plus: (a: Code, b: Code) => Code;
  readonly minus: (a: Code, b: Code) => Code;
  readonly times: (a: Code, bits: number) => Code;
  /** As many as it holds, from where they lie without gaps. */
  readonly load: (address: Code) => Code;
  /** Stores its elements where they lie without gaps; bytes behind the last may change. */
  readonly store: (address: Code, value: number) => Code;
  /** Loads elements from memory that has NARROW_BYTES for each. */
  readonly loadWide: (address: Code) => Code;
  /** Adds what a local holds to such memory. */
  readonly addWide: (address: number, value: number) => Code;
}

function lanesOf(width: number): Lanes {
  const bytes = Array.from({ length: 16 }, (_, byte) => byte);
  const each = width > NARROW_BYTES / 2 ? NARROW_BYTES : NARROW_BYTES / 2;
  const loaded = bytes.map((byte) => width * Math.floor(byte / each) + (byte % each));
  const loadPacked = (address: Code): Code =>
    width === each ? load(address) : shuffle(load(address), vector(0), loaded);
  const increase = (address: number, more: Code, offset: number) =>
    store(get(address), addHalves(load(get(address), offset), more), offset);
  if (each === NARROW_BYTES) {
    return {
      elements: 2,
      plus: addHalves,
      minus: subtractHalves,
      times: shiftHalvesLeft,
      load: loadPacked,
      store: (address, value) => [
        storeLong(address, half(get(value), 0)),
        storeLong(address, half(get(value), 1), width),
      ],
      loadWide: load,
      addWide: (address, value) => increase(address, get(value), 0),
    };
  }
  const stored = bytes.map((byte) =>
    byte < 4 * width ? each * Math.floor(byte / width) + (byte % width) : 16,
  );
  const low = bytes.map((byte) => NARROW_BYTES * Math.floor(byte / each) + (byte % each));
  return {
    elements: 4,
    plus: addQuarters,
    minus: subtractQuarters,
    times: shiftQuartersLeft,
    load: loadPacked,
    store: (address, value) => store(address, shuffle(get(value), vector(0), stored)),
    loadWide: (address) => shuffle(load(address), load(address, 16), low),
    addWide: (address, value) => [
      increase(address, lowQuarters(get(value)), 0),
      increase(address, highQuarters(get(value)), 16),
    ],
  };
}

/** Multiplies `n` sums by 2^bits; their number in memory is even. */
function settleFunction(): FunctionSource {
  const [sums, n, bits] = [0, 1, 2];
  return {
    name: 'settleNarrow',
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [],
    body: [
      set(n, shiftRight(get(n), constant(1))),
      repeat(n, [
        store(get(sums), shiftHalvesLeft(load(get(sums)), get(bits))),
        advance(sums, 2 * NARROW_BYTES),
      ]),
    ],
  };
}

/** Locals of a run over elements, columns or masks: `sum` is where the next run begins when it ends. */
interface Run {
  readonly count: number;
  readonly groups: number;
  readonly sum: number;
  readonly start: number;
}

/** Goes over `count` elements in groups, and moves pointers on to what lies without gaps. */
function inGroups(
  { count, groups, sum, start }: Run,
  width: number,
  packed: readonly number[],
  body: Code,
): Code {
  const { elements } = lanesOf(width);
  /** The elements fill this number of groups of 2^bits. */
  const filled = (bits: number) => shiftRight(add(get(count), constant(2 ** bits - 1)), constant(bits));
  const [bits, wide] = [Math.log2(elements), Math.log2(NARROW_GROUP)];
  const tooFar = times(subtract(shiftLeft(filled(bits), constant(bits)), get(count)), constant(width));
  return [
    set(start, get(sum)),
    set(groups, filled(bits)),
    repeat(groups, [
      body,
      advance(sum, elements * NARROW_BYTES),
      packed.map((pointer) => advance(pointer, elements * width)),
    ]),
    packed.map((pointer) => set(pointer, subtract(get(pointer), tooFar))),
    set(sum, add(get(start), shiftLeft(filled(wide), constant(Math.log2(NARROW_GROUP * NARROW_BYTES))))),
  ];
}

/** As correlate of ring-kernels.ts, for elements of `width` bytes. */
function correlateFunction(digitBits: DigitBits, width: number): FunctionSource {
  const [table, masks, correlations, , n] = [0, 1, 2, 3, 4];
  const [sum, element, count, next, runs, groups, start] = [5, 6, 7, 8, 9, 10, 11];
  const leaves = range(12, leavesOf(digitBits));
  const all = 12 + leaves.length;
  const sums = range(all + 1, digitBits);
  const right = range(all + 1 + digitBits, digitBits);
  const lanes = lanesOf(width);
  const { elements } = lanes;
  return {
    name: `correlateNarrow${width}`,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [
      ...new Array<typeof NUMBER>(7 + leaves.length).fill(NUMBER),
      ...new Array<typeof VECTOR>(1 + 2 * digitBits).fill(VECTOR),
    ],
    body: repeat(n, [
      set(sum, loadNumber(get(table))),
      set(element, loadNumber(get(table), 4)),
      set(count, loadNumber(get(table), 8)),
      set(next, shiftLeft(loadNumber(get(table), 12), constant(4))),
      leafPointers(masks, next, leaves),
      set(runs, constant(2)),
      repeat(runs, [
        inGroups(
          { count, groups, sum, start },
          width,
          [...leaves, correlations],
          [
            sums.map((local) => set(local, vector(0))),
            set(
              all,
              addUp((x) => lanes.load(get(leaves[x]!)), digitBits, [sums, right], lanes.plus),
            ),
            set(right[0]!, weighed(sums, lanes)),
            lanes.addWide(sum, right[0]!),
            set(all, lanes.minus(lanes.loadWide(get(element)), get(all))),
            lanes.store(get(correlations), all),
            advance(element, elements * NARROW_BYTES),
          ],
        ),
        set(element, loadNumber(get(table), 16)),
        set(count, loadNumber(get(table), 20)),
      ]),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/** As choose of ring-kernels.ts, for elements of `width` bytes. */
function chooseFunction(digitBits: DigitBits, width: number): FunctionSource {
  const [table, masks, correlations, , choices, n] = [0, 1, 2, 3, 4, 5];
  const [sum, count, next, runs, groups, start] = [6, 7, 8, 9, 10, 11];
  const leaves = range(12, leavesOf(digitBits) - 1);
  const zero = 12 + leaves.length;
  const unset = range(zero + 1, digitBits);
  const sums = range(zero + 1 + digitBits, digitBits);
  const right = range(zero + 1 + 2 * digitBits, digitBits);
  const sent = zero + 1 + 3 * digitBits;
  const lanes = lanesOf(width);
  const signed = (value: Code, mask: number): Code => lanes.minus(xor(value, get(mask)), get(mask));
  return {
    name: `chooseNarrow${width}`,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [
      ...new Array<typeof NUMBER>(6 + leaves.length).fill(NUMBER),
      ...new Array<typeof VECTOR>(2 + 3 * digitBits).fill(VECTOR),
    ],
    body: repeat(n, [
      unset.map((local, bit) => set(local, maskOf(add(get(choices), constant(digitBits - 1 - bit))))),
      set(sum, loadNumber(get(table))),
      set(count, loadNumber(get(table), 8)),
      set(next, shiftLeft(loadNumber(get(table), 12), constant(4))),
      leafPointers(masks, next, leaves),
      set(runs, constant(2)),
      repeat(runs, [
        inGroups(
          { count, groups, sum, start },
          width,
          [...leaves, correlations],
          [
            sums.map((local) => set(local, vector(0))),
            set(
              sent,
              addUp(
                (x) => (x === 0 ? get(zero) : lanes.load(get(leaves[x - 1]!))),
                digitBits,
                [sums, right],
                lanes.plus,
              ),
            ),
            set(sent, lanes.load(get(correlations))),
            sums.map((local, bit) =>
              set(local, lanes.plus(signed(get(local), unset[bit]!), andNot(get(sent), get(unset[bit]!)))),
            ),
            set(right[0]!, weighed(sums, lanes)),
            lanes.addWide(sum, right[0]!),
          ],
        ),
        set(count, loadNumber(get(table), 20)),
      ]),
      advance(choices, digitBits),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/** Each bit's sum times its weight, added up. */
function weighed(sums: readonly number[], { plus, times: shifted }: Lanes): Code {
  return sums.map((local, bit) => (bit === 0 ? get(local) : shifted(get(local), bit))).reduce(plus);
}

/** Bytes that a pass's elements may take. */
export const NARROW_WIDTHS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

export function narrowFunctions(digitBits: DigitBits): readonly FunctionSource[] {
  return [
    settleFunction(),
    ...NARROW_WIDTHS.map((width) => correlateFunction(digitBits, width)),
    ...NARROW_WIDTHS.map((width) => chooseFunction(digitBits, width)),
  ];
}
