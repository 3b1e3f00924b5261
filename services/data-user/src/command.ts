/** The command line eigenveil-user: the service and its tasks. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addSettings,
  ConfigurationError,
  checkConfiguration,
  createProgram,
  onShutdown,
  printResult,
  readJsonFile,
  readTextFile,
} from '@eigenveil/command';
import {
  addBackupCommands,
  addKeyCommands,
  adminTokenFile,
  databaseFile,
  openSigningKey,
  SERVICE_SETTINGS,
} from '@eigenveil/server';
import {
  checkTask,
  ServiceError,
  ServiceUrl,
  TaskId,
  TaskProposal,
  type TaskStatus,
  TwoPartyName,
} from '@eigenveil/wire';
import type { Command } from 'commander';
import { z } from 'zod';
import { DATA_USER_BACKUP } from './backup.ts';
import { describeGuarantee, describeNoise } from './describe-privacy.ts';
import { draftTask } from './draft.ts';
import { describeProgress } from './progress.ts';
import { DATA_USER_SETTINGS, startDataUser } from './server.ts';
import { SqliteDataUserStore } from './sqlite-store.ts';
import { TaskClient } from './task-client.ts';

const PREFIX = 'EIGENVEIL_USER';
const POLL_MILLISECONDS = 300;

export function dataUserProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-user',
    version: '0.1.0',
    description:
      'The data user: proposes tasks, collects encrypted contributions, computes the projection with the CSP.',
  });
  addServe(program);
  addIdentity(program);
  addKeyCommands(program, PREFIX, (dataDirectory) => new SqliteDataUserStore(databaseFile(dataDirectory)));
  addBackupCommands(
    program,
    PREFIX,
    DATA_USER_BACKUP,
    `Every task that the backup did not have as done or cancelled fails with ERR_TASK_RESTORED: contributions came later for which owners
have receipts. Propose such tasks anew.`,
  );
  const task = program.command('task').description('propose tasks and see them through');
  addDraft(task);
  addCreate(task);
  addStatus(task);
  addClose(task);
  addCancel(task);
  addResult(task);
  return program;
}

function addServe(program: Command): void {
  const command = program.command('serve').description('run the service until it is told to stop');
  const configuration = addSettings(command, PREFIX, DATA_USER_SETTINGS);
  command.addHelpText(
    'after',
    `
Every setting can also be given in the environment (${PREFIX}_PORT=8443) or in a JSON file (--config user.json).

Example:
  $ eigenveil-user serve --data-directory /var/lib/eigenveil-user --host 0.0.0.0 --port 8444 \\
      --public-url https://user.example.org:8444 --tls-certificate fullchain.pem --tls-key privkey.pem \\
      --csp-url https://csp.example.org:8443 --csp-thumbprint THUMBPRINT   # as printed by: eigenveil-csp identity`,
  );
  command.action(async () => {
    const dataUser = await startDataUser(configuration());
    onShutdown(['SIGTERM', 'SIGINT'], () => dataUser.close());
    process.on('SIGHUP', () => void dataUser.reloadCertificate());
    const { url, thumbprint } = dataUser;
    printResult(command, {
      json: { event: 'listening', url, thumbprint },
      text: `eigenveil-user listens on ${url}, identity ${thumbprint}`,
    });
  });
}

function addIdentity(program: Command): void {
  const command = program
    .command('identity')
    .description("print the thumbprint of the service's key, which the CSP registers");
  const configuration = addSettings(command, PREFIX, { dataDirectory: SERVICE_SETTINGS.dataDirectory });
  command.action(async () => {
    const { thumbprint, publicJwk } = await openSigningKey(configuration().dataDirectory);
    printResult(command, { json: { thumbprint, publicKey: publicJwk }, text: thumbprint });
  });
}

/** Settings of the commands that talk to a running service. */
const CLIENT_SETTINGS = {
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

function addDraft(task: Command): void {
  const command = task.command('draft').description('write a task proposal from a CSV file, to be edited');
  const configuration = addSettings(command, PREFIX, {
    data: { schema: z.string().min(1), description: 'CSV file with a header row', placeholder: 'FILE' },
    method: {
      schema: z.enum(['pca', 'dca', 'lda', 'mdr']),
      description: 'pca, dca, lda or mdr',
      default: 'pca',
      placeholder: 'METHOD',
    },
    labels: {
      schema: z.array(z.string()),
      description: 'label column, or a JSON list of them',
      default: [],
      placeholder: 'LIST',
    },
    ignore: {
      schema: z.array(z.string()),
      description: 'column to leave out, or a JSON list of them',
      default: [],
      placeholder: 'LIST',
    },
    components: { schema: z.int().min(1), description: 'number of components', placeholder: 'NUMBER' },
    owners: { schema: z.int().min(2), description: 'largest number of owners', placeholder: 'NUMBER' },
    samples: {
      schema: z.int().min(1).optional(),
      description: 'largest number of samples per owner (default: rows of the file)',
      placeholder: 'NUMBER',
    },
    hours: {
      schema: z.int().min(1),
      description: 'hours until the deadline',
      default: 72,
      placeholder: 'NUMBER',
    },
    twoParty: {
      schema: TwoPartyName,
      description:
        'two-party protocol: garbled; rotated (pca only, reveals all eigenvalues and the number of rows); or simulated, which is NOT private',
      default: 'garbled',
      placeholder: 'NAME',
    },
    epsilon: {
      schema: z.number().positive().optional(),
      description: 'ε of differential privacy (default: none)',
      placeholder: 'NUMBER',
    },
    delta: {
      schema: z.number().positive(),
      description: 'δ of differential privacy',
      default: 1e-6,
      placeholder: 'NUMBER',
    },
  });
  command.addHelpText(
    'after',
    `
Takes minima and maxima from the file, so use it only on data whose ranges may be public. With --epsilon, write the ranges
from domain knowledge into the draft before you consent to them there ("dataIndependentRanges").

Example:
  $ eigenveil-user task draft --data sample.csv --method dca --labels label --components 1 --owners 10 > task.json`,
  );
  command.action(async () => {
    const settings = configuration();
    const { data, method, labels, ignore, components, owners, samples, hours, twoParty, epsilon, delta } =
      settings;
    const { rows, ...draft } = await asConfiguration(() => draftTask(data, { method, labels, ignore }));
    const proposal = checkConfiguration(
      TaskProposal,
      {
        ...draft,
        components,
        maximumOwners: owners,
        minimumOwners: Math.max(2, Math.ceil(owners / 2)),
        maximumSamplesPerOwner: samples ?? rows,
        twoParty,
        outputs: twoParty === 'rotated' ? ['sampleCount', 'spectrum'] : [],
        ...(epsilon !== undefined && {
          differentialPrivacy: draftPrivacy(epsilon, delta, draft.features.length),
        }),
        deadline: new Date(Date.now() + hours * 3_600_000).toISOString(),
      },
      'draft',
    );
    await asConfiguration(async () => checkTask(proposal));
    tellNoise(command, proposal);
    // The ranges are the file's, so that the consent is left to the person who mends them.
    const json = epsilon === undefined ? proposal : withoutConsent(proposal);
    printResult(command, { json, text: JSON.stringify(json, null, 2) });
  });
}

function tellNoise(command: Command, proposal: TaskProposal): void {
  if (command.optsWithGlobals().json === true) return;
  const { writeErr } = command.configureOutput();
  for (const line of describeNoise(proposal)) writeErr?.(`note: ${line}\n`);
}

/** Half of what no row exceeds: all rows then take a quarter of the noise, and longer ones are scaled down. */
function draftPrivacy(epsilon: number, delta: number, features: number) {
  return {
    epsilon,
    delta,
    neighbours: 'add-remove',
    clippingNorm: Math.sqrt(features) / 2,
    dataIndependentRanges: true,
  };
}

function withoutConsent(proposal: TaskProposal) {
  return {
    ...proposal,
    differentialPrivacy: { ...proposal.differentialPrivacy, dataIndependentRanges: false },
  };
}

function addCreate(task: Command): void {
  const command = task
    .command('create')
    .description('propose a task to the CSP and open it for contributions');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    proposal: { schema: z.string().min(1), description: 'JSON file, see: task draft', placeholder: 'FILE' },
  });
  command.addHelpText(
    'after',
    `\nExample:\n  $ eigenveil-user task create --proposal task.json --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user`,
  );
  command.action(async () => {
    const settings = configuration();
    const proposal = await readJsonFile('--proposal', settings.proposal, TaskProposal);
    const signed = await withClient(settings, (client) => client.create(proposal));
    tellNoise(command, proposal);
    printResult(command, { json: signed, text: signed.task.id });
  });
}

