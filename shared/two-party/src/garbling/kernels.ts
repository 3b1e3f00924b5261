/**
 * Arithmetic on labels, 16 bytes each, in one WebAssembly memory: XOR, and what half-gates (Zahur, Rosulek,
 * Evans, "Two halves make a whole", EUROCRYPT 2015, figure 2) do before, between and after the two AES passes
 * of the hash. Nothing here branches or addresses memory by a label's bits.
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
  loadNumber,
  lowestByte,
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

/**
 * The part of the WebAssembly interface that this file uses, which the type library of the language does not
 * declare.
 */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => LabelMemory;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: { m: { m: LabelMemory } }) => { exports: object };
};

export interface LabelMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** From both passes' results the output's labels, and at the garbler the tables. */
type Combine = (
  d: number,
  a: number,
  b: number,
  first: number,
  second: number,
  tables: number,
  n: number,
  tweak: number,
) => void;
/**
 * The kernel of full adders, whose gate has the inputs a ^ c and b ^ c: d is the carry, the sum goes to s.
 */
type CombineSum = (...of: [...Parameters<Combine>, c: number, s: number]) => void;
type Prepare = (blocks: number, a: number, b: number, n: number) => void;
type PrepareSum = (blocks: number, a: number, b: number, c: number, n: number) => void;

/**
 * Addresses and lengths are in bytes and labels; `n` is at least 1. `tweak` is the first of 2n consecutive
 * tweaks. A full adder takes one pass over memory in place of five.
 */
export interface Kernels {
  /** d = a ^ b */
  xor(d: number, a: number, b: number, n: number): void;
  /** d = a ^ delta */
  flip(d: number, a: number, n: number): void;
  /** d[i] = a[indices[i]]; the indices are 32-bit numbers in memory. */
  gather(d: number, a: number, indices: number, n: number): void;
  /** Per gate the blocks A, A ^ delta, B, B ^ delta. */
  readonly garblePrepare: Prepare;
  readonly garblePrepareSum: PrepareSum;
  garbleTweak(blocks: number, n: number, tweak: number): void;
  readonly garbleCombine: Combine;
  readonly garbleCombineSum: CombineSum;
  /** Per gate the blocks A, B. */
  readonly evaluatePrepare: Prepare;
  readonly evaluatePrepareSum: PrepareSum;
  evaluateTweak(blocks: number, n: number, tweak: number): void;
  readonly evaluateCombine: Combine;
  readonly evaluateCombineSum: CombineSum;
}

export const LABEL_BYTES = 16;
/** Delta lies at address 0. */
export const DELTA_ADDRESS = 0;

/** 384 MiB, so that a process stays under 512 MB. */
export const LARGEST_PAGES = 6144;

/** The party whose function it is, and whether its gates are those of full adders. */
interface Role {
  readonly garbles: boolean;
  readonly adds: boolean;
}

/** Moves a pointer on by some bytes. */
const advance = (pointer: number, bytes: number): Code => set(pointer, add(get(pointer), constant(bytes)));
/** All ones where the label's select bit is one. */
const selectMask = (label: number): Code =>
  spread(subtract(constant(0), and(lowestByte(get(label)), constant(1))));

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

/** blocks, a, b, of full adders c, n; then both inputs of the gate and delta. */
function prepareFunction(name: string, { garbles, adds }: Role): FunctionSource {
  const blocks = garbles ? 4 : 2;
  const n = adds ? 4 : 3;
  const [left, right, delta] = [n + 1, n + 2, n + 3];
  return {
    name,
    parameters: new Array<typeof NUMBER>(n + 1).fill(NUMBER),
    locals: [VECTOR, VECTOR, VECTOR],
    body: [
      set(delta, load(constant(DELTA_ADDRESS))),
      repeat(n, [
        set(left, adds ? xor(load(get(1)), load(get(3))) : load(get(1))),
        set(right, adds ? xor(load(get(2)), load(get(3))) : load(get(2))),
        store(get(0), get(left)),
        store(get(0), get(right), (blocks / 2) * LABEL_BYTES),
        garbles
          ? [
              store(get(0), xor(get(left), get(delta)), LABEL_BYTES),
              store(get(0), xor(get(right), get(delta)), 3 * LABEL_BYTES),
            ]
          : [],
        advance(0, blocks * LABEL_BYTES),
        advance(1, LABEL_BYTES),
        advance(2, LABEL_BYTES),
        adds ? advance(3, LABEL_BYTES) : [],
      ]),
    ],
  };
}

/**
 * blocks, n, tweak; the running tweak in local 3. The first half of a gate's blocks gets j, the second j + 1.
 */
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

