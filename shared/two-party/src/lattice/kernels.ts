/**
 * The WebAssembly of polynomials modulo a prime q below 2^30: transforms, products and rescaling in four lanes of 32 bits, with
 * Montgomery's reduction (2^32 its radix). Factors come with their product with q^−1 modulo 2^32. No branch and no address depends on
 * a coefficient.
 */
import {
  addQuarters,
  andVector,
  assemble,
  type Code,
  constant,
  type FunctionSource,
  get,
  load,
  moreQuarters,
  NUMBER,
  repeat,
  set,
  shiftQuartersRight,
  shiftRight,
  spread,
  store,
  subtractQuarters,
  timesQuarters,
  VECTOR,
} from '../garbling/assembler.ts';
import { advance, product, reduced } from './montgomery.ts';
import { forward, inverse } from './transforms.ts';
import { pack, unpack, type WordKernels } from './word-kernels.ts';

/** The part of the WebAssembly interface that this file uses, which the type library of the language does not declare. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: { m: { m: object } }) => { exports: object };
};

/** Addresses are in bytes; `n` coefficients, a multiple of eight. */
export interface LatticeKernels extends WordKernels {
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
  /** x += y; all below q. Here n is a multiple of four. */
  add(x: number, y: number, n: number, q: number): void;
  /** x −= y, as add(). */
  subtract(x: number, y: number, n: number, q: number): void;
  /** x = signed integers of magnitude below q, modulo q. */
  lift(x: number, signed: number, n: number, q: number): void;
  /** x += such integers; x is below q. */
  addSmall(x: number, signed: number, n: number, q: number): void;
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
    assemble([
      ...[forward(), inverse(), multiplyAdd(), rescale(), pack(), unpack()],
      entrywise('add', (x, y) => addQuarters(x, get(y))),
      entrywise('subtract', (x, y, q) => addQuarters(subtractQuarters(x, get(y)), get(q))),
      entrywise('lift', (_, signed, q) => lifted(signed, q)),
      entrywise('addSmall', (x, signed, q) => addQuarters(lifted(signed, q), x)),
    ]),
  );
  return new WebAssembly.Instance(module, { m: { m: memory } }).exports as LatticeKernels;
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

/** Makes each vector of x of it and of y; what is made is below 2q, and reduced to below q. */
function entrywise(name: string, made: (x: Code, y: number, q: number) => Code): FunctionSource {
  const [x, y, n, prime, q, other] = [0, 1, 2, 3, 4, 5];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR, VECTOR],
    body: [
      set(q, spread(get(prime))),
      set(n, shiftRight(get(n), constant(2))),
      repeat(n, [
        set(other, load(get(y))),
        set(other, made(load(get(x)), other, q)),
        store(get(x), reduced(get(other), q)),
        advance(x, 16),
        advance(y, 16),
      ]),
    ],
  };
}

/** Signed integers modulo q. */
const lifted = (signed: number, q: number) =>
  addQuarters(get(signed), andVector(shiftQuartersRight(get(signed), 31), get(q)));

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
