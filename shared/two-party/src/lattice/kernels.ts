/**
 * The WebAssembly of polynomials modulo a prime q below 2^30: transforms, products and rescaling in four lanes of 32 bits, with
 * Montgomery's reduction (2^32 its radix). Factors come with their product with q^−1 modulo 2^32. No branch and no address depends on
 * a coefficient.
 */
import {
  add,
  addQuarters,
  andVector,
  assemble,
  type Code,
  constant,
  type FunctionSource,
  get,
  leastQuarters,
  load,
  loadLow,
  loadNumber,
  moreQuarters,
  NUMBER,
  repeat,
  set,
  shiftLeft,
  shiftQuartersRight,
  shiftRight,
  shuffle,
  spread,
  store,
  subtractHalves,
  subtractQuarters,
  timesHighQuarters,
  timesLowQuarters,
  timesQuarters,
  VECTOR,
} from '../garbling/assembler.ts';

/** The part of the WebAssembly interface that this file uses, which the type library of the language does not declare. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: { m: { m: object } }) => { exports: object };
};

/** Addresses are in bytes; `n` coefficients, a multiple of eight. */
export interface LatticeKernels {
  /** In: below 2q. Out: below q. `layers` is log₂(n) − 3; w are powers of ψ in bit-reversed order times 2^32, wq these times q^−1. */
  forward(x: number, n: number, layers: number, q: number, w: number, wq: number): void;
  /** In: below 2q. Out: below q, times `scale`/2^32. */
  inverse(
    x: number,
    n: number,
    layers: number,
    q: number,
    w: number,
    wq: number,
    scale: number,
    scaleq: number,
  ): void;
  /** sum += a·b/2^32, below 2q; a and b below q. */
  multiplyAdd(sum: number, a: number, b: number, n: number, q: number, inverse: number): void;
  /** x += y; all below q. */
  add(x: number, y: number, n: number, q: number): void;
  /** x = signed integers of magnitude below q, modulo q. */
  lift(x: number, signed: number, n: number, q: number): void;
  /** x = (x − the centred rest modulo `dropped`)·factor/2^32, below q. */
  rescale(
    x: number,
    last: number,
    n: number,
    q: number,
    dropped: number,
    factor: number,
    factorq: number,
  ): void;
}

export function latticeKernels(memory: object): LatticeKernels {
  const module = new WebAssembly.Module(
    assemble([forward(), inverse(), multiplyAdd(), sum(), lift(), rescale()]),
  );
  return new WebAssembly.Instance(module, { m: { m: memory } }).exports as LatticeKernels;
}

const advance = (local: number, bytes: number): Code => set(local, add(get(local), constant(bytes)));
const words = (...numbers: readonly number[]) =>
  numbers.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]);
/** Four words of two vectors, by number: 0 to 3 of the first, 4 to 7 of the second. */
const pick = (a: Code, b: Code, ...numbers: readonly number[]) => shuffle(a, b, words(...numbers));
/** From [0, 2·limit) to [0, limit). */
const reduced = (x: Code, limit: number) => leastQuarters(x, subtractQuarters(x, get(limit)));

/** Locals that a product of vectors needs. */
interface Scratch {
  readonly q: number;
  readonly first: number;
  readonly low: number;
}

/** Sets a local to a·b/2^32 in (0, 2q). `bq` is b times q^−1; each of a, b and bq is a local. */
function product(into: number, a: number, b: number, bq: number, { q, first, low }: Scratch): Code {
  return [
    set(first, timesQuarters(get(a), get(bq))),
    set(low, subtractHalves(timesLowQuarters(get(a), get(b)), timesLowQuarters(get(first), get(q)))),
    set(first, subtractHalves(timesHighQuarters(get(a), get(b)), timesHighQuarters(get(first), get(q)))),
    set(into, addQuarters(pick(get(low), get(first), 1, 3, 5, 7), get(q))),
  ];
}

