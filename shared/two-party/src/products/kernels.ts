/**
 * Trees and ring arithmetic of products in WebAssembly. A ring element is added as 64-bit lanes of 32 bits each, two lanes per
 * register, so that carries wait until a pass ends; only what is sent is normalised at once. Bits above a pass's width are left as
 * they are, since the weight of the pass moves them out of the ring. Nothing here branches or addresses memory by a secret.
 */
import {
  add,
  addHalves,
  addLong,
  andNot,
  andVector,
  assemble,
  type Code,
  constant,
  constantLong,
  type FunctionSource,
  get,
  half,
  load,
  loadByte,
  loadHalf,
  loadLong,
  loadLowHalf,
  loadNumber,
  loadPair,
  long,
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
  vector,
  wide,
  xor,
} from '../garbling/assembler.ts';
import { BLOCK_BYTES, CHECK_BYTES, SUM_BYTES } from './layout.ts';

/** What this file uses of the WebAssembly interface, which the type library of the language does not declare. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (
    module: object,
    imports: { m: { m: { readonly buffer: ArrayBuffer } } },
  ) => { exports: object };
};

/**
 * Addresses are in bytes; `n` digits, at least 1. The table has 16 bytes per digit: addresses of the row of the result and of
 * the correlator's row, ring elements, blocks per leaf.
 */
export interface Kernels {
  /** The correlator's nodes q, q ⊕ Δ, from rows q, q′. */
  bothNodes(nodes: number, rows: number, n: number): void;
  /** The chooser's node: the first row of each digit. */
  knownNodes(nodes: number, rows: number, n: number): void;
  /** d = a ⊕ i for the two nodes of digit i, and for its one. */
  tweakBoth(d: number, a: number, n: number): void;
  tweakKnown(d: number, a: number, n: number): void;
  /** Four leaves per digit, and the correction for the chooser, from the nodes and both passes of the permutation. */
  growAll(
    leaves: number,
    corrections: number,
    nodes: number,
    first: number,
    second: number,
    rows: number,
    n: number,
  ): void;
  /** The three leaves that differ from the hidden one in the low, the high and both bits of their number. */
  growKnown(
    leaves: number,
    corrections: number,
    nodes: number,
    first: number,
    second: number,
    rows: number,
    choices: number,
    n: number,
  ): void;
  /** Per digit and leaf the blocks first ⊕ tweak; `first` is the leaf's image under the permutation. */
  spreadAll(d: number, table: number, first: number, n: number, tweak: number): void;
  spreadKnown(d: number, table: number, first: number, n: number, tweak: number): void;
  /** Adds that image once more, after the second pass. */
  feedAll(d: number, table: number, first: number, n: number): void;
  feedKnown(d: number, table: number, first: number, n: number): void;
  /** Adds up `n` sums' carries and multiplies by 2^bits. */
  settle(sums: number, n: number, bits: number): void;
  /** See `correlate` and `choose` below: by the number of pairs of lanes that the pass needs, less one. */
  readonly correlate: readonly ((
    table: number,
    masks: number,
    correlations: number,
    width: number,
    n: number,
  ) => void)[];
  readonly choose: readonly ((
    table: number,
    masks: number,
    correlations: number,
    width: number,
    choices: number,
    n: number,
  ) => void)[];
}

export const PAGE_BYTES = 65_536;
/** Δ, and the sum of the shares of zero, at fixed addresses. */
export const DELTA_ADDRESS = 0;
export const CHECK_ADDRESS = 16;
/** Where the rest of the memory begins. */
export const FREE_ADDRESS = 32;

const NUMBER = 'number';
const VECTOR = 'vector';
const LONG = 'long';
const TABLE_BYTES = 16;
const PAIRS = [1, 2, 3, 4] as const;
const ROW_PAIR_BYTES = 2 * BLOCK_BYTES;

const advance = (pointer: number, bytes: number | Code): Code =>
  set(pointer, add(get(pointer), typeof bytes === 'number' ? constant(bytes) : bytes));
/** All ones where the byte, 0 or 1, is 1. */
const maskOf = (address: Code): Code => spread(subtract(constant(0), loadByte(address)));
const double = (a: Code): Code => shiftHalvesLeft(a, 1);

function nodesFunction(name: string, both: boolean): FunctionSource {
  const [nodes, rows, n, delta] = [0, 1, 2, 3];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: [
      set(delta, load(constant(DELTA_ADDRESS))),
      repeat(n, [
        store(get(nodes), load(get(rows))),
        both ? store(get(nodes), xor(load(get(rows)), get(delta)), BLOCK_BYTES) : [],
        advance(nodes, both ? 2 * BLOCK_BYTES : BLOCK_BYTES),
        advance(rows, ROW_PAIR_BYTES),
      ]),
    ],
  };
}

