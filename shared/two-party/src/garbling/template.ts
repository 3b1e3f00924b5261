/**
 * Circuits as straight-line code. Most work of a program is a few dozen small circuits (a product of 28 bits,
 * say) on many numbers, and walking through one in TypeScript costs more than its gates while there are few
 * lanes. So a circuit that treats all lanes alike is walked through once, on a `Recorder` (recorder.ts),
 * which notes what happens to which vector; the contexts then only replay the notes, with their own inputs
 * and lanes. Both parties replay the same notes, since these depend on public shapes alone.
 */
/**
 * Operations of a template's code and their operands; vectors are numbered as `Template.code` says, and
 * `count` vectors that follow each other are worked on as one.
 */
export const OPERATION = {
  /** count, target, a, b */
  xor: 0,
  /** count, target, a */
  invert: 1,
  /** count, target, a */
  copy: 2,
  /** count, target, bit */
  fill: 3,
  /** how many, then count, target, a, b of each: one batch */
  and: 4,
  /** how many, then count, carry, a, b, c, sum of each: one batch of full adders */
  add: 5,
} as const;

/** A result of a template: a public bit, an input, or a vector that the template left at its base. */
export type Result =
  | { readonly kind: 'constant'; readonly bit: 0 | 1 }
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'vector'; readonly place: number };

export interface Template {
  /** Vector v >= 0 lies v vectors above the base; v < 0 is input ~v. */
  readonly code: Int32Array;
  /** AND gates per lane. */
  readonly gates: number;
  readonly batches: number;
  /** Vectors that it needs above the base, and how many of them its results take. */
  readonly height: number;
  readonly kept: number;
  readonly results: readonly Result[];
}

/**
 * Returns how many lanes a circuit is recorded with to be replayed with this number: circuits choose adders,
 * and how much they compute at a time, by lanes. A function of public sizes, the same on both sides.
 */
export function recordedLanes(lanes: number): number {
  if (lanes <= 2) return lanes;
  if (lanes < 16) return 8;
  return lanes < 48 ? 32 : 64;
}

/** Up to this number of lanes, adders are prefix adders: see circuits/add.ts. */
export const PREFIX_LANES = 2;