function forward(): FunctionSource {
  const [x, n, layers, prime, w, wq] = [0, 1, 2, 3, 4, 5];
  const [half, blocks, block, other, turns, pairs, pairsq, fours, foursq] = [6, 7, 8, 9, 10, 11, 12, 13, 14];
  const [q, twice, a, b, W, WQ, first, low, t, u] = [15, 16, 17, 18, 19, 20, 21, 22, 23, 24];
  const scratch = { q, first, low };
  /** a, b = a + W b, a − W b + 2q. */
  const butterfly = [
    set(a, reduced(get(a), twice)),
    set(t, get(b)),
    product(b, t, W, WQ, scratch),
    set(u, addQuarters(subtractQuarters(get(a), get(b)), get(twice))),
    set(a, addQuarters(get(a), get(b))),
    set(b, get(u)),
  ];
  return {
    name: 'forward',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [...new Array(9).fill(NUMBER), ...new Array(10).fill(VECTOR)],
    body: [
      set(q, spread(get(prime))),
      set(twice, addQuarters(get(q), get(q))),
      // The factors of the last layer, and of the one before it, begin here.
      set(fours, add(get(w), shiftLeft(get(n), constant(1)))),
      set(foursq, add(get(wq), shiftLeft(get(n), constant(1)))),
      set(pairs, add(get(w), get(n))),
      set(pairsq, add(get(wq), get(n))),
      advance(w, 4),
      advance(wq, 4),
      set(half, shiftLeft(get(n), constant(1))),
      set(blocks, constant(1)),
      repeat(layers, [
        set(block, get(blocks)),
        set(other, get(x)),
        repeat(block, [
          set(W, spread(loadNumber(get(w)))),
          set(WQ, spread(loadNumber(get(wq)))),
          set(turns, shiftRight(get(half), constant(4))),
          repeat(turns, [
            set(a, load(get(other))),
            set(b, load(add(get(other), get(half)))),
            butterfly,
            store(get(other), get(a)),
            store(add(get(other), get(half)), get(b)),
            advance(other, 16),
          ]),
          set(other, add(get(other), get(half))),
          advance(w, 4),
          advance(wq, 4),
        ]),
        set(blocks, shiftLeft(get(blocks), constant(1))),
        set(half, shiftRight(get(half), constant(1))),
      ]),
      set(turns, shiftRight(get(n), constant(3))),
      repeat(turns, [
        set(W, spread(loadNumber(get(w)))),
        set(WQ, spread(loadNumber(get(wq)))),
        set(a, load(get(x))),
        set(b, load(get(x), 16)),
        butterfly,
        set(t, loadLow(get(pairs))),
        set(W, pick(get(t), get(t), 0, 0, 1, 1)),
        set(t, loadLow(get(pairsq))),
        set(WQ, pick(get(t), get(t), 0, 0, 1, 1)),
        set(t, pick(get(a), get(b), 0, 1, 4, 5)),
        set(b, pick(get(a), get(b), 2, 3, 6, 7)),
        set(a, get(t)),
        butterfly,
        set(W, load(get(fours))),
        set(WQ, load(get(foursq))),
        set(t, pick(get(a), get(b), 0, 4, 2, 6)),
        set(b, pick(get(a), get(b), 1, 5, 3, 7)),
        set(a, get(t)),
        butterfly,
        set(a, reduced(get(a), twice)),
        set(a, reduced(get(a), q)),
        set(b, reduced(get(b), twice)),
        set(b, reduced(get(b), q)),
        store(get(x), pick(get(a), get(b), 0, 4, 1, 5)),
        store(get(x), pick(get(a), get(b), 2, 6, 3, 7), 16),
        advance(x, 32),
        ...[w, wq].map((pointer) => advance(pointer, 4)),
        ...[pairs, pairsq].map((pointer) => advance(pointer, 8)),
        ...[fours, foursq].map((pointer) => advance(pointer, 16)),
      ]),
    ],
  };
}

function inverse(): FunctionSource {
  const [x, n, layers, prime, w, wq, scale, scaleq] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [half, blocks, block, other, turns, pairs, pairsq, fours, foursq] = [
    8, 9, 10, 11, 12, 13, 14, 15, 16,
  ];
  const [ones, onesq, at] = [17, 18, 19];
  const [q, twice, a, b, W, WQ, first, low, t] = [20, 21, 22, 23, 24, 25, 26, 27, 28];
  const scratch = { q, first, low };
  /** a, b = a + b, W (a − b). */
  const butterfly = [
    set(t, addQuarters(subtractQuarters(get(a), get(b)), get(twice))),
    set(a, addQuarters(get(a), get(b))),
    set(a, reduced(get(a), twice)),
    product(b, t, W, WQ, scratch),
  ];
  const start = (pointer: number, base: number, shift: number) =>
    set(pointer, add(get(base), shiftRight(shiftLeft(get(n), constant(2)), constant(shift))));
  return {
    name: 'inverse',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [...new Array(12).fill(NUMBER), ...new Array(9).fill(VECTOR)],
    body: [
      set(q, spread(get(prime))),
      set(twice, addQuarters(get(q), get(q))),
      start(fours, w, 1),
      start(foursq, wq, 1),
      start(pairs, w, 2),
      start(pairsq, wq, 2),
      start(ones, w, 3),
      start(onesq, wq, 3),
      set(at, get(x)),
      set(turns, shiftRight(get(n), constant(3))),
      repeat(turns, [
        set(t, load(get(at))),
        set(b, load(get(at), 16)),
        set(a, pick(get(t), get(b), 0, 2, 4, 6)),
        set(b, pick(get(t), get(b), 1, 3, 5, 7)),
        set(W, load(get(fours))),
        set(WQ, load(get(foursq))),
        butterfly,
        set(t, pick(get(a), get(b), 0, 4, 2, 6)),
        set(b, pick(get(a), get(b), 1, 5, 3, 7)),
        set(a, get(t)),
        set(t, loadLow(get(pairs))),
        set(W, pick(get(t), get(t), 0, 0, 1, 1)),
        set(t, loadLow(get(pairsq))),
        set(WQ, pick(get(t), get(t), 0, 0, 1, 1)),
        butterfly,
        set(t, pick(get(a), get(b), 0, 1, 4, 5)),
        set(b, pick(get(a), get(b), 2, 3, 6, 7)),
        set(a, get(t)),
        set(W, spread(loadNumber(get(ones)))),
        set(WQ, spread(loadNumber(get(onesq)))),
        butterfly,
        store(get(at), get(a)),
        store(get(at), get(b), 16),
        advance(at, 32),
        ...[ones, onesq].map((pointer) => advance(pointer, 4)),
        ...[pairs, pairsq].map((pointer) => advance(pointer, 8)),
        ...[fours, foursq].map((pointer) => advance(pointer, 16)),
      ]),
      set(half, constant(32)),
      set(blocks, shiftRight(get(n), constant(4))),
      repeat(layers, [
        set(block, get(blocks)),
        set(other, get(x)),
        set(pairs, add(get(w), shiftLeft(get(blocks), constant(2)))),
        set(pairsq, add(get(wq), shiftLeft(get(blocks), constant(2)))),
        repeat(block, [
          set(W, spread(loadNumber(get(pairs)))),
          set(WQ, spread(loadNumber(get(pairsq)))),
          set(turns, shiftRight(get(half), constant(4))),
          repeat(turns, [
            set(a, load(get(other))),
            set(b, load(add(get(other), get(half)))),
            butterfly,
            store(get(other), get(a)),
            store(add(get(other), get(half)), get(b)),
            advance(other, 16),
          ]),
          set(other, add(get(other), get(half))),
          advance(pairs, 4),
          advance(pairsq, 4),
        ]),
        set(blocks, shiftRight(get(blocks), constant(1))),
        set(half, shiftLeft(get(half), constant(1))),
      ]),
      set(W, spread(get(scale))),
      set(WQ, spread(get(scaleq))),
      set(turns, shiftRight(get(n), constant(2))),
      repeat(turns, [
        set(a, load(get(x))),
        product(b, a, W, WQ, scratch),
        store(get(x), reduced(get(b), q)),
        advance(x, 16),
      ]),
    ],
  };
}

