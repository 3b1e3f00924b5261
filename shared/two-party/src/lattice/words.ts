/** Integers of a few bits side by side in bytes, and which of the words of a polynomial are meant. */
import { PRIME_BITS } from './security.ts';

/** Bytes of `count` integers. */
export function packedBytes(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

/** Bytes of `count` residues. */
export const wordBytes = (count: number): number => packedBytes(count, PRIME_BITS);

/** Words from `start` on: `runs` times, `run` words, and `gap` words between them. */
export interface Words {
  readonly start: number;
  readonly runs: number;
  readonly run: number;
  readonly gap: number;
}

export const countOf = ({ runs, run }: Words): number => runs * run;

/** The first `count` words. */
export const firstWords = (count: number): Words => ({ start: 0, runs: 1, run: count, gap: 0 });

/** Returns the words of class 0 of a polynomial, whose numbers are multiples of the classes. */
export function insideOf(degree: number, classes: number): Words {
  return { start: 0, runs: degree / classes, run: 1, gap: classes - 1 };
}

/** Returns the words of the other classes. */
export function outsideOf(degree: number, classes: number): Words {
  return { start: 1, runs: degree / classes, run: classes - 1, gap: 1 };
}
