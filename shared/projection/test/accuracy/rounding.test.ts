/** How far rounding moves results: against rows that are rounded in doubles, and the estimate from eigenvalues against both. */
import { ofKind } from '@eigenveil/methods';
import { programOf, Task, TaskProposal } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import {
  decompose,
  generalisedEigen,
  principalAngles,
  RoundedRows,
  roundingAngles,
  symmetricEigen,
  UnroundedRows,
} from '../../src/index.ts';
import { betweenOf, scatterOf, withinOf, withRidge } from '../linear-algebra.ts';
import { type DATASETS, METHODS, prepare } from '../samples.ts';

function taskOf(name: (typeof DATASETS)[number], method: object, changes: object = {}): Task {
  const { program } = prepare(name, METHODS.pca);
  const isLabelled = 'kind' in method && method.kind !== 'pca' && method.kind !== 'ridge';
  return Task.parse({
    ...TaskProposal.parse({
      method,
      features: Array.from({ length: program.featureCount }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
      labellings: isLabelled ? [{ column: 'l', classes: ['0', '1', '2'] }] : [],
      components: 2,
      minimumOwners: 2,
      maximumOwners: 5,
      maximumSamplesPerOwner: 1000,
      exact: true,
      allowFullRank: true,
      deadline: '2031-01-01T00:00:00Z',
    }),
    ...{ protocol: 'eigenveil/1', id: 't'.repeat(22), csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) },
    ...changes,
  });
}

describe.each(['pima', 'iris'] as const)('rows of %s as they are', (name) => {
  const { scaled, classes } = prepare(name, METHODS.lda);
  const utility = classes.map(([k]) => k!);
  function unrounded(method: object) {
    const task = taskOf(name, method);
    const rows = new UnroundedRows(task);
    for (const [n, row] of scaled.entries()) rows.add(row, task.labellings.length === 0 ? [] : [utility[n]!]);
    const program = { ...programOf(task), minimumOwners: 1, allowFullRank: true };
    return ofKind('components', rows.result(program));
  }

  it('have the principal components, eigenvalues and mean that doubles find of them', () => {
    const exact = symmetricEigen(scatterOf(scaled).to2DArray());
    const { vectors, eigenvalues, mean } = unrounded({ kind: 'pca' });
    expect(principalAngles(vectors, exact.vectors.slice(0, 2)).at(-1)).toBeLessThan(1e-7);
    for (const [i, value] of eigenvalues.entries()) expect(value / exact.values[i]!).toBeCloseTo(1, 7);
    const average = scaled.reduce((sum, row) => sum + row[0]!, 0) / scaled.length;
    expect(mean![0]).toBeCloseTo(average, 8);
  });

  it('have the discriminant components that doubles find of them, with the ridges of the task', () => {
    const exact = generalisedEigen(
      betweenOf(scaled, utility).to2DArray(),
      withRidge(withinOf(scaled, utility), METHODS.lda.ridge).to2DArray(),
    );
    const { vectors, eigenvalues } = unrounded(METHODS.lda);
    expect(principalAngles(vectors.slice(0, 1), exact.vectors.slice(0, 1)).at(-1)).toBeLessThan(1e-7);
    expect(eigenvalues[0]! / exact.values[0]!).toBeCloseTo(1, 7);
  });

  it('are what a finer rounding comes nearer to, by the angle that is told', () => {
    const task = taskOf(name, { kind: 'pca' });
    const rows = new RoundedRows(task, [8, 14]);
    for (const row of scaled) rows.add(row, []);
    const [coarse, fine] = rows.moved()!;
    const { program, statistics } = prepare(name, METHODS.pca, 8);
    const rounded = decompose({ ...program, components: 2, outputs: [] }, statistics);
    const exact = symmetricEigen(scatterOf(scaled).to2DArray()).vectors.slice(0, 2);
    expect(coarse!.angle / principalAngles(rounded.vectors, exact).at(-1)!).toBeCloseTo(1, 4);
    expect(fine!.angle).toBeLessThan(coarse!.angle / 8);
  });

  it('are told of ridge, too, by how far its weights are off', () => {
    const task = taskOf(name, { kind: 'ridge', ridge: 1 }, { components: 0 });
    const rows = new RoundedRows(task, [6, 14]);
    for (const row of scaled) rows.add(row, []);
    const [coarse, fine] = rows.moved()!;
    expect(coarse!.angle).toBeGreaterThan(1e-4);
    expect(fine!.angle).toBeLessThan(1e-4);
  });
});

it('of a matrix that the method refuses nothing is told', () => {
  const rows = new RoundedRows(taskOf('iris', { kind: 'lda', ridge: 0 }), [14]);
  for (let n = 0; n < 6; n += 1) rows.add([n / 8, n / 8, 0, 0], [n % 3]);
  expect(rows.moved()).toBeUndefined();
});

describe('the estimate from eigenvalues', () => {
  it('is the root mean square of what uniform errors do', () => {
    const values = [40, 12, 5];
    const [bits, rows, runs] = [7, 200, 200];
    // Columns that are orthogonal, centred and of these squared lengths; and errors by a fixed generator.
    const columns = values.map((value, i) =>
      Array.from(
        { length: rows },
        (_, n) => Math.sqrt((2 * value) / rows) * Math.cos((2 * Math.PI * (i + 1) * (n + 0.5)) / rows),
      ),
    );
    let state = 12345;
    const error = () => {
      state = (state * 48_271) % 2_147_483_647;
      return (state / 2_147_483_647 - 0.5) * 2 ** -bits;
    };
    const squares = [0, 0, 0];
    for (let run = 0; run < runs; run += 1) {
      const noisy = Array.from({ length: rows }, (_, n) => columns.map((column) => column[n]! + error()));
      const { vectors } = symmetricEigen(scatterOf(noisy).to2DArray());
      for (const [i, vector] of vectors.entries()) squares[i]! += 1 - vector[i]! ** 2;
    }
    const told = roundingAngles({ features: values, fractionBits: bits, eigenvalues: values });
    // 400 squares of about a normal number each: 5 deviations of their mean are a third of it.
    for (const [i, angle] of told.entries()) {
      expect(angle / Math.sqrt(squares[i]! / runs)).toBeGreaterThan(0.8);
      expect(angle / Math.sqrt(squares[i]! / runs)).toBeLessThan(1.25);
    }
  });

  it('takes what is known of the other eigenvalues, and a right angle where two are equal', () => {
    const of = (more: object) =>
      roundingAngles({ features: { length: 3 }, fractionBits: 14, eigenvalues: [4, 2], ...more });
    const u = 2 ** -14;
    const expected = (others: number[]) =>
      Math.sqrt(((u * u) / 12) * others.reduce((sum, x) => sum + (2 + x) / (2 - x) ** 2, 0));
    expect(of({})[1]).toBeCloseTo(expected([4, 0]), 12);
    expect(of({ trace: 7 })[1]).toBeCloseTo(expected([4, 1]), 12);
    expect(of({ spectrum: [4, 2, 1.5] })[1]).toBeCloseTo(expected([4, 1.5]), 12);
    expect(of({ spectrum: [4, 2, 2] })[1]).toBe(Math.PI / 2);
  });
});
