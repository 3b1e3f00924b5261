/**
 * What a sketch opens last, and what a data user gains that puts another share of Z'', or of J, into its
 * last products: docs/arguments/rotated-sketches.md, S-617.
 *
 * @claims S-617
 */
import { expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { UserFactor } from '../../src/lattice/data-user.ts';
import type { UserLattice } from '../../src/rotated/data-user.ts';
import {
  addMatrices,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  transpose,
} from '../../src/rotated/matrices.ts';
import { drawSketchSecrets } from '../../src/rotated/secrets.ts';
import { answerSketch } from '../../src/rotated/sketch/csp.ts';
import { askSketch } from '../../src/rotated/sketch/data-user.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { SKETCH_PRODUCTS } from '../support/views.ts';
import { AT_ONCE, systemBits } from './run.ts';
import { patterned, type SketchSetting, sketchSetting } from './sketches.ts';

/** Bits of J that a group of l features gives, since no entry of Z''J here comes near the others of the ring. */
const STEP = 13;
const GROUPS = 7;

interface Opened {
  /** What comes out, in the CSP's units, beside what the data user takes off itself. */
  readonly seen: (i: number, j: number) => bigint;
  /** Z'', and J with its flood. */
  readonly Z: Matrix;
  readonly J: Matrix;
}

/** Of each entry of the data user's share of Z'' and of J what it adds in the last products, where it deviates. */
interface Added {
  readonly toKept?: (i: number, a: number) => bigint;
  readonly toCoefficients?: (a: number, j: number) => bigint;
}

/** A whole run. Where the data user adds to its share of J, it asks for no directions, so that J is its flood. */
async function openedBy(
  { task, program, garbler, evaluator }: SketchSetting,
  { toKept, toCoefficients }: Added = {},
): Promise<Opened> {
  const parameters = sketchParameters(task, program);
  const { vectorRing: ring } = parameters;
  const { csp, user, log } = dealtLattice();
  const { directions, mixed, vectors } = SKETCH_PRODUCTS;
  const own: Matrix[] = [];
  const changed = ({ product, factor }: UserFactor): UserFactor => {
    own[product] = factor;
    const added = (more: ((row: number, column: number) => bigint) | undefined) =>
      factor.map((row, i) => row.map((entry, j) => BigInt.asUintN(ring, entry + (more?.(i, j) ?? 0n))));
    if (product === mixed) return { product, factor: added(toKept && ((a, i) => toKept(i, a))) };
    if (product === vectors) return { product, factor: added(toCoefficients) };
    if (product === directions && toCoefficients)
      return { product, factor: factor.map((row) => row.map(() => 0n)) };
    return { product, factor };
  };
  const deviating = (): UserLattice => async (plan) => {
    const products = await user()(plan);
    return { multiply: (asked, moments) => products.multiply(asked.map(changed), moments) };
  };
  const [left, right] = memoryChannelPair();
  const [, end] = await Promise.allSettled([
    askSketch(new MessageStream(right), deviating, { task, program }, { ...evaluator, pace: AT_ONCE }),
    answerSketch(
      new MessageStream(left),
      csp,
      { task, program },
      { ...garbler, markAnswered: async () => undefined },
      () => drawSketchSecrets(parameters, systemBits()),
    ),
  ]);
  // The CSP notices nothing of a data user that deviates.
  expect(end.status).toBe('fulfilled');
  const [first, last] = [log[mixed]!, log[vectors]!];
  // What the data user has: its own shares, and what the CSP has opened.
  const local = multiplyMatrices(transpose(first.user), last.user, ring);
  const signed = (matrix: Matrix) => matrix.map((row) => row.map((entry) => BigInt.asIntN(ring, entry)));
  return {
    seen: (i, j) => BigInt.asIntN(ring, last.got[i]![j]! + first.got[j]![i]! + local[i]![j]!),
    Z: signed(addMatrices(transpose(own[mixed]!), last.csp, ring)),
    J: signed(addMatrices(own[vectors]!, transpose(first.csp), ring)),
  };
}

it('opens nothing without a flood of its own, of the size that the proof takes', async () => {
  const setting = sketchSetting({ rows: patterned(60, 40, 12), columns: 8, components: 4 });
  const { floodBits } = sketchParameters(setting.task, setting.program);
  const { seen, Z, J } = await openedBy(setting);
  const flood = multiplySigned(Z, J).flatMap((row, i) =>
    row.map((entry, j) => Number(seen(i, j) - entry) * 2 ** -floodBits),
  );
  // The squares of 160 normal numbers add up to less than 60, or to more than 320, with a probability below 1e-10 each.
  const sum = flood.reduce((total, x) => total + x * x, 0);
  expect(flood).toHaveLength(160);
  expect(sum).toBeGreaterThan(60);
  expect(sum).toBeLessThan(320);
});

it('tells a data user that adds powers of two to its share of Z″ the coefficients, and the images as before', async () => {
  const setting = sketchSetting({ rows: patterned(60, 60, 12), columns: 8, components: 2 });
  const {
    columns: l,
    components: k,
    vectorRing: ring,
    floodBits,
  } = sketchParameters(setting.task, setting.program);
  const shiftOf = (i: number) => BigInt(ring - STEP * (1 + Math.floor(i / l)));
  const isAltered = (i: number) => i < GROUPS * l;
  const { seen, Z, J } = await openedBy(setting, {
    toKept: (i, a) => (isAltered(i) && i % l === a ? 1n << shiftOf(i) : 0n),
  });
  const found = J.map((row, a) =>
    row.map((_, j) => {
      let known = 0n;
      for (let group = 0; group < GROUPS; group += 1) {
        const i = group * l + a;
        const left = BigInt.asIntN(ring, seen(i, j) - (known << shiftOf(i)));
        const unit = shiftOf(i) + BigInt(STEP * group);
        known += ((left + (1n << (unit - 1n))) >> unit) << BigInt(STEP * group);
        known = BigInt.asIntN(STEP * (group + 1), known);
      }
      return known;
    }),
  );
  expect(found).toEqual(J);
  const images = multiplySigned(Z, J);
  for (const [i, row] of images.entries()) {
    for (let j = 0; j < k; j += 1) {
      const added = isAltered(i) ? J[i % l]![j]! << shiftOf(i) : 0n;
      const error = Number(BigInt.asIntN(ring, seen(i, j) - added - row[j]!)) * 2 ** -floodBits;
      expect(Math.abs(error)).toBeLessThan(8); // 1e-13 of the flood of all entries here
    }
  }
});

/** Bits of an entry of Z'' here, in a task with room for far more rows. Two fit into the bits above the flood. */
const ENTRY = 15;
const TOGETHER = 2;

it('tells a data user that puts other numbers into the place of its share of J all of Z″, where its numbers are small', async () => {
  const setting = sketchSetting({
    rows: patterned(60, 40, 12),
    columns: 6,
    components: 3,
    task: { maximumSamplesPerOwner: 2 ** 19 },
  });
  const { floodBits } = sketchParameters(setting.task, setting.program);
  const low = floodBits + 3; // as far as the flood may reach, but for 1e-13
  const { seen, Z } = await openedBy(setting, {
    toCoefficients: (a, j) =>
      Math.floor(a / TOGETHER) === j ? 1n << BigInt(low + 1 + ENTRY * (a % TOGETHER)) : 0n,
  });
  const found = Z.map((row, i) =>
    row.map((_, a) => {
      let rest = (seen(i, Math.floor(a / TOGETHER)) + (1n << BigInt(low))) >> BigInt(low + 1);
      for (let before = 0; before < a % TOGETHER; before += 1)
        rest = (rest - BigInt.asIntN(ENTRY, rest)) >> BigInt(ENTRY);
      return BigInt.asIntN(ENTRY, rest);
    }),
  );
  expect(found).toEqual(Z);
});
