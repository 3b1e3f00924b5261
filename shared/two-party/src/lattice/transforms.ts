/** The transform of polynomials modulo a prime below 2^30 and its inverse, in WebAssembly. No branch and no address depends on a coefficient. */
import {
  add,
  addQuarters,
  type Code,
  constant,
  type FunctionSource,
  get,
  load,
  loadLow,
  loadNumber,
  NUMBER,
  repeat,
  set,
  shiftLeft,
  shiftRight,
  spread,
  store,
  subtractQuarters,
  VECTOR,
} from '../garbling/assembler.ts';
import { advance, pick, product, reduced } from './montgomery.ts';

/** Locals of a layer: two vectors and their factor, the blocks that are left and half a block in bytes, where it stands, and a count. */
type Layer = Record<'block' | 'other' | 'turns' | 'half' | 'a' | 'b' | 'W' | 'WQ', number>;

/** Runs the butterfly for a layer's blocks, each with the factor that the pointers w and wq are at. */
function layerOf(
  { block, other, turns, half, a, b, W, WQ }: Layer,
  w: number,
  wq: number,
  butterfly: Code,
): Code {
  return repeat(block, [
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
  ]);
}

export function forward(): FunctionSource {
  const [x, n, layers, prime, w, wq] = [0, 1, 2, 3, 4, 5];
  const [half, blocks, block, other, turns, pairs, pairsq, fours, foursq] = [6, 7, 8, 9, 10, 11, 12, 13, 14];
  const [q, twice, a, b, W, WQ, first, low, t, u] = [15, 16, 17, 18, 19, 20, 21, 22, 23, 24];
  const scratch = { q, first, low };
  const locals = { block, other, turns, half, a, b, W, WQ };
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
        layerOf(locals, w, wq, butterfly),
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

export function inverse(): FunctionSource {
  const [x, n, layers, prime, w, wq, scale, scaleq] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [half, blocks, block, other, turns, pairs, pairsq, fours, foursq] = [
    8, 9, 10, 11, 12, 13, 14, 15, 16,
  ];
  const [ones, onesq, at] = [17, 18, 19];
  const [q, twice, a, b, W, WQ, first, low, t] = [20, 21, 22, 23, 24, 25, 26, 27, 28];
  const scratch = { q, first, low };
  const locals = { block, other, turns, half, a, b, W, WQ };
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
        layerOf(locals, pairs, pairsq, butterfly),
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
