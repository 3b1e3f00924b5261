/**
 * Fixed places in the memory of a product, and instructions that its WebAssembly shares.
 *
 * The WebAssembly of ring arithmetic. A ring element is added as 64-bit lanes of 32 bits each, two lanes per register, so that
 * carries wait until a pass ends; only what is sent is normalised at once. Bits above a pass's width are left as they are,
 * since the weight of the pass moves them out of the ring. Rings of 64 bits at most have kernels of their own: narrow-kernels.ts.
 */
import {
  add,
  addHalves,
  addLong,
  andNot,
  type Code,
  constant,
  constantLong,
  type FunctionSource,
  get,
  half,
  LONG,
  load,
  loadByte,
  loadHalf,
  loadLong,
  loadNumber,
  loadPair,
  long,
  NUMBER,
  repeat,
  set,
  shiftHalvesLeft,
  shiftLeft,
  shiftLeftLong,
  shiftRightLong,
  spread,
  store,
  storeHalf,
  storeLong,
  subtract,
  subtractHalves,
  subtractLong,
  VECTOR,
  vector,
  xor,
} from '../garbling/assembler.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import { type DigitBits, ELEMENT_BYTES, leavesOf, SUM_BYTES } from './layout.ts';

/** Δ. */
export const DELTA_ADDRESS = 0;
/** The address at which the rest of the memory begins. */
export const FREE_ADDRESS = 16;
/**
 * Per digit of a chunk: addresses of its row of the result and of the correlator's row, ring elements, blocks
 * per leaf and one, address and number of the masks.
 */
export const DIGIT_TABLE_BYTES = 24;

/** Moves a pointer on by some bytes. */
export const advance = (pointer: number, bytes: number | Code): Code =>
  set(pointer, add(get(pointer), typeof bytes === 'number' ? constant(bytes) : bytes));

/** All ones where the byte, 0 or 1, is 1. */
export const maskOf = (address: Code): Code => spread(subtract(constant(0), loadByte(address)));

function settleFunction(): FunctionSource {
  const [sums, n, bits, carry] = [0, 1, 2, 3];
  const lanes = SUM_BYTES / 8;
  return {
    name: 'settle',
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [LONG],
    body: repeat(n, [
      set(carry, constantLong(0)),
      Array.from({ length: lanes }, (_, lane) => [
        set(carry, addLong(shiftLeftLong(loadLong(get(sums), 8 * lane), long(get(bits))), get(carry))),
        storeLong(get(sums), constantLong(0), 8 * lane),
        storeHalf(get(sums), get(carry), 8 * lane),
        set(carry, shiftRightLong(get(carry), constantLong(32))),
      ]),
      advance(sums, SUM_BYTES),
    ]),
  };
}

/**
 * Adds up one register of 2^bits leaves: leaves the sum on the stack and adds to `sums`, one local a bit, what belongs to leaves whose number has
 * it.
 */
export function addUp(
  leaf: (x: number) => Code,
  bits: number,
  [sums, right]: readonly [sums: readonly number[], right: readonly number[]],
  plus: (a: Code, b: Code) => Code = addHalves,
  first = 0,
): Code {
  if (bits === 0) return leaf(first);
  const half = bits - 1;
  return plus(addUp(leaf, half, [sums, right], plus, first), [
    set(right[half]!, addUp(leaf, half, [sums, right], plus, first + 2 ** half)),
    set(sums[half]!, plus(get(sums[half]!), get(right[half]!))),
    get(right[half]!),
  ]);
}

/** Points to every leaf's masks, behind the block that only the next one needs, and on to the next digit. */
export const leafPointers = (masks: number, next: number, leaves: readonly number[]): Code => [
  leaves.map((leaf, x) =>
    set(leaf, add(get(leaves[x - 1] ?? masks), x === 0 ? constant(BLOCK_BYTES) : get(next))),
  ),
  leaves.map(() => advance(masks, get(next))),
];

/** Numbers from `first` on. */
export const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/**
 * For every digit, with leaves' masks E_x per ring element C: sends C − Σ E_x and adds Σ x·E_x to the correlator's sum. Elements
 * are the correlator's row and then the masks of the check.
 */
