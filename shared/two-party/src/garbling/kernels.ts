/**
 * Arithmetic on labels, 16 bytes each, in one WebAssembly memory: XOR, and what half-gates (Zahur, Rosulek, Evans,
 * "Two halves make a whole", EUROCRYPT 2015, figure 2) do before, between and after the two AES passes of the hash.
 * Nothing here branches or addresses memory by a label's bits.
 */
import {
  add,
  addHalves,
  and,
  andVector,
  assemble,
  type Code,
  constant,
  type FunctionSource,
  get,
  load,
  loadByte,
  loadNumber,
  NUMBER,
  PAGE_BYTES,
  repeat,
  set,
  shiftLeft,
  spread,
  store,
  subtract,
  VECTOR,
  vector,
  wide,
  xor,
} from './assembler.ts';

/** What this file uses of the WebAssembly interface, which the type library of the language does not declare. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => LabelMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: { m: { m: LabelMemory } }) => { exports: object };
};

export interface LabelMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Addresses and lengths are in bytes and labels; `n` is at least 1. `tweak` is the first of 2n consecutive tweaks. */
export interface Kernels {
  /** d = a ^ b */
  xor(d: number, a: number, b: number, n: number): void;
  /** d = a ^ delta */
  flip(d: number, a: number, n: number): void;
  /** d[i] = a[indices[i]]; the indices are 32-bit numbers in memory. */
  gather(d: number, a: number, indices: number, n: number): void;
  /** Per gate the blocks A, A ^ delta, B, B ^ delta. */
  garblePrepare(blocks: number, a: number, b: number, n: number): void;
  garbleTweak(blocks: number, n: number, tweak: number): void;
  /** From both passes' results the output's zero labels and the tables. */
  garbleCombine(
    d: number,
    a: number,
    b: number,
    first: number,
    second: number,
    tables: number,
    n: number,
    tweak: number,
  ): void;
  /** Per gate the blocks A, B. */
  evaluatePrepare(blocks: number, a: number, b: number, n: number): void;
  evaluateTweak(blocks: number, n: number, tweak: number): void;
  evaluateCombine(
    d: number,
    a: number,
    b: number,
    first: number,
    second: number,
    tables: number,
    n: number,
    tweak: number,
  ): void;
}

export const LABEL_BYTES = 16;
/** Delta lies at address 0. */
export const DELTA_ADDRESS = 0;

/** 384 MiB, so that a process stays under 512 MB. */
export const LARGEST_PAGES = 6144;

/** Moves a pointer on by some bytes. */
const advance = (pointer: number, bytes: number): Code => set(pointer, add(get(pointer), constant(bytes)));
/** All ones where the label's select bit is one. */
const selectMask = (label: number): Code =>
  spread(subtract(constant(0), and(loadByte(get(label)), constant(1))));

const xorFunction: FunctionSource = {
  name: 'xor',
  parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
  locals: [],
  body: repeat(3, [
    store(get(0), xor(load(get(1)), load(get(2)))),
    advance(0, LABEL_BYTES),
    advance(1, LABEL_BYTES),
    advance(2, LABEL_BYTES),
  ]),
};

const flipFunction: FunctionSource = {
  name: 'flip',
  parameters: [NUMBER, NUMBER, NUMBER],
  locals: [VECTOR],
  body: [
    set(3, load(constant(DELTA_ADDRESS))),
    repeat(2, [store(get(0), xor(load(get(1)), get(3))), advance(0, LABEL_BYTES), advance(1, LABEL_BYTES)]),
  ],
};

const gatherFunction: FunctionSource = {
  name: 'gather',
  parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
  locals: [],
  body: repeat(3, [
    store(get(0), load(add(get(1), shiftLeft(loadNumber(get(2)), constant(4))))),
    advance(0, LABEL_BYTES),
    advance(2, 4),
  ]),
};

/** blocks, a, b, n; delta in local 4. */
function prepareFunction(name: string, withDelta: boolean): FunctionSource {
  const blocks = withDelta ? 4 : 2;
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: [
      set(4, load(constant(DELTA_ADDRESS))),
      repeat(3, [
        store(get(0), load(get(1))),
        store(get(0), load(get(2)), (blocks / 2) * LABEL_BYTES),
        withDelta
          ? [
              store(get(0), xor(load(get(1)), get(4)), LABEL_BYTES),
              store(get(0), xor(load(get(2)), get(4)), 3 * LABEL_BYTES),
            ]
          : [],
        advance(0, blocks * LABEL_BYTES),
        advance(1, LABEL_BYTES),
        advance(2, LABEL_BYTES),
      ]),
    ],
  };
}

