/** The same projection by the path of a task: features with ranges, discretised rows, exact integer statistics, one owner for each person. */

import { randomBytes } from 'node:crypto';
import { methodOf } from '@eigenveil/methods';
import { Discretiser, type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import {
  checkTask,
  type DifferentialPrivacy,
  newTaskId,
  type Task,
  TaskProposal,
  Thumbprint,
} from '@eigenveil/task';
import { type Person, type Row, signedLogarithm } from '../people.ts';
import type { Setting } from './settings.ts';

type Ranges = readonly (readonly [least: number, largest: number])[];

/** Features are signed logarithms, which devices take before they contribute. The data user tells all of them the unit and the ranges. */
export function taskOf(
  { method, components, ridge }: Pick<Setting, 'method' | 'components' | 'ridge'>,
  people: readonly Person[],
  ranges: Ranges,
  differentialPrivacy: DifferentialPrivacy | null = null,
): Task {
  if (method !== 'pca' && method !== 'dca') throw new Error(`no task of the study is of ${method}`);
  const taskMethod =
    method === 'pca' ? { kind: method } : { kind: method, form: 'standard' as const, ridge, signalRidge: 0 };
  const thumbprint = Thumbprint.parse(randomBytes(32).toString('base64url'));
  const proposal = TaskProposal.parse({
    method: taskMethod,
    features: ranges.map(([min, max], i) => ({ name: `feature ${i + 1}`, min, max })),
    labellings:
      method === 'pca' ? [] : [{ column: 'person', classes: people.map(({ name }) => `person ${name}`) }],
    components,
    minimumOwners: 2,
    maximumOwners: people.length,
    maximumSamplesPerOwner: Math.max(...people.map(({ rows }) => rows.length)),
    keyBits: 2048,
    encryption: 'djn', // several times faster than 'standard'
    twoParty: 'rotated',
    outputs: [...methodOf({ method: taskMethod }).revealedByRotation, 'mean'],
    differentialPrivacy,
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
  checkTask(proposal);
  return { ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: thumbprint, dataUser: thumbprint };
}

/** The change that a device makes to a row before it is projected: as the task has it, on [−1, 1] again. */
export function preparationBy(task: Task, logUnit: number): (row: Row) => number[] {
  const discretiser = new Discretiser(task);
  return (row) =>
    discretiser
      .discretise(row.map((x) => signedLogarithm(x, logUnit)))
      .map((cell) => cell / 2 ** task.fractionBits);
}

/** Each person's contribution. */
export function statisticsOf(task: Task, people: readonly Person[], logUnit: number): Statistics[] {
  const discretiser = new Discretiser(task);
  return people.map(({ rows }, person) => {
    const accumulator = new StatisticsAccumulator(task);
    for (const row of rows) {
      const discrete = discretiser.discretise(row.map((x) => signedLogarithm(x, logUnit)));
      accumulator.add(discrete, task.method.kind === 'pca' ? [] : [person]);
    }
    return accumulator.statistics();
  });
}