function correlateFunction(digitBits: DigitBits, pairs: number): FunctionSource {
  const [table, masks, correlations, width, n] = [0, 1, 2, 3, 4];
  const [sum, element, count, next, runs] = [5, 6, 7, 8, 9];
  const leaves = range(10, leavesOf(digitBits));
  const carry = 10 + leaves.length;
  const all = carry + 1;
  const sums = range(all + 1, digitBits);
  const right = range(all + 1 + digitBits, digitBits);
  const sendLane = (lane: number): Code => {
    const offset = 4 * lane;
    const side = (lane % 2) as 0 | 1;
    return [
      set(carry, subtractLong(addLong(get(carry), loadHalf(get(element), offset)), half(get(all), side))),
      storeHalf(get(correlations), get(carry), offset),
      set(carry, shiftRightLong(get(carry), constantLong(32))),
    ];
  };
  return {
    name: `correlate${pairs}`,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [
      ...new Array<typeof NUMBER>(5 + leaves.length).fill(NUMBER),
      LONG,
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
        repeat(count, [
          set(carry, constantLong(0)),
          Array.from({ length: pairs }, (_, pair) => [
            sums.map((local) => set(local, vector(0))),
            set(
              all,
              addUp((x) => loadPair(get(leaves[x]!), 8 * pair), digitBits, [sums, right]),
            ),
            store(
              get(sum),
              addHalves(
                load(get(sum), 16 * pair),
                range(0, digitBits)
                  .map((bit) => shiftHalvesLeft(get(sums[bit]!), bit))
                  .reduce(addHalves),
              ),
              16 * pair,
            ),
            sendLane(2 * pair),
            sendLane(2 * pair + 1),
          ]),
          advance(sum, SUM_BYTES),
          advance(element, ELEMENT_BYTES),
          [...leaves, correlations].map((pointer) => advance(pointer, get(width))),
        ]),
        set(element, loadNumber(get(table), 16)),
        set(count, loadNumber(get(table), 20)),
      ]),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/**
 * For every digit δ, with what was sent Y and masks F_x of the leaves δ ⊕ x: adds δY + Σ (δ − (δ ⊕ x)) F_x to the chooser's sum. With δ_j
 * the bits of δ, S_j the sum of all F_x whose x has bit j, that is Σ 2^j (δ_j·Y + (2δ_j − 1) S_j). With a mask N of ones where
 * the bit is 0, (2δ_j − 1) S is (S ⊕ N) − N.
 */
function chooseFunction(digitBits: DigitBits, pairs: number): FunctionSource {
  const [table, masks, correlations, width, choices, n] = [0, 1, 2, 3, 4, 5];
  const [sum, count, next] = [6, 7, 8];
  const leaves = range(9, leavesOf(digitBits) - 1);
  const zero = 9 + leaves.length;
  const unset = range(zero + 1, digitBits);
  const sums = range(zero + 1 + digitBits, digitBits);
  const right = range(zero + 1 + 2 * digitBits, digitBits);
  const sent = zero + 1 + 3 * digitBits;
  const signed = (value: Code, mask: number): Code => subtractHalves(xor(value, get(mask)), get(mask));
  const gain = (offset: number): Code => [
    sums.map((local) => set(local, vector(0))),
    set(
      sent,
      addUp((x) => (x === 0 ? get(zero) : loadPair(get(leaves[x - 1]!), offset)), digitBits, [sums, right]),
    ),
    set(sent, loadPair(get(correlations), offset)),
    range(0, digitBits)
      .map((bit) =>
        shiftHalvesLeft(
          addHalves(signed(get(sums[bit]!), unset[bit]!), andNot(get(sent), get(unset[bit]!))),
          bit,
        ),
      )
      .reduce(addHalves),
  ];
  return {
    name: `choose${pairs}`,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [
      ...new Array<typeof NUMBER>(3 + leaves.length).fill(NUMBER),
      ...new Array<typeof VECTOR>(2 + 3 * digitBits).fill(VECTOR),
    ],
    body: repeat(n, [
      unset.map((local, bit) => set(local, maskOf(add(get(choices), constant(digitBits - 1 - bit))))),
      set(sum, loadNumber(get(table))),
      set(count, add(loadNumber(get(table), 8), loadNumber(get(table), 20))),
      set(next, shiftLeft(loadNumber(get(table), 12), constant(4))),
      leafPointers(masks, next, leaves),
      repeat(count, [
        Array.from({ length: pairs }, (_, pair) =>
          store(get(sum), addHalves(gain(8 * pair), load(get(sum), 16 * pair)), 16 * pair),
        ),
        advance(sum, SUM_BYTES),
        [...leaves, correlations].map((pointer) => advance(pointer, get(width))),
      ]),
      advance(choices, digitBits),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/** Numbers of pairs of lanes that a pass may need. */
export const PAIRS = [1, 2, 3, 4, 5] as const;

export function ringFunctions(digitBits: DigitBits): readonly FunctionSource[] {
  return [
    settleFunction(),
    ...PAIRS.map((pairs) => correlateFunction(digitBits, pairs)),
    ...PAIRS.map((pairs) => chooseFunction(digitBits, pairs)),
  ];
}