function tweakFunction(name: string, nodes: number): FunctionSource {
  const [d, a, n, tweak] = [0, 1, 2, 3];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: repeat(n, [
      Array.from({ length: nodes }, (_, i) =>
        store(get(d), xor(load(get(a), i * BLOCK_BYTES), get(tweak)), i * BLOCK_BYTES),
      ),
      set(tweak, addHalves(get(tweak), vector(1))),
      advance(d, nodes * BLOCK_BYTES),
      advance(a, nodes * BLOCK_BYTES),
    ]),
  };
}

function growAllFunction(): FunctionSource {
  const [leaves, corrections, nodes, first, second, rows, n, left, right] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const hashed = (offset: number) => xor(load(get(first), offset), load(get(second), offset));
  return {
    name: 'growAll',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR, VECTOR],
    body: repeat(n, [
      set(left, hashed(0)),
      set(right, hashed(BLOCK_BYTES)),
      store(get(leaves), get(left)),
      store(get(leaves), xor(get(left), load(get(nodes))), BLOCK_BYTES),
      store(get(leaves), get(right), 2 * BLOCK_BYTES),
      store(get(leaves), xor(get(right), load(get(nodes), BLOCK_BYTES)), 3 * BLOCK_BYTES),
      store(get(corrections), xor(get(left), get(right), load(get(rows), BLOCK_BYTES))),
      advance(leaves, 4 * BLOCK_BYTES),
      advance(corrections, BLOCK_BYTES),
      [nodes, first, second].map((pointer) => advance(pointer, 2 * BLOCK_BYTES)),
      advance(rows, ROW_PAIR_BYTES),
    ]),
  };
}

function growKnownFunction(): FunctionSource {
  const [leaves, corrections, nodes, first, second, rows, choices, n, across] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  return {
    name: 'growKnown',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: repeat(n, [
      // The known node's leaf on the side that the second choice names: both bits differ from the hidden leaf's.
      set(
        across,
        xor(
          load(get(first)),
          load(get(second)),
          andVector(load(get(nodes)), maskOf(add(get(choices), constant(1)))),
        ),
      ),
      store(get(leaves), xor(load(get(corrections)), load(get(rows), BLOCK_BYTES), get(across))),
      store(get(leaves), xor(get(across), load(get(nodes))), BLOCK_BYTES),
      store(get(leaves), get(across), 2 * BLOCK_BYTES),
      advance(leaves, 3 * BLOCK_BYTES),
      [corrections, nodes, first, second].map((pointer) => advance(pointer, BLOCK_BYTES)),
      advance(rows, ROW_PAIR_BYTES),
      advance(choices, 2),
    ]),
  };
}

function spreadFunction(name: string, leaves: number): FunctionSource {
  const [d, table, first, n, tweak, block, running, start, image] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, 'real'],
    locals: [NUMBER, VECTOR, VECTOR, VECTOR],
    body: [
      set(running, wide(get(tweak))),
      repeat(n, [
        set(start, get(running)),
        Array.from({ length: leaves }, (_, leaf) => [
          set(running, get(start)),
          set(image, load(get(first), leaf * BLOCK_BYTES)),
          set(block, loadNumber(get(table), 12)),
          repeat(block, [
            store(get(d), xor(get(image), get(running))),
            set(running, addHalves(get(running), vector(1))),
            advance(d, BLOCK_BYTES),
          ]),
        ]),
        advance(first, leaves * BLOCK_BYTES),
        advance(table, TABLE_BYTES),
      ]),
    ],
  };
}

function feedFunction(name: string, leaves: number): FunctionSource {
  const [d, table, first, n, block, image] = [0, 1, 2, 3, 4, 5];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [NUMBER, VECTOR],
    body: repeat(n, [
      Array.from({ length: leaves }, (_, leaf) => [
        set(image, load(get(first), leaf * BLOCK_BYTES)),
        set(block, loadNumber(get(table), 12)),
        repeat(block, [store(get(d), xor(load(get(d)), get(image))), advance(d, BLOCK_BYTES)]),
      ]),
      advance(first, leaves * BLOCK_BYTES),
      advance(table, TABLE_BYTES),
    ]),
  };
}

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
        // A pass before the last must not lose what its weight still moves: lanes hold 32 bits again.
        storeLong(get(sums), constantLong(0), 8 * lane),
        storeHalf(get(sums), get(carry), 8 * lane),
        set(carry, shiftRightLong(get(carry), constantLong(32))),
      ]),
      advance(sums, SUM_BYTES),
    ]),
  };
}

/**
 * For every digit, with masks E₀ … E₃ per ring element C: sends C − (E₀ + E₁ + E₂ + E₃) and adds E₁ + 2E₂ + 3E₃ to the
 * correlator's sum. Then the same for the zero at the digit's end.
 */
