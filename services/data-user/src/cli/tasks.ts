/** The commands of eigenveil-user that talk to a running service: its tasks, from proposal to the end. */
import { addSettings, isJson, printResult, readJsonFile } from '@eigenveil/command';
import { newTaskId, TaskId } from '@eigenveil/task/ids';
import { ProposalFile, TaskProposal } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { z } from 'zod';
import { CLIENT_SETTINGS, PREFIX, taskIdOf } from './settings.ts';

/** Adds all commands about a task except `draft` to the command `task`. */
export function addTaskCommands(task: Command): void {
  addCreate(task);
  addList(task);
  addStatus(task);
  addClose(task);
  addCancel(task);
  addRenew(task);
  addResult(task);
}

function addCreate(task: Command): void {
  const command = task
    .command('create')
    .description('propose a task to the CSP and open it for contributions');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    proposal: { schema: z.string().min(1), description: 'JSON file, see: task draft', placeholder: 'FILE' },
    id: {
      schema: TaskId.optional(),
      description: 'id of the task, to ask again for one whose answer was lost (default: a new one)',
      placeholder: 'TASK',
    },
  });
  command.addHelpText(
    'after',
    `\nExample:\n  $ eigenveil-user task create --proposal task.json --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user`,
  );
  command.action(async () => {
    const settings = configuration();
    const proposal = await readJsonFile('--proposal', settings.proposal, ProposalFile);
    const id = settings.id ?? newTaskId();
    const { createTask } = await import('./actions/proposal.ts');
    const signed = await createTask(command, proposal, id, settings);
    printResult(command, { json: signed, text: signed.task.id });
  });
}

function addList(task: Command): void {
  const command = task.command('list').description('list all tasks, the newest first');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async () => {
    const settings = configuration();
    const { openClient, TaskState } = await import('./actions/tasks.ts');
    await using client = await openClient(settings);
    const tasks = await client.list();
    const longestState = Math.max(...TaskState.options.map(({ length }) => length));
    const lines = tasks.map(
      ({ taskId, title, state, method, contributions, deadline }) =>
        // Last, since its length is not known, and in quotes, so that it cannot pass for anything else.
        `${taskId}  ${state.padEnd(longestState)}  ${method.kind}  ${contributions} contributions, until ${deadline}${title === undefined ? '' : `  ${JSON.stringify(title)}`}`,
    );
    printResult(command, { json: { tasks }, text: lines.join('\n') || 'no tasks' });
  });
}

function addStatus(task: Command): void {
  const command = task
    .command('status <TASK>')
    .description('show how far a task is, and who contributed, withdrew or was revoked');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    owners: {
      schema: z.boolean(),
      description: 'list owners, too, in the order in which they came',
      default: false,
    },
    after: {
      schema: z.int().min(0).max(999_999_999),
      description: 'with --owners: list those after the one with this number',
      default: 0,
      placeholder: 'NUMBER',
    },
  });
  command.action(async (id: string) => {
    const { owners: wanted, after, ...settings } = configuration();
    const taskId = taskIdOf(id);
    const { describeOwners, describeStatus, openClient } = await import('./actions/tasks.ts');
    await using client = await openClient(settings);
    const status = await client.status(taskId);
    const page = wanted ? await client.owners(taskId, after) : null;
    const lines = page === null ? [] : describeOwners(page);
    printResult(command, {
      json: page === null ? status : { ...status, ...page },
      text: [describeStatus(status), ...lines].join('\n'),
    });
  });
}

function addClose(task: Command): void {
  const command = task
    .command('close <TASK>')
    .description('end collection and compute; waits for the result unless --no-wait');
  command.option('--no-wait', 'return at once');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async (id: string, options: { wait: boolean }) => {
    const taskId = taskIdOf(id);
    const settings = configuration();
    const { describeStatus, openClient, requireNoFailure, waitUntilFinal } = await import(
      './actions/tasks.ts'
    );
    await using client = await openClient(settings);
    const closed = await client.closeTask(taskId);
    const status = options.wait ? await waitUntilFinal(client, closed, !isJson(command)) : closed;
    requireNoFailure(status);
    const hint =
      status.state === 'done' ? `; fetch the projection with: eigenveil-user task result ${taskId}` : '';
    printResult(command, { json: status, text: `${describeStatus(status)}${hint}` });
  });
}

function addCancel(task: Command): void {
  const command = task.command('cancel <TASK>').description('cancel a task and destroy its contributions');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async (id: string) => {
    const settings = configuration();
    const { describeStatus, openClient } = await import('./actions/tasks.ts');
    await using client = await openClient(settings);
    const status = await client.cancelTask(taskIdOf(id));
    printResult(command, { json: status, text: describeStatus(status) });
  });
}

function addRenew(task: Command): void {
  const command = task
    .command('renew <TASK>')
    .description('open the next task of a series: the same parameters, another key and deadline');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    deadline: {
      schema: TaskProposal.shape.deadline.optional(),
      description: 'deadline of the next task, UTC (default: as much time from now as TASK had)',
      placeholder: 'TIME',
    },
  });
  command.addHelpText(
    'after',
    `
TASK is the last task of the series, closed or at its end. DEADLINE is such as 2027-02-01T00:00:00Z, and at most 366 days ahead. Its renewal is made once: should no answer come, give the command again. Owners
whose policies agree to a series contribute to the next task by themselves (eigenveil-owner serve-series). Two results about nearly the
same rows tell more than each: see docs/privacy.md, "Series".

Example:
  $ eigenveil-user task renew TASK --deadline DEADLINE --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const taskId = taskIdOf(id);
    const { openClient } = await import('./actions/tasks.ts');
    await using client = await openClient(settings);
    const signed = await client.renew(taskId, settings.deadline);
    printResult(command, { json: signed, text: signed.task.id });
  });
}

function addResult(task: Command): void {
  const command = task
    .command('result <TASK>')
    .description('show the result of a task that is done, or write it to a file');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    out: {
      schema: z.string().optional(),
      description: 'file to write it to, as JSON unless --format says otherwise',
      placeholder: 'FILE',
    },
    format: {
      schema: z.enum(['json', 'csv']).optional(),
      description:
        'json: the projection with its signatures; csv: a line per component, of a histogram per bin, of ridge per weight (default: text, to be read)',
      placeholder: 'json|csv',
    },
    evidence: {
      schema: z.string().optional(),
      description:
        "where to write all that was signed about the result, JSON, for whoever has the CSP's thumbprint: eigenveil-owner verify",
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Shows eigenvalues, shares of the variance where the task declared trace or spectrum, who took part, and a scree plot. Notes tell of components
that are not what they seem; the remarks of csv and of --json with --out are their codes:
  not-found   the computation has not found the component
  no-classes  its eigenvalue may come from the ridges alone, so that class means need not differ along it
  zero        its eigenvalue may be zero, and its vector arbitrary
  mixed       its eigenvalue equals another one within what the arithmetic resolves: only the space of their vectors is certain
  noise       its eigenvalue is below the noise of differential privacy
  status      "converged" says little about it, since the eigenvalue is below 2^-10 of the first
All follow from what is released. docs/precision.md has the thresholds.

Example:
  $ eigenveil-user task result TASK --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user --out projection.json`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { printTaskResult } = await import('./actions/result.ts');
    await printTaskResult(command, id, settings);
  });
}
