import {
  drawBlinding,
  type Packing,
  PublicKey,
  pack,
  packBlinding,
  unpackBlinded,
} from '@eigenveil/paillier';
import { placesOf, type StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addStatistics, flatten, layout, type Statistics, StatisticsAccumulator } from '../../src/index.ts';
import { METHODS, syntheticTask } from '../datasets.ts';

/** The smallest and largest odd numbers of that many bits: packing needs a modulus, not its factors. */
const moduli = (bits: number): PublicKey[] =>
  [2n ** BigInt(bits - 1) + 1n, 2n ** BigInt(bits) - 1n].map((n) => new PublicKey({ n }));

/** Largest blinding that can be drawn. */
function largestBlinding({ valueBits, blindingBits }: Packing): bigint[] {
  return valueBits.map((b, v) => 2n ** BigInt(b - 1) + 2n ** BigInt(blindingBits[v]!) - 1n);
}

/** Adds the owners' packed plaintexts as the ciphertexts would, blinds, and reads the sums back. */
function throughPlaintexts(
  key: PublicKey,
  packing: Packing,
  contributions: readonly (readonly bigint[])[],
  blinding: readonly bigint[],
): bigint[] {
  const packed = [
    ...contributions.map((values) => pack(key, packing, values)),
    packBlinding(key, packing, blinding),
  ];
  const sums = Array.from(packing.plaintexts, (_, p) =>
    packed.reduce((total, plaintexts) => (total + plaintexts[p]!) % key.n, 0n),
  );
  return unpackBlinded(packing, sums).map((value, v) => value - blinding[v]!);
}

/** The statistics of an owner all of whose `count` rows and classes are the same, without summing them one by one. */
function repeated(
  task: StatisticsTask,
  row: readonly number[],
  classes: readonly number[],
  count: bigint,
): Statistics {
  const accumulator = new StatisticsAccumulator(task);
  accumulator.add(row, classes);
  const { R, labellings } = accumulator.statistics();
  return {
    R: R.map((value) => value * count),
    labellings: labellings.map((sums) =>
      sums.map(({ V, M }) => ({ V: V.map((value) => value * count), M: M * count })),
    ),
    owners: 1n,
  };
}

const tasks = fc.record({
  method: fc.constantFrom(...Object.values(METHODS)),
  dimension: fc.integer({ min: 1, max: 5 }),
  fractionBits: fc.integer({ min: 1, max: 20 }),
  maximumOwners: fc.integer({ min: 1, max: 40 }),
  // Also powers of two and their neighbours, where a bound one bit short shows.
  maximumSamplesPerOwner: fc.oneof(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.integer({ min: 0, max: 40 }).map((e) => 2 ** e),
    fc.integer({ min: 1, max: 40 }).map((e) => 2 ** e - 1),
  ),
  statisticalSecurityBits: fc.constantFrom(40, 64),
  keyBits: fc.constantFrom(512, 1024, 2048),
});

