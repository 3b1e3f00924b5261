/**
 * The WebAssembly of ring arithmetic. A ring element is added as 64-bit lanes of 32 bits each, two lanes per register, so that
 * carries wait until a pass ends; only what is sent is normalised at once. Bits above a pass's width are left as they are,
 * since the weight of the pass moves them out of the ring.
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
  store,
  storeHalf,
  storeLong,
  subtractHalves,
  subtractLong,
  VECTOR,
  xor,
} from '../garbling/assembler.ts';
import { ELEMENT_BYTES, SUM_BYTES } from './layout.ts';
import { advance, DIGIT_TABLE_BYTES, maskOf } from './memory.ts';

const double = (a: Code): Code => shiftHalvesLeft(a, 1);

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
 * For every digit, with leaves' masks E₀ … E₃ per ring element C: sends C − (E₀ + E₁ + E₂ + E₃) and adds E₁ + 2E₂ + 3E₃ to the
 * correlator's sum. Elements are the correlator's row and then the masks of the check.
 */
function correlateFunction(pairs: number): FunctionSource {
  const [table, masks, correlations, width, n] = [0, 1, 2, 3, 4];
  const [sum, element, count, next, e1, e2, e3, runs] = [5, 6, 7, 8, 9, 10, 11, 12];
  const [carry, all, odd, high, second] = [13, 14, 15, 16, 17];
  /** E₀ + E₁ + E₂ + E₃ in `all`, E₁ + E₃ in `odd`, E₂ + E₃ in `high`. */
  const addUp = (offset: number): Code => [
    set(second, loadPair(get(e2), offset)),
    set(high, loadPair(get(e3), offset)),
    set(odd, addHalves(loadPair(get(e1), offset), get(high))),
    set(high, addHalves(get(high), get(second))),
    set(all, addHalves(addHalves(loadPair(get(masks), offset), get(second)), get(odd))),
  ];
  const gain: Code = addHalves(get(odd), double(get(high)));
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
    locals: [...new Array<typeof NUMBER>(8).fill(NUMBER), LONG, VECTOR, VECTOR, VECTOR, VECTOR],
    body: repeat(n, [
      set(sum, loadNumber(get(table))),
      set(element, loadNumber(get(table), 4)),
      set(count, loadNumber(get(table), 8)),
      set(next, shiftLeft(loadNumber(get(table), 12), constant(4))),
      set(e1, add(get(masks), get(next))),
      set(e2, add(get(e1), get(next))),
      set(e3, add(get(e2), get(next))),
      set(next, add(get(e3), get(next))),
      set(runs, constant(2)),
      repeat(runs, [
        repeat(count, [
          set(carry, constantLong(0)),
          Array.from({ length: pairs }, (_, pair) => [
            addUp(8 * pair),
            store(get(sum), addHalves(load(get(sum), 16 * pair), gain), 16 * pair),
            sendLane(2 * pair),
            sendLane(2 * pair + 1),
          ]),
          advance(sum, SUM_BYTES),
          advance(element, ELEMENT_BYTES),
          [masks, e1, e2, e3, correlations].map((pointer) => advance(pointer, get(width))),
        ]),
        set(element, loadNumber(get(table), 16)),
        set(count, loadNumber(get(table), 20)),
      ]),
      set(masks, get(next)),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/**
 * For every digit δ = 2δ₁ + δ₀, with what was sent Y and masks F₁, F₂, F₃ of the leaves δ ⊕ 1, δ ⊕ 2, δ ⊕ 3: adds
 * δY + Σ (δ − (δ ⊕ x)) F_x to the chooser's sum, where δ − (δ ⊕ 1) = 2δ₀ − 1 and δ − (δ ⊕ 2) = 2(2δ₁ − 1). With a mask N of
 * ones where the bit is 0, (2δ₀ − 1) F is (F ⊕ N) − N.
 */
function chooseFunction(pairs: number): FunctionSource {
  const [table, masks, correlations, width, choices, n] = [0, 1, 2, 3, 4, 5];
  const [sum, count, next, e2, e3, low, high, both, sent] = [6, 7, 8, 9, 10, 11, 12, 13, 14];
  const signed = (value: Code, mask: number): Code => subtractHalves(xor(value, get(mask)), get(mask));
  const gain = (offset: number): Code => [
    set(both, loadPair(get(e3), offset)),
    set(sent, loadPair(get(correlations), offset)),
    addHalves(
      addHalves(signed(addHalves(loadPair(get(masks), offset), get(both)), low), andNot(get(sent), get(low))),
      double(
        addHalves(
          signed(addHalves(loadPair(get(e2), offset), get(both)), high),
          andNot(get(sent), get(high)),
        ),
      ),
    ),
  ];
  return {
    name: `choose${pairs}`,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, VECTOR, VECTOR, VECTOR, VECTOR],
    body: repeat(n, [
      set(high, maskOf(get(choices))),
      set(low, maskOf(add(get(choices), constant(1)))),
      set(sum, loadNumber(get(table))),
      set(count, add(loadNumber(get(table), 8), loadNumber(get(table), 20))),
      set(next, shiftLeft(loadNumber(get(table), 12), constant(4))),
      set(e2, add(get(masks), get(next))),
      set(e3, add(get(e2), get(next))),
      set(next, add(get(e3), get(next))),
      repeat(count, [
        Array.from({ length: pairs }, (_, pair) =>
          store(get(sum), addHalves(gain(8 * pair), load(get(sum), 16 * pair)), 16 * pair),
        ),
        advance(sum, SUM_BYTES),
        [masks, e2, e3, correlations].map((pointer) => advance(pointer, get(width))),
      ]),
      set(masks, get(next)),
      advance(choices, 2),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

/** Numbers of pairs of lanes that a pass may need. */
export const PAIRS = [1, 2, 3, 4, 5] as const;

export const RING_FUNCTIONS: readonly FunctionSource[] = [
  settleFunction(),
  ...PAIRS.map(correlateFunction),
  ...PAIRS.map(chooseFunction),
];
