/**
 * What rows amount to, by definition: sums, and scatter matrices about means, with nothing in common with the code
 * under test but the discretisation and the eigensolver.
 */
import { type EigenPairs, generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import { Discretiser } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import type { LabelledRows } from './tasks.ts';

type Matrix = number[][];

/** The flat statistics of all rows: R by rows of its upper triangle, per class V and M, the number of owners. */
export function plainSums(task: TaskProposal, parts: readonly LabelledRows[]): bigint[] {
  const rows = parts.flatMap(({ values }) => discretise(task, values));
  const classes = parts.flatMap((part) => part.classes);
  if (rows.length * 4 ** task.fractionBits > Number.MAX_SAFE_INTEGER) {
    throw new RangeError('rows expected so few that a double sums them exactly');
  }
  const d = task.features.length;
  const sums: number[] = [];
  for (let i = 0; i < d && task.method.kind !== 'mdr'; i++) {
    for (let j = i; j < d; j++) sums.push(sum(rows.map((row) => row[i]! * row[j]!)));
  }
  for (const members of rowsByClass(task, rows, classes).flat()) {
    for (let i = 0; i < d; i++) sums.push(sum(members.map((row) => row[i]!)));
    sums.push(members.length);
  }
  return [...sums, parts.length].map(BigInt);
}

/** All eigenpairs of the task's problem for the rows of all owners together. */
export function definedEigenPairs(task: TaskProposal, parts: readonly LabelledRows[]): EigenPairs {
  const unit = 2 ** task.fractionBits;
  const rows = parts
    .flatMap(({ values }) => discretise(task, values))
    .map((row) => row.map((cell) => cell / unit));
  const byClass = rowsByClass(
    task,
    rows,
    parts.flatMap((part) => part.classes),
  );
  const total = scatter(rows, meanOf(rows));
  const within = (labelling: number) =>
    byClass[labelling]!.filter(({ length }) => length > 0)
      .map((members) => scatter(members, meanOf(members)))
      .reduce((a, b) => combine(a, b, 1));
  const between = (labelling: number) => combine(total, within(labelling), -1);
  const { method } = task;
  switch (method.kind) {
    case 'pca':
      return symmetricEigen(total);
    case 'dca':
      return method.form === 'standard'
        ? generalisedEigen(ridged(between(0), method.signalRidge), ridged(total, method.ridge))
        : generalisedEigen(ridged(total, method.ridge + method.signalRidge), ridged(within(0), method.ridge));
    case 'lda':
      return generalisedEigen(between(0), ridged(within(0), method.ridge));
    case 'mdr':
      return generalisedEigen(between(0), ridged(between(1), method.ridge));
    case 'ridge':
    case 'pcr':
    case 'histogram':
    case 'moments':
      throw new Error(`${method.kind} has no eigenproblem`);
  }
}

/** Per labelling and class its rows; all rows as the one class of one labelling where there are no labels. */
function rowsByClass(task: TaskProposal, rows: readonly number[][], classes: readonly number[][]) {
  if (task.labellings.length === 0) return [[rows]];
  return task.labellings.map((labelling, l) =>
    labelling.classes.map((_, k) => rows.filter((_row, i) => classes[i]![l] === k)),
  );
}

function discretise(task: TaskProposal, values: readonly number[][]): number[][] {
  const discretiser = new Discretiser(task);
  return values.map((row) => [...discretiser.discretise(row)]);
}

function meanOf(rows: readonly number[][]): number[] {
  return rows[0]!.map((_, i) => sum(rows.map((row) => row[i]!)) / rows.length);
}

function scatter(rows: readonly number[][], mean: readonly number[]): Matrix {
  const centred = rows.map((row) => row.map((cell, i) => cell - mean[i]!));
  return mean.map((_, i) => mean.map((_unused, j) => sum(centred.map((row) => row[i]! * row[j]!))));
}

function combine(a: Matrix, b: Matrix, sign: 1 | -1): Matrix {
  return a.map((row, i) => row.map((cell, j) => cell + sign * b[i]![j]!));
}

function ridged(matrix: Matrix, ridge: number): Matrix {
  return matrix.map((row, i) => row.map((cell, j) => (i === j ? cell + ridge : cell)));
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
