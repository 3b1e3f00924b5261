/** What is said of components that are not what they seem, and nothing of others. */

import { madeUpProjection, madeUpTask } from '@eigenveil/made-up/tasks';
import { decompose } from '@eigenveil/projection';
import { Discretiser, StatisticsAccumulator } from '@eigenveil/statistics';
import { noiseNorm, programOf, shiftRidge, type Task } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { remarksOf } from '../../../src/advice/describe/caveats.ts';

const told = (...given: Parameters<typeof remarksOf>) =>
  remarksOf(...given).map(({ code, components }) => [code, components]);
const yes = (count: number) => new Array<boolean>(count).fill(true);

describe('a PCA', () => {
  const task = madeUpTask('pca', 8);

  test('whose components stand out has no remarks, by any protocol', () => {
    for (const twoParty of ['garbled', 'rotated', 'simulated'] as const) {
      const mine = madeUpTask('pca', 8, { twoParty });
      expect(told(mine, madeUpProjection(mine, [5, 4, 3, 2, 1], { converged: yes(5) }))).toEqual([]);
    }
  });

  test('with equal eigenvalues has vectors that are mixed', () => {
    expect(told(task, madeUpProjection(task, [5, 3, 3 - 1e-5, 1]))).toEqual([['mixed', [2, 3]]]);
    expect(told(task, madeUpProjection(task, [5, 5, 3, 1, 1]))).toEqual([
      ['mixed', [1, 2]],
      ['mixed', [4, 5]],
    ]);
    // What garbled cannot tell apart, rotated can; but rounding alone mixes them.
    const rotated = madeUpTask('pca', 8, { twoParty: 'rotated', exact: true });
    expect(told(rotated, madeUpProjection(rotated, [5, 3, 3 - 1e-5, 1]))).toEqual([['rounding', [2, 3]]]);
    const finer = madeUpTask('pca', 8, { twoParty: 'rotated', exact: true, fractionBits: 20 });
    expect(told(finer, madeUpProjection(finer, [5, 3, 3 - 1e-4, 1]))).toEqual([]);
    expect(told(rotated, madeUpProjection(rotated, [5, 3, 3 - 1e-8, 1]))).toEqual([['mixed', [2, 3]]]);
  });

  test('whose last component equals the one after it has a vector that is mixed, where a spectrum tells', () => {
    const spectrum = [5, 3, 3, 1, 0, 0, 0, 0];
    expect(told(task, madeUpProjection(task, [5, 3], { spectrum }))).toEqual([['mixed', [2]]]);
    expect(told(task, madeUpProjection(task, [5, 3]))).toEqual([]);
  });

  test("with eigenvalues within the arithmetic's error, or more components than the rank, has arbitrary vectors", () => {
    expect(told(task, madeUpProjection(task, [5, 3, 1e-5, -1e-6]))).toEqual([['zero', [3, 4]]]);
    const rotated = madeUpTask('pca', 8, { twoParty: 'rotated' });
    expect(told(rotated, madeUpProjection(rotated, [5, 3, 1e-4]))).toEqual([]);
    expect(told(task, madeUpProjection(task, [5, 3, 2], { sampleCount: 3 }))).toEqual([['zero', [3]]]);
    const constant = madeUpTask('pca', 3, {
      features: [...madeUpTask('pca', 2).features, { name: 'c', min: 1, max: 1 }],
    });
    expect(told(constant, madeUpProjection(constant, [5, 3, 2]))).toEqual([['zero', [3]]]);
  });

  test('of a sketch says that all of it is approximate', () => {
    const sketched = madeUpTask('pca', 8, {
      sketch: { columns: 5 },
      twoParty: 'simulated',
      outputs: ['mean', 'sampleCount'],
    });
    expect(told(sketched, madeUpProjection(sketched, [5, 3, 1]))).toEqual([['sketch', [1, 2, 3]]]);
  });

  test('that has not converged says so, and says nothing else of those components', () => {
    const projection = madeUpProjection(task, [5, 3, 3, 0], { converged: [true, true, false, false] });
    expect(told(task, projection)).toEqual([['not-found', [3, 4]]]);
  });

  test('has status bits that say nothing of small eigenvalues', () => {
    const values = [1000, 1, 0.9];
    expect(told(task, madeUpProjection(task, values, { converged: yes(3) }))).toEqual([['status', [3]]]);
    expect(told(task, madeUpProjection(task, values))).toEqual([]);
    // What may be zero is said to be that.
    expect(told(task, madeUpProjection(task, [1000, 1e-3], { converged: yes(2) }))).toEqual([['zero', [2]]]);
    const [remark] = remarksOf(task, madeUpProjection(task, values, { converged: yes(3) }));
    expect(remark!.text).toMatch(/allows an error of 2\^-10 of the first eigenvalue/);
  });
});