function correlateFunction(pairs: number): FunctionSource {
  const [table, masks, correlations, width, n] = [0, 1, 2, 3, 4];
  const [sum, element, count, stride, e1, e2, e3, carry, all, odd, high] = [
    5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  ];
  const load4 = (loading: (address: Code, offset: number) => Code, offset: number): Code => [
    set(all, loading(get(e1), offset)),
    set(high, loading(get(e3), offset)),
    set(odd, addHalves(get(all), get(high))),
    set(all, addHalves(get(odd), loading(get(masks), offset))),
    set(carryless, loading(get(e2), offset)),
    set(all, addHalves(get(all), get(carryless))),
    set(high, addHalves(get(high), get(carryless))),
  ];
  const carryless = 16;
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
    locals: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, LONG, VECTOR, VECTOR, VECTOR, VECTOR],
    body: repeat(n, [
      set(sum, loadNumber(get(table))),
      set(element, loadNumber(get(table), 4)),
      set(count, loadNumber(get(table), 8)),
      set(stride, shiftLeft(loadNumber(get(table), 12), constant(4))),
      set(e1, add(get(masks), get(stride))),
      set(e2, add(get(e1), get(stride))),
      set(e3, add(get(e2), get(stride))),
      // Where the next digit's masks begin.
      set(stride, add(get(e3), get(stride))),
      repeat(count, [
        set(carry, constantLong(0)),
        Array.from({ length: pairs }, (_, pair) => [
          load4(loadPair, 8 * pair),
          store(get(sum), addHalves(load(get(sum), 16 * pair), gain), 16 * pair),
          sendLane(2 * pair),
          sendLane(2 * pair + 1),
        ]),
        advance(sum, SUM_BYTES),
        advance(element, SUM_BYTES / 2),
        [masks, e1, e2, e3, correlations].map((pointer) => advance(pointer, get(width))),
      ]),
      load4(loadLowHalf, 0),
      store(constant(CHECK_ADDRESS), addHalves(load(constant(CHECK_ADDRESS)), gain)),
      storeLong(get(correlations), subtractLong(constantLong(0), half(get(all), 0))),
      advance(correlations, CHECK_BYTES),
      set(masks, get(stride)),
      advance(table, TABLE_BYTES),
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
  const [sum, count, stride, e2, e3, low, high, both, sent] = [6, 7, 8, 9, 10, 11, 12, 13, 14];
  const signed = (value: Code, mask: number): Code => subtractHalves(xor(value, get(mask)), get(mask));
  const gain = (loading: (address: Code, offset: number) => Code, offset: number): Code => [
    set(both, loading(get(e3), offset)),
    set(sent, loading(get(correlations), offset)),
    addHalves(
      addHalves(signed(addHalves(loading(get(masks), offset), get(both)), low), andNot(get(sent), get(low))),
      double(
        addHalves(signed(addHalves(loading(get(e2), offset), get(both)), high), andNot(get(sent), get(high))),
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
      set(count, loadNumber(get(table), 8)),
      set(stride, shiftLeft(loadNumber(get(table), 12), constant(4))),
      set(e2, add(get(masks), get(stride))),
      set(e3, add(get(e2), get(stride))),
      set(stride, add(get(e3), get(stride))),
      repeat(count, [
        Array.from({ length: pairs }, (_, pair) =>
          store(get(sum), addHalves(gain(loadPair, 8 * pair), load(get(sum), 16 * pair)), 16 * pair),
        ),
        advance(sum, SUM_BYTES),
        [masks, e2, e3, correlations].map((pointer) => advance(pointer, get(width))),
      ]),
      store(constant(CHECK_ADDRESS), addHalves(gain(loadLowHalf, 0), load(constant(CHECK_ADDRESS)))),
      advance(correlations, CHECK_BYTES),
      set(masks, get(stride)),
      advance(choices, 2),
      advance(table, TABLE_BYTES),
    ]),
  };
}

const MODULE = new WebAssembly.Module(
  assemble([
    nodesFunction('bothNodes', true),
    nodesFunction('knownNodes', false),
    tweakFunction('tweakBoth', 2),
    tweakFunction('tweakKnown', 1),
    growAllFunction(),
    growKnownFunction(),
    spreadFunction('spreadAll', 4),
    spreadFunction('spreadKnown', 3),
    feedFunction('feedAll', 4),
    feedFunction('feedKnown', 3),
    settleFunction(),
    ...PAIRS.map(correlateFunction),
    ...PAIRS.map(chooseFunction),
  ]),
);

/** A memory of `bytes` at least, zero at first, and the kernels that work on it. */
export function makeKernels(bytes: number): { memory: Uint8Array<ArrayBuffer>; kernels: Kernels } {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const exports = new WebAssembly.Instance(MODULE, { m: { m: memory } }).exports as Omit<
    Kernels,
    'correlate' | 'choose'
  > &
    Record<string, never>;
  const kernels = {
    ...exports,
    correlate: PAIRS.map((pairs): Kernels['correlate'][number] => exports[`correlate${pairs}`]!),
    choose: PAIRS.map((pairs): Kernels['choose'][number] => exports[`choose${pairs}`]!),
  };
  return { memory: new Uint8Array(memory.buffer), kernels };
}