function addStatus(task: Command): void {
  const command = task.command('status <TASK>').description('show how far a task is');
  const configuration = addSettings(command, PREFIX, CLIENT_SETTINGS);
  command.action(async (id: string) => {
    const status = await withClient(configuration(), (client) => client.status(taskIdOf(id)));
    printResult(command, { json: status, text: describe(status) });
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
    if (status.failure !== undefined) throw new ServiceError(status.failure.code, status.failure.message);
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

function addResult(task: Command): void {
  const command = task.command('result <TASK>').description('fetch the projection of a task that is done');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    out: {
      schema: z.string().optional(),
      description: 'file to write it to (default: standard output)',
      placeholder: 'FILE',
    },
  });
  command.action(async (id: string) => {
    const settings = configuration();
    const projection = await withClient(settings, (client) => client.result(taskIdOf(id)));
    if (settings.out === undefined) {
      printResult(command, { json: projection, text: JSON.stringify(projection, null, 2) });
      return;
    }
    await writeFile(settings.out, `${JSON.stringify(projection, null, 2)}\n`);
    printResult(command, { json: { file: settings.out }, text: `written to ${settings.out}` });
  });
}

async function withClient<T>(
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
    throw new ConfigurationError(
      `"adminToken" is missing: give --data-directory of the service, or ${PREFIX}_ADMIN_TOKEN`,
    );
  }
  const client = new TaskClient({
    url,
    ca: ca === undefined ? undefined : await readTextFile('--ca', ca),
    adminToken: adminToken ?? (await readTextFile('--data-directory', adminTokenFile(dataDirectory!))).trim(),
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function waitUntilFinal(client: TaskClient, closed: TaskStatus, talks: boolean): Promise<TaskStatus> {
  let status = closed;
  while (!['done', 'failed', 'cancelled'].includes(status.state)) {
    await sleep(POLL_MILLISECONDS);
    const next = await client.status(status.taskId);
    if (talks && describe(next) !== describe(status)) process.stderr.write(`${describe(next)}\n`);
    status = next;
  }
  return status;
}

/** What is wrong with a draft is the file's or the flags' fault. */
async function asConfiguration<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ConfigurationError(`${error.code}: ${error.message}`, { cause: error });
  }
}

function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success)
    throw new ConfigurationError('"TASK" expected a task id of 22 characters, as printed by: task create');
  return id.data;
}

function describe(status: TaskStatus): string {
  const { state, contributions, failure, waiting, progress, differentialPrivacy } = status;
  const reason = failure === undefined ? '' : `: ${failure.code}: ${failure.message}`;
  const cause = waiting === undefined ? '' : `; waiting to try again: ${waiting.code}: ${waiting.message}`;
  const far = progress === undefined ? '' : `; ${describeProgress(progress)}`;
  const guarantee = differentialPrivacy === null ? '' : `, ${describeGuarantee(differentialPrivacy)}`;
  return `${state}${reason}, ${contributions} contributions${guarantee}${far}${cause}`;
}