function multiplyAdd(): FunctionSource {
  const [sums, left, right, n, prime, inverseOf] = [0, 1, 2, 3, 4, 5];
  const [q, twice, qi, a, b, bq, first, low, c] = [6, 7, 8, 9, 10, 11, 12, 13, 14];
  return {
    name: 'multiplyAdd',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: new Array(9).fill(VECTOR),
    body: [
      set(q, spread(get(prime))),
      set(twice, addQuarters(get(q), get(q))),
      set(qi, spread(get(inverseOf))),
      set(n, shiftRight(get(n), constant(2))),
      repeat(n, [
        set(a, load(get(left))),
        set(b, load(get(right))),
        set(bq, timesQuarters(get(b), get(qi))),
        product(c, a, b, bq, { q, first, low }),
        set(c, addQuarters(load(get(sums)), get(c))),
        store(get(sums), reduced(get(c), twice)),
        ...[sums, left, right].map((pointer) => advance(pointer, 16)),
      ]),
    ],
  };
}

function sum(): FunctionSource {
  const [x, y, n, prime, q, a] = [0, 1, 2, 3, 4, 5];
  return {
    name: 'add',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR, VECTOR],
    body: [
      set(q, spread(get(prime))),
      set(n, shiftRight(get(n), constant(2))),
      repeat(n, [
        set(a, addQuarters(load(get(x)), load(get(y)))),
        store(get(x), reduced(get(a), q)),
        advance(x, 16),
        advance(y, 16),
      ]),
    ],
  };
}

function lift(): FunctionSource {
  const [x, signed, n, prime, q, a] = [0, 1, 2, 3, 4, 5];
  return {
    name: 'lift',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR, VECTOR],
    body: [
      set(q, spread(get(prime))),
      set(n, shiftRight(get(n), constant(2))),
      repeat(n, [
        set(a, load(get(signed))),
        store(get(x), addQuarters(get(a), andVector(shiftQuartersRight(get(a), 31), get(q)))),
        advance(x, 16),
        advance(signed, 16),
      ]),
    ],
  };
}

function rescale(): FunctionSource {
  const [x, last, n, prime, dropped, factor, factorq] = [0, 1, 2, 3, 4, 5, 6];
  const [q, d, half, W, WQ, a, b, first, low] = [7, 8, 9, 10, 11, 12, 13, 14, 15];
  return {
    name: 'rescale',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: new Array(9).fill(VECTOR),
    body: [
      set(q, spread(get(prime))),
      set(d, spread(get(dropped))),
      set(half, spread(shiftRight(get(dropped), constant(1)))),
      set(W, spread(get(factor))),
      set(WQ, spread(get(factorq))),
      set(n, shiftRight(get(n), constant(2))),
      repeat(n, [
        set(a, load(get(last))),
        // In (−dropped/2, dropped/2], of which x + q is more: all primes are near 2^30.
        set(a, subtractQuarters(get(a), andVector(moreQuarters(get(a), get(half)), get(d)))),
        set(a, addQuarters(subtractQuarters(load(get(x)), get(a)), get(q))),
        product(b, a, W, WQ, { q, first, low }),
        store(get(x), reduced(get(b), q)),
        advance(x, 16),
        advance(last, 16),
      ]),
    ],
  };
}
