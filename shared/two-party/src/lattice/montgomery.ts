/** The lanes and the product that the kernels of a ring have in common: four of 32 bits, by Montgomery (2^32 its radix). */
import {
  add,
  addQuarters,
  type Code,
  constant,
  get,
  leastQuarters,
  set,
  shuffle,
  subtractHalves,
  subtractQuarters,
  timesHighQuarters,
  timesLowQuarters,
  timesQuarters,
} from '../garbling/assembler.ts';

export const advance = (local: number, bytes: number): Code => set(local, add(get(local), constant(bytes)));
const words = (...numbers: readonly number[]) =>
  numbers.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]);
/** Four words of two vectors, by number: 0 to 3 of the first, 4 to 7 of the second. */
export const pick = (a: Code, b: Code, ...numbers: readonly number[]) => shuffle(a, b, words(...numbers));
/** From [0, 2·limit) to [0, limit). */
export const reduced = (x: Code, limit: number) => leastQuarters(x, subtractQuarters(x, get(limit)));

/** Locals that a product of vectors needs. */
export interface Scratch {
  readonly q: number;
  readonly first: number;
  readonly low: number;
}

/** Sets a local to a·b/2^32 in (0, 2q). `bq` is b times q^−1; each of a, b and bq is a local. */
export function product(into: number, a: number, b: number, bq: number, { q, first, low }: Scratch): Code {
  return [
    set(first, timesQuarters(get(a), get(bq))),
    set(low, subtractHalves(timesLowQuarters(get(a), get(b)), timesLowQuarters(get(first), get(q)))),
    set(first, subtractHalves(timesHighQuarters(get(a), get(b)), timesHighQuarters(get(first), get(q)))),
    set(into, addQuarters(pick(get(low), get(first), 1, 3, 5, 7), get(q))),
  ];
}