test('a PCA with differential privacy tells eigenvalues below its noise and about as large, which a mean makes larger', () => {
  const task = madeUpTask('pca', 8, {
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: 1.6,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  });
  const norm = noiseNorm(task, 0)!;
  const values = [100 * norm, 1.3 * norm, 1.1 * norm, 0.9 * norm];
  expect(told(task, madeUpProjection(task, values))).toEqual([
    ['noise', [4]],
    ['noise', [3]],
  ]);
  expect(remarksOf(task, madeUpProjection(task, values))[0]!.text).toMatch(
    new RegExp(`about ${norm.toPrecision(3)} or more: its vector is mostly noise`),
  );
  // The arithmetic's error is one of what was decomposed, with the public shift.
  const small = 0.9 * 2 ** -16 * 8 * shiftRidge(task);
  expect(told(task, madeUpProjection(task, [norm, small]))).toEqual([
    ['zero', [2]],
    ['noise', [2]],
    ['noise', [1]],
  ]);
  const mean = new Array<number>(8).fill(0.7);
  const larger = noiseNorm(task, Math.hypot(...mean))!;
  expect(larger).toBeGreaterThan(1.3 * norm);
  expect(told(task, madeUpProjection(task, values, { mean }))).toEqual([['noise', [2, 3, 4]]]);
});

describe('a discriminant projection', () => {
  const book = { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0 } as const;

  test('within the directions of its classes has no remarks', () => {
    for (const kind of ['dca', 'lda'] as const) {
      const task = madeUpTask(kind, 8, { components: 2 });
      expect(told(task, madeUpProjection(task, [0.5, 0.1], { converged: yes(2) }))).toEqual([]);
    }
  });

  test('beyond K − 1 components has eigenvalues of the ridges alone', () => {
    const task = madeUpTask('dca', 8, { method: book, components: 4 });
    expect(told(task, madeUpProjection(task, [3, 2, 1, 1], { converged: yes(4) }))).toEqual([
      ['no-classes', [3, 4]],
      ['mixed', [3, 4]],
    ]);
  });

  test('with a ridge on the signal may have eigenvalues of the ridges alone wherever they are small enough', () => {
    const remarksWith = (method: Task['method'], ...values: number[]) => {
      const task = madeUpTask('dca', 8, { method, components: values.length });
      return told(task, madeUpProjection(task, values));
    };
    const standard = { ...book, form: 'standard' } as const;
    expect(remarksWith({ ...standard, ridge: 2, signalRidge: 0.5 }, 0.5, 0.24, 0.1)).toEqual([
      ['no-classes', [2, 3]],
    ]);
    expect(remarksWith({ ...standard, signalRidge: 1 }, 0.99, 0.5)).toEqual([['no-classes', [1, 2]]]);
    expect(remarksWith({ ...book, ridge: 2, signalRidge: 0.5 }, 1.5, 1.24)).toEqual([['no-classes', [2]]]);
    // Without a null space.
    expect(remarksWith({ ...standard, signalRidge: -0.5 }, 0.5, 0)).toEqual([['no-classes', [2]]]);
    expect(remarksWith({ ...standard, signalRidge: -0.5 }, 0.5, -0.1)).toEqual([['no-classes', [2]]]);
    expect(remarksWith({ ...standard, ridge: 0, signalRidge: 0.5 }, 900, 0.1)).toEqual([
      ['no-classes', [1, 2]],
    ]);
  });

  test('along whose first component class means do not differ at all is one of which that is said', () => {
    // Two classes that differ in f0, f1 with next to no scatter, and a ridge on the signal that makes it the first.
    const method = { ...book, form: 'standard', signalRidge: 1 } as const;
    const task = madeUpTask('dca', 3, { method, components: 3, allowFullRank: true }, 2);
    const accumulator = new StatisticsAccumulator(task);
    const discretiser = new Discretiser(task);
    for (let i = 0; i < 60; i += 1) {
      const cells = [
        0.3 * (1 + (i % 2)) + 0.3 * Math.sin(7 * i),
        0.5 + 0.01 * Math.cos(3 * i),
        0.5 + 0.4 * Math.sin(i * i),
      ];
      accumulator.add(discretiser.discretise(cells), [i % 2]);
    }
    const { vectors, eigenvalues } = decompose(programOf(task), { ...accumulator.statistics(), owners: 9n });
    expect(Math.abs(vectors[0]![1]!)).toBeGreaterThan(0.99);
    expect(told(task, madeUpProjection(task, eigenvalues, { vectors }))).toEqual([['no-classes', [1, 2, 3]]]);
  });

  test('of classes without rows has as many directions less', () => {
    const task = madeUpTask('lda', 8, { components: 2 });
    const classCounts = [[5, 0, 7]];
    expect(told(task, madeUpProjection(task, [0.5, 0], { classCounts }))).toEqual([
      ['no-classes', [2]],
      ['zero', [2]],
    ]);
    expect(told(task, madeUpProjection(task, [0.5, 0]))).toEqual([['zero', [2]]]);
  });

  test('has an error that grows where 1/(1 − ν) is the eigenvalue', () => {
    const near = [1000, 999];
    const lda = madeUpTask('lda', 8, { components: 2 });
    expect(told(lda, madeUpProjection(lda, near))).toEqual([['mixed', [1, 2]]]);
    const rotated = madeUpTask('lda', 8, { components: 2, twoParty: 'rotated', exact: true });
    expect(told(rotated, madeUpProjection(rotated, [1000, 990]))).toEqual([]);
  });
});