// Parameters of combining functions: d, a, b, first, second, tables, n, tweak, and of full adders c and s;
// then the locals.
const [D, A, B, FIRST, SECOND, TABLES, N, TWEAK, C, S] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const COMBINE_PARAMETERS = [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, 'real'] as const;

/** The two passes left this of block k, without the tweak: pi(pi(x) ^ i) ^ pi(x) ^ i. */
const hashed = (k: number): Code =>
  xor(load(get(FIRST), k * LABEL_BYTES), load(get(SECOND), k * LABEL_BYTES));

function combineFunction(name: string, { garbles, adds }: Role): FunctionSource {
  const parameters = [...COMBINE_PARAMETERS, ...(adds ? ([NUMBER, NUMBER] as const) : [])];
  const locals = [VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR] as const;
  const [running, next, x, y, output, delta, left, right, third] = locals.map(
    (_, i) => parameters.length + i,
  ) as [number, number, number, number, number, number, number, number, number];
  // W_G ^ W_E is the output. A full adder's carry is it and c; its sum the left input and b. No target is the
  // place of an input.
  const write = (product: Code): Code =>
    adds
      ? [
          store(get(S), xor(get(left), load(get(B)))),
          store(get(D), xor(product, get(third))),
          advance(C, LABEL_BYTES),
          advance(S, LABEL_BYTES),
        ]
      : store(get(D), product);
  const garbling: Code = [
    // Generator half: T_G = H(A0) ^ H(A1) ^ p_b delta, W_G = H(A0) ^ p_a T_G.
    set(x, hashed(0)),
    set(y, xor(get(x), hashed(1), andVector(selectMask(right), get(delta)))),
    store(get(TABLES), get(y)),
    set(output, xor(get(x), get(running), andVector(selectMask(left), get(y)))),
    // Evaluator half: T_E = H(B0) ^ H(B1) ^ A0, W_E = H(B0) ^ p_b (T_E ^ A0).
    set(x, hashed(2)),
    set(y, xor(get(x), hashed(3))),
    store(get(TABLES), xor(get(y), get(left)), LABEL_BYTES),
    write(xor(get(output), get(x), get(next), andVector(selectMask(right), get(y)))),
  ];
  const evaluating: Code = [
    // W_G = H(A) ^ s_a T_G, W_E = H(B) ^ s_b (T_E ^ A).
    set(x, xor(hashed(0), get(running), andVector(selectMask(left), load(get(TABLES))))),
    set(y, xor(load(get(TABLES), LABEL_BYTES), get(left))),
    write(xor(get(x), hashed(1), get(next), andVector(selectMask(right), get(y)))),
  ];
  const blocks = garbles ? 4 : 2;
  return {
    name,
    parameters,
    locals,
    body: [
      set(delta, load(constant(DELTA_ADDRESS))),
      set(running, wide(get(TWEAK))),
      repeat(N, [
        set(next, addHalves(get(running), vector(1))),
        adds ? set(third, load(get(C))) : [],
        set(left, adds ? xor(load(get(A)), get(third)) : load(get(A))),
        set(right, adds ? xor(load(get(B)), get(third)) : load(get(B))),
        garbles ? garbling : evaluating,
        set(running, addHalves(get(running), vector(2))),
        advance(D, LABEL_BYTES),
        advance(A, LABEL_BYTES),
        advance(B, LABEL_BYTES),
        advance(FIRST, blocks * LABEL_BYTES),
        advance(SECOND, blocks * LABEL_BYTES),
        advance(TABLES, 2 * LABEL_BYTES),
      ]),
    ],
  };
}

const GARBLER = { garbles: true, adds: false };
const EVALUATOR = { garbles: false, adds: false };

const MODULE = new WebAssembly.Module(
  assemble([
    xorFunction,
    flipFunction,
    gatherFunction,
    prepareFunction('garblePrepare', GARBLER),
    prepareFunction('garblePrepareSum', { ...GARBLER, adds: true }),
    tweakFunction('garbleTweak', 4),
    combineFunction('garbleCombine', GARBLER),
    combineFunction('garbleCombineSum', { ...GARBLER, adds: true }),
    prepareFunction('evaluatePrepare', EVALUATOR),
    prepareFunction('evaluatePrepareSum', { ...EVALUATOR, adds: true }),
    tweakFunction('evaluateTweak', 2),
    combineFunction('evaluateCombine', EVALUATOR),
    combineFunction('evaluateCombineSum', { ...EVALUATOR, adds: true }),
  ]),
);

/** A memory of `bytes` at least, and the kernels that work on it. */
export function makeKernels(bytes: number): { memory: LabelMemory; kernels: Kernels } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES), maximum: LARGEST_PAGES });
  const { exports } = new WebAssembly.Instance(MODULE, { m: { m: memory } });
  return { memory, kernels: exports as Kernels };
}