describe('layout', () => {
  it('carries the sums of owners who are all at the maximum, under the largest and the least blinding', () => {
    fc.assert(
      fc.property(
        tasks,
        fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 5, maxLength: 5 }),
        (options, signs) => {
          const task = syntheticTask(options.dimension, options.method, options);
          const packing = layout(task);
          // Every cell at an end of its range: negative sums of V and of R's mixed entries included.
          const row = signs.slice(0, options.dimension).map((sign) => sign * 2 ** options.fractionBits);
          const classes = task.labellings.map((labelling, l) => (signs[l]! + 1) % labelling.classes.length);
          const one = repeated(task, row, classes, BigInt(task.maximumSamplesPerOwner));
          const all = new Array<Statistics>(task.maximumOwners).fill(one);
          const expected = flatten(task, all.reduce(addStatistics));
          const least = packing.valueBits.map((b) => 2n ** BigInt(b - 1));
          for (const key of moduli(task.keyBits)) {
            for (const blinding of [largestBlinding(packing), least, [...drawBlinding(packing)]]) {
              const contributions = all.map((statistics) => flatten(task, statistics));
              expect(throughPlaintexts(key, packing, contributions, blinding)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has the least bits that hold the bounds', () => {
    fc.assert(
      fc.property(tasks, (options) => {
        const task = syntheticTask(options.dimension, options.method, options);
        const row = new Array<number>(options.dimension).fill(2 ** options.fractionBits);
        const classes = task.labellings.map(() => 0);
        const largest = repeated(
          task,
          row,
          classes,
          BigInt(task.maximumSamplesPerOwner) * BigInt(task.maximumOwners),
        );
        const bounds = flatten(task, { ...largest, owners: BigInt(task.maximumOwners) });
        const { valueBits } = layout(task);
        expect(valueBits.length).toBe(placesOf(task).length);
        bounds.forEach((bound, v) => {
          if (bound === 0n) return; // a class that these rows are not in
          expect(bound).toBeLessThan(2n ** BigInt(valueBits[v]! - 1));
          expect(bound).toBeGreaterThanOrEqual(2n ** BigInt(valueBits[v]! - 2));
        });
      }),
    );
  });

  it('gives every class of a labelling the same bits', () => {
    const task = syntheticTask(2, METHODS.mdr, {
      maximumOwners: 3,
      maximumSamplesPerOwner: 100,
      fractionBits: 3,
    });
    // V: 8 · 300 = 2400 < 2^12; M: 300 < 2^9; owners: 3 < 2^2.
    const perClass = [13, 13, 10];
    expect(layout(task).valueBits).toEqual([...Array.from({ length: 5 }, () => perClass).flat(), 3]);
  });

  it('leaves the top bit of the modulus free', () => {
    const task = syntheticTask(1, METHODS.pca);
    const widest = layout(task).plaintexts.at(0)![0]!.width;
    expect(layout({ ...task, keyBits: widest + 1 }).plaintexts.at(0)!.length).toBe(1);
    expect(() => layout({ ...task, keyBits: widest })).toThrow(
      expect.objectContaining({ code: 'ERR_PACKING_TOO_NARROW' }),
    );
  });

  it('is a function of the task', () => {
    const task = syntheticTask(4, METHODS.dca);
    expect(layout(structuredClone(task))).toEqual(layout(task));
  });

  it('refuses a key too short for a slot and a task that makes no sense', () => {
    expect(() => layout(syntheticTask(4, METHODS.pca, { keyBits: 80 }))).toThrow(
      expect.objectContaining({ code: 'ERR_PACKING_TOO_NARROW' }),
    );
    const labelled = { column: 'label', classes: ['a', 'b'] };
    const bad: Partial<StatisticsTask>[] = [
      { maximumOwners: 0 },
      { maximumSamplesPerOwner: 1.5 },
      { maximumOwners: 2 ** 53 },
      { features: [] },
      { labellings: [labelled] },
      { features: [{ name: '', min: 0, max: 1 }] },
      {
        features: [
          { name: 'a', min: 0, max: 1 },
          { name: 'a', min: 0, max: 1 },
        ],
      },
      { method: METHODS.dca, labellings: [] },
      { method: METHODS.dca, labellings: [{ column: 'label', classes: ['a'] }] },
      { method: METHODS.dca, labellings: [{ column: 'label', classes: ['a', 'a'] }] },
      { method: METHODS.dca, labellings: [{ column: 'f0', classes: ['a', 'b'] }] },
      { method: METHODS.mdr, labellings: [labelled, labelled] },
    ];
    for (const overrides of bad) {
      expect(() => layout(syntheticTask(4, METHODS.pca, overrides)), JSON.stringify(overrides)).toThrow(
        expect.objectContaining({ code: 'ERR_TASK_INVALID' }),
      );
    }
  });
});
