/**
 * The commands of eigenveil-user that talk to a running service: its tasks, from proposal to the end. What an action works with is loaded
 * when it runs: --help and mistakes are told at once.
 */
import {
  addSettings,
  COMMAND_CODES,
  every,
  LINE_MILLISECONDS,
  printResult,
  readCertificates,
  readJsonFile,
  readTextFile,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { adminTokenFile } from '@eigenveil/server/settings';
import { type DifferentialPrivacy, newTaskId, ProposalFile, TaskId } from '@eigenveil/task/schema';
import type { TaskOwners, TaskStatus } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import { describeProgress } from '../advice/describe/progress.ts';
import type { TaskClient } from '../client/tasks.ts';
import { asConfiguration, tellNotes } from './notes.ts';

/** Of settings in the environment. */
export const PREFIX = 'EIGENVEIL_USER';
/** Every request of theirs can be sent again. */
const PATIENCE_MILLISECONDS = 5000;

/** Settings of the commands that talk to a running service. */
export const CLIENT_SETTINGS = {
  url: {
    schema: ServiceUrl,
    description: 'address of the data user service',
    default: 'https://127.0.0.1:8444',
    placeholder: 'URL',
  },
  ca: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
  dataDirectory: {
    schema: z.string().optional(),
    description: "the service's data directory, to find the operator's token",
    placeholder: 'DIR',
  },
  adminToken: {
    schema: z.string().optional(),
    description: "the operator's token; better in the environment than here",
    placeholder: 'TOKEN',
  },
} as const;

/** Adds them to the command `task`. */
export function addTaskCommands(task: Command): void {
  addCreate(task);
  addList(task);
  addStatus(task);
  addClose(task);
  addCancel(task);
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
    await asConfiguration(async () => (await import('@eigenveil/two-party/plan')).checkComputable(proposal));
    await tellNotes(command, async () => [
      ...(await (await import('../advice/describe/task.ts')).describeTask(proposal)),
      `task ${id}; should no answer come, give the command again with --id ${id}`,
    ]);
    const signed = await withClient(settings, (client) => client.create(proposal, id));
    printResult(command, { json: signed, text: signed.task.id });
  });
}

function addList(task: Command): void {
  const command = task.command('list').description('list all tasks, the newest first');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async () => {
    const tasks = await withClient(configuration(), (client) => client.list());
    const { TaskState } = await import('@eigenveil/wire');
    const longestState = Math.max(...TaskState.options.map(({ length }) => length));
    const lines = tasks.map(
      ({ taskId, state, method, contributions, deadline }) =>
        `${taskId}  ${state.padEnd(longestState)}  ${method.kind}  ${contributions} contributions, until ${deadline}`,
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
    const [status, page] = await withClient(settings, async (client) => [
      await client.status(taskId),
      wanted ? await client.owners(taskId, after) : null,
    ]);
    const lines = page === null ? [] : describeOwners(page);
    printResult(command, {
      json: page === null ? status : { ...status, ...page },
      text: [describe(status), ...lines].join('\n'),
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
    const status = await withClient(configuration(), async (client) => {
      const closed = await client.closeTask(taskId);
      return options.wait ? waitUntilFinal(client, closed, command.optsWithGlobals().json !== true) : closed;
    });
    if (status.failure !== undefined) {
      const { CODES } = await import('@eigenveil/wire');
      throw new CodedError(CODES[status.failure.code], status.failure.message);
    }
    const hint =
      status.state === 'done' ? `; fetch the projection with: eigenveil-user task result ${taskId}` : '';
    printResult(command, { json: status, text: `${describe(status)}${hint}` });
  });
}

function addCancel(task: Command): void {
  const command = task.command('cancel <TASK>').description('cancel a task and destroy its contributions');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async (id: string) => {
    const status = await withClient(configuration(), (client) => client.cancelTask(taskIdOf(id)));
    printResult(command, { json: status, text: describe(status) });
  });
}

/** Work with a client of the running service, which its operator may use. */
export async function withClient<T>(
  settings: {
    url: string;
    ca?: string | undefined;
    dataDirectory?: string | undefined;
    adminToken?: string | undefined;
  },
  work: (client: TaskClient) => Promise<T>,
): Promise<T> {
  const { url, ca, dataDirectory, adminToken } = settings;
  if (adminToken === undefined && dataDirectory === undefined) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"adminToken" is missing: give --data-directory of the service, or ${PREFIX}_ADMIN_TOKEN`,
    );
  }
  const { TaskClient } = await import('../client/tasks.ts');
  const client = new TaskClient({
    url,
    ca: await readCertificates('--ca', ca),
    patienceMilliseconds: PATIENCE_MILLISECONDS,
    adminToken: adminToken ?? (await readTextFile('--data-directory', adminTokenFile(dataDirectory!))).trim(),
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function waitUntilFinal(client: TaskClient, closed: TaskStatus, talks: boolean): Promise<TaskStatus> {
  let told = describe(closed);
  const isDue = every(LINE_MILLISECONDS);
  return client.untilFinal(closed.taskId, (status) => {
    const isNews = describe(status) !== told;
    told = describe(status);
    if (talks && (isDue() || isNews)) process.stderr.write(`${told}\n`);
  });
}

export function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"TASK" expected a task id of 22 characters, as printed by: task create',
    );
  return id.data;
}

/** Whom an open task waits for; all else says the state. */
const WAITS: Readonly<Partial<Record<TaskStatus['waitsFor']['code'], string>>> = {
  contributions: 'below the minimum of owners',
  close: 'enough to close it',
  end: 'enough; it closes by itself',
  'close full': 'no more can come; close it',
  'close overdue': 'the deadline has passed; close it',
  closing: 'it closes by itself now',
  cancel:
    'the deadline has passed with fewer than the minimum of owners: it stays open until you cancel it, or it was kept long enough',
};

function describe(status: TaskStatus): string {
  const { state, contributions, failure, waiting, progress, differentialPrivacy, waitsFor } = status;
  const whom = state === 'open' && WAITS[waitsFor.code] !== undefined ? `; ${WAITS[waitsFor.code]}` : '';
  const reason = failure === undefined ? '' : `; ${failure.code}: ${failure.message}`;
  const cause = waiting === undefined ? '' : `; waiting to try again: ${waiting.code}: ${waiting.message}`;
  const far = progress === undefined ? '' : `; ${describeProgress(progress)}`;
  const guarantee = differentialPrivacy === null ? '' : `, ${describeGuarantee(differentialPrivacy)}`;
  return `${state}, ${contributions} contributions${guarantee}${whom}${far}${reason}${cause}`;
}

function describeOwners({ owners, more }: TaskOwners): string[] {
  const lines = owners.map(({ number, ownerId, contributedAt, withdrawn }) => {
    const came = contributedAt === null ? 'has not contributed' : `contributed ${contributedAt}`;
    return `${number}  ${ownerId}  ${came}${withdrawn ? ', withdrew or was revoked' : ''}`;
  });
  return more ? [...lines, `there are more: --after ${owners.at(-1)!.number}`] : lines;
}

/** The budget of a task, all of which its result spends. */
function describeGuarantee({ epsilon, delta, neighbours }: DifferentialPrivacy): string {
  return `a result spends (ε, δ) = (${epsilon}, ${delta}) of privacy per row, ${neighbours}`;
}
