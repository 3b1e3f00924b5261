/** A data user that puts other shares in: each answer is about another matrix, and several of them are the scatter matrix. */

import type { FlatResult } from '@eigenveil/methods';
import { pencil } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { placesOf, programOf, type Task } from '@eigenveil/task';
import { Matrix, SVD } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Setting, Trials, Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import { exactly } from '../in-process/exact.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { runTwoParty, type Shares, share, shifted } from '../in-process/two-party.ts';

/** Relative error below which a matrix has come out. */
const CLOSE = 1e-3;

type Answer = Pick<FlatResult, 'vectors' | 'eigenvalues'> & {
  /** The numbers that were added to the diagonal. */
  readonly added: readonly number[];
};

/** Returns the number that is added to the j-th diagonal entry of R, in its integers; 0 for an honest share. */
function diagonal(
  task: Task,
  place: number | undefined,
  size: number,
): { values: bigint[]; added: number[] } {
  const { R, length } = placesOf(task);
  const d = task.features.length;
  const added = Array.from({ length: d }, (_, i) => (i === place ? size : 0));
  const values = new Array<bigint>(length).fill(0n);
  let at = R.from;
  for (let i = 0; i < d; i += 1) {
    values[at] = BigInt(Math.round(added[i]! * 4 ** task.fractionBits));
    at += d - i;
  }
  return { values, added };
}

/** The symmetric S of least norm for which (S + X) v = λ v in every answer, as nearly as can be. */
function fromAnswers(d: number, answers: readonly Answer[]): number[][] {
  const place = (i: number, j: number) => {
    const [low, high] = i < j ? [i, j] : [j, i];
    return low * d - (low * (low - 1)) / 2 + high - low;
  };
  const equations: number[][] = [];
  const right: number[] = [];
  for (const { vectors, eigenvalues, added } of answers) {
    const v = vectors[0]!;
    for (let i = 0; i < d; i += 1) {
      const equation = new Array<number>((d * (d + 1)) / 2).fill(0);
      for (let j = 0; j < d; j += 1) equation[place(i, j)]! += v[j]!;
      equations.push(equation);
      right.push((eigenvalues[0]! - added[i]!) * v[i]!);
    }
  }
  const solved = new SVD(new Matrix(equations), { autoTranspose: true })
    .solve(Matrix.columnVector(right))
    .to1DArray();
  return Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_unused, j) => solved[place(i, j)]!));
}

function errorOf(task: Task, statistics: Statistics, answers: readonly Answer[]): number {
  const { A } = pencil({ ...programOf(task), minimumOwners: 1 }, statistics);
  const guess = fromAnswers(A.length, answers);
  return Math.hypot(...guess.flatMap((row, i) => row.map((x, j) => x - A[i]![j]!))) / Math.hypot(...A.flat());
}

async function ask(
  task: Task,
  { owners }: Statistics,
  shares: Shares,
  place: number | undefined,
  size: number,
): Promise<Answer> {
  const { values, added } = diagonal(task, place, size);
  const dataUser = shifted(task, shares.dataUser, values);
  const { result, code } = await runTwoParty(task, { owners }, { ...shares, dataUser });
  if (result === undefined) throw new Error(`expected an answer, got ${code}`);
  return { vectors: result.vectors, eigenvalues: result.eigenvalues, added };
}

/** `answers` of them for shifted matrices, beside an honest one. */
async function answered(
  setting: Setting,
  twoParty: 'garbled' | 'rotated',
  features: number,
  count: number,
): Promise<Trials> {
  const { scene, seed, note } = setting;
  const { proposal, cut } = smallTask(scene, { features, twoParty });
  const draws = new Draws(seed);
  const trials = { attack: [] as number[], control: [] as number[] };
  const errors = { attack: [] as number[], control: [] as number[] };
  for (let run = 0; run < count; run += 1) {
    note(`run ${run + 1}`);
    const task = agreed(proposal);
    const rows = cut(draws.some(scene.owners.flat(), 60));
    const statistics = pooledStatistics(proposal, [rows.slice(0, 30), rows.slice(30)]);
    const shares = share(task, statistics);
    // The numbers are as large as scatter may be in one direction; what is added stands out among the eigenvalues then.
    const size = rows.length;
    const places = Array.from({ length: features }, (_, i) => i);
    const several: Answer[] = [];
    for (const place of places) several.push(await ask(task, statistics, shares, place, size));
    const honest = await ask(task, statistics, shares, undefined, 0);
    for (const [side, answers] of [
      ['attack', several],
      ['control', [honest]],
    ] as const) {
      const error = errorOf(task, statistics, answers);
      errors[side].push(error);
      trials[side].push(Number(error < CLOSE));
    }
  }
  const middle = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
  return {
    kind: 'trials',
    ...trials,
    paired: true,
    baseline: 0,
    facts: {
      answers: features,
      'relative error of the scatter matrix, median': middle(errors.attack),
      'of one honest answer': middle(errors.control),
    },
  };
}

/** The number of answers that the CSP gives by default (S-36). */
const ANSWERS = 3;

const threeAnswers: Unworded = {
  id: 'deviation-three-answers',
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  expectation: 'admitted',
  claims: ['S-35', 'S-37'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
  run: (setting) => answered(setting, 'garbled', ANSWERS, setting.effort === 'quick' ? 1 : 10),
};

const rotatedAgain: Unworded = {
  ...threeAnswers,
  id: 'deviation-rotated-again',
  expectation: 'control',
  claims: ['S-44', 'S-45', 'S-57'],
  // Rotations are drawn again for each answer here; services keep one.
  async run(setting) {
    const { attack, facts } = await answered(setting, 'rotated', 4, setting.effort === 'quick' ? 2 : 16);
    return exactly(
      attack.map((success) => success === 1),
      'a matrix that comes out',
      { facts: facts! },
    );
  },
};

export const ANSWERING: readonly Unworded[] = [threeAnswers, rotatedAgain];