/** blocks, n, tweak; the running tweak in local 3. The first half of a gate's blocks gets j, the second j + 1. */
function tweakFunction(name: string, blocks: number): FunctionSource {
  const half = blocks / 2;
  const tweaked = (from: number): Code =>
    Array.from({ length: half }, (_, i): Code => {
      const offset = (from + i) * LABEL_BYTES;
      return store(get(0), xor(load(get(0), offset), get(3)), offset);
    });
  return {
    name,
    parameters: [NUMBER, NUMBER, 'real'],
    locals: [VECTOR],
    body: [
      set(3, wide(get(2))),
      repeat(1, [
        tweaked(0),
        set(3, addHalves(get(3), vector(1))),
        tweaked(half),
        set(3, addHalves(get(3), vector(1))),
        advance(0, blocks * LABEL_BYTES),
      ]),
    ],
  };
}

// Parameters of both combining functions: d, a, b, first, second, tables, n, tweak; then the locals.
const [D, A, B, FIRST, SECOND, TABLES, N, TWEAK] = [0, 1, 2, 3, 4, 5, 6, 7];
const [RUNNING, NEXT, X, Y, OUTPUT, DELTA] = [8, 9, 10, 11, 12, 13];
const COMBINE_PARAMETERS = [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, 'real'] as const;

/** What the two passes left of block k, without the tweak: pi(pi(x) ^ i) ^ pi(x) ^ i. */
const hashed = (k: number): Code =>
  xor(load(get(FIRST), k * LABEL_BYTES), load(get(SECOND), k * LABEL_BYTES));

const advanceCombine = (blocks: number): Code => [
  set(RUNNING, addHalves(get(RUNNING), vector(2))),
  advance(D, LABEL_BYTES),
  advance(A, LABEL_BYTES),
  advance(B, LABEL_BYTES),
  advance(FIRST, blocks * LABEL_BYTES),
  advance(SECOND, blocks * LABEL_BYTES),
  advance(TABLES, 2 * LABEL_BYTES),
];

const garbleCombineFunction: FunctionSource = {
  name: 'garbleCombine',
  parameters: COMBINE_PARAMETERS,
  locals: [VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR],
  body: [
    set(DELTA, load(constant(DELTA_ADDRESS))),
    set(RUNNING, wide(get(TWEAK))),
    repeat(N, [
      set(NEXT, addHalves(get(RUNNING), vector(1))),
      // Generator half: T_G = H(A0) ^ H(A1) ^ p_b delta, W_G = H(A0) ^ p_a T_G.
      set(X, hashed(0)),
      set(Y, xor(get(X), hashed(1), andVector(selectMask(B), get(DELTA)))),
      store(get(TABLES), get(Y)),
      set(OUTPUT, xor(get(X), get(RUNNING), andVector(selectMask(A), get(Y)))),
      // Evaluator half: T_E = H(B0) ^ H(B1) ^ A0, W_E = H(B0) ^ p_b (T_E ^ A0).
      set(X, hashed(2)),
      set(Y, xor(get(X), hashed(3))),
      store(get(TABLES), xor(get(Y), load(get(A))), LABEL_BYTES),
      // The output may take the place of neither input: the arena never gives out a place twice.
      store(get(D), xor(get(OUTPUT), get(X), get(NEXT), andVector(selectMask(B), get(Y)))),
      advanceCombine(4),
    ]),
  ],
};

const evaluateCombineFunction: FunctionSource = {
  name: 'evaluateCombine',
  parameters: COMBINE_PARAMETERS,
  locals: [VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR],
  body: [
    set(RUNNING, wide(get(TWEAK))),
    repeat(N, [
      set(NEXT, addHalves(get(RUNNING), vector(1))),
      // W_G = H(A) ^ s_a T_G, W_E = H(B) ^ s_b (T_E ^ A).
      set(X, xor(hashed(0), get(RUNNING), andVector(selectMask(A), load(get(TABLES))))),
      set(Y, xor(load(get(TABLES), LABEL_BYTES), load(get(A)))),
      store(get(D), xor(get(X), hashed(1), get(NEXT), andVector(selectMask(B), get(Y)))),
      advanceCombine(2),
    ]),
  ],
};

const MODULE = new WebAssembly.Module(
  assemble([
    xorFunction,
    flipFunction,
    gatherFunction,
    prepareFunction('garblePrepare', true),
    tweakFunction('garbleTweak', 4),
    garbleCombineFunction,
    prepareFunction('evaluatePrepare', false),
    tweakFunction('evaluateTweak', 2),
    evaluateCombineFunction,
  ]),
);

/** A memory of `bytes` at least, and the kernels that work on it. */
export function makeKernels(bytes: number): { memory: LabelMemory; kernels: Kernels } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES), maximum: LARGEST_PAGES });
  const { exports } = new WebAssembly.Instance(MODULE, { m: { m: memory } });
  return { memory, kernels: exports as Kernels };
}
