/**
 * The work of `show` and `sql`: they say what a task reveals and whether the policy takes it, and write its
 * statement.
 */
import { type Command, type Configuration, printResult } from '@eigenveil/command';
import { methodOf } from '@eigenveil/methods';
import { type StatementOptions, sqlStatement } from '@eigenveil/statistics/sql';
import type { Task } from '@eigenveil/task/schema';
import { taskInWords } from '@eigenveil/task/title';
import type { Basis } from '../../owner/connection.ts';
import type { BrokenRule } from '../../owner/policy.ts';
import { describeFeatures, type Revealed, revealedBy } from '../../owner/reveals.ts';
import { requireNoBasis } from '../../rows/sources.ts';
import type { DATASET_SETTING, TaskSettings } from '../settings.ts';
import { openTask } from './owner.ts';

/**
 * Writes the statement that computes the statistics for a task.
 * @throws ERR_CONFIGURATION for a task that no statement sums, and as `sqlStatement`
 */
export async function statementOf(
  settings: TaskSettings & Required<StatementOptions>,
  id: string,
): Promise<{ readonly task: Task; readonly statement: string }> {
  await using session = await openTask(settings, id);
  const task = await session.owner.task(session.dataUser, session.taskId);
  requireNoBasis(task);
  const { dialect, from, columns } = settings;
  return { task, statement: sqlStatement(task, task.id, { dialect, from, columns }) };
}

/** Prints what a task reveals and to whom, and whether the policy and the budget accept it. */
export async function printTask(
  command: Command,
  settings: TaskSettings & Configuration<typeof DATASET_SETTING>,
  id: string,
): Promise<void> {
  await using session = await openTask(settings, id);
  const { owner, dataUser, taskId, policy } = session;
  const { task, basis, refined, broken } = await owner.inspect(dataUser, taskId);
  const overBudget = await owner.overBudget(task, settings.dataset);
  const { minimumClassRows } = policy;
  const reveals = revealedBy(task);
  const depends = minimumClassRows !== undefined && task.outputs.includes('classCounts');
  printResult(command, {
    json: {
      task,
      basis: basis.map(({ task: { id, method } }) => ({ taskId: id, method })),
      refines:
        refined === undefined
          ? null
          : { taskId: refined.task.id, vectors: refined.projection.vectors.length },
      reveals,
      budget: { takes: overBudget === null, reason: overBudget },
      policy: { takes: broken.length === 0, broken, minimumClassRows: depends ? minimumClassRows : null },
    },
    text: [
      ...describeTask(task, describeFeatures(task.features)),
      ...describeBasis(basis),
      ...(refined === undefined
        ? []
        : [
            `refines: the ${refined.projection.vectors.length} vectors of task ${refined.task.id}, countersigned by the CSP; they are the first columns of the sketch`,
          ]),
      ...describeRevealed(reveals),
      ...describeVerdict(broken),
      ...(overBudget === null
        ? []
        : ['', 'Your budget does not have what this task takes', `- ${overBudget}`]),
      ...(depends
        ? [
            `- unless the file has fewer than ${minimumClassRows} rows of a class that it has any of: no row was read yet`,
          ]
        : []),
    ].join('\n'),
  });
}

function describeTask(task: Task, described: string): string[] {
  const { id, title, method, features, labellings, twoParty, sketch, rangesFrom } = task;
  const { minimumOwners, maximumOwners, maximumSamplesPerOwner, deadline, keyBits } = task;
  const { words } = methodOf(task);
  return [
    `task ${taskInWords(id, title)}, signed by the CSP: ${method.kind}${words.matrix}, ${features.length} features, ${words.size(task)}, by ${twoParty}`,
    `from ${minimumOwners} to ${maximumOwners} owners with at most ${maximumSamplesPerOwner} rows each, until ${deadline}, keys of ${keyBits} bits`,
    `features: ${described}`,
    ...(rangesFrom === undefined
      ? []
      : [`the data user says that ranges follow from the noisy counts with the digest ${rangesFrom}`]),
    ...(sketch === undefined ? [] : [`a sketch of ${sketch.columns} columns: the result is approximate`]),
    ...labellings.map(({ column, classes }) => `labels: ${column} (${classes.join(', ')})`),
  ];
}

function describeBasis(basis: Basis): string[] {
  const [first] = basis;
  if (first === undefined) return [];
  const links = basis.map(({ task: { id, method } }) => `${method.kind} of task ${id}`).join(', then ');
  return [
    `stands on: ${links}, each countersigned by the CSP; rows have ${first.task.features.length} features: ${first.task.features.map(({ name }) => name).join(', ')}`,
  ];
}

const TITLES = {
  dataUser: 'The data user learns',
  owners: 'Owners learn',
  csp: 'The CSP learns',
  network: 'The network shows',
  rows: 'Of your rows',
} as const satisfies Record<keyof Revealed, string>;

function describeRevealed(reveals: Revealed): string[] {
  return Object.entries(TITLES).flatMap(([who, title]) => [
    '',
    title,
    ...reveals[who as keyof Revealed].map((line) => `- ${line}`),
  ]);
}

function describeVerdict(broken: readonly BrokenRule[]): string[] {
  if (broken.length === 0) return ['', 'Your policy allows this task'];
  return [
    '',
    'Your policy refuses this task',
    ...broken.flatMap(({ rule, change }) => [
      `- ${rule}`,
      ...Object.entries(change).map(
        ([name, value]) =>
          `  to take it: ${value === null ? `leave "${name}" out` : `"${name}": ${JSON.stringify(value)}`}`,
      ),
    ]),
  ];
}
