/**
 * The command line eigenveil-user: the service and its tasks. What an action works with is loaded when it runs: --help and mistakes are
 * told at once.
 */
import {
  addSettings,
  ConfigurationError,
  checkConfiguration,
  createProgram,
  printResult,
  readJsonFile,
} from '@eigenveil/command';
import { addBackupCommands } from '@eigenveil/server/backup-command';
import { addKeyCommands } from '@eigenveil/server/key-command';
import { addIdentityCommand, addServeCommand } from '@eigenveil/server/service-commands';
import { PROPOSAL_SCHEMA, Scale, TaskProposal, TwoPartyName } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { z } from 'zod';
import type { draftPrivacy } from './draft-privacy.ts';
import { DATA_USER_SETTINGS } from './settings.ts';
import { addTaskCommands, PREFIX, tellEarlier, tellNoise } from './task-commands.ts';

const SERVE_EXAMPLE = `--data-directory /var/lib/eigenveil-user --host 0.0.0.0 --port 8444 \\
      --public-url https://user.example.org:8444 --tls-certificate fullchain.pem --tls-key privkey.pem \\
      --csp-url https://csp.example.org:8443 --csp-thumbprint THUMBPRINT   # as printed by: eigenveil-csp identity`;

export function dataUserProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-user',
    version: '0.1.0',
    description:
      'The data user: proposes tasks, collects encrypted contributions, computes the projection with the CSP.',
  });
  addServeCommand(program, PREFIX, DATA_USER_SETTINGS, SERVE_EXAMPLE, async (configuration) => {
    const { startDataUser } = await import('./server.ts');
    return startDataUser(configuration);
  });
  addIdentityCommand(program, PREFIX, "print the thumbprint of the service's key, which the CSP registers");
  const { dataDirectory, keyEncryptionKey, databaseUrl } = DATA_USER_SETTINGS;
  const places = { dataDirectory, keyEncryptionKey, databaseUrl };
  addKeyCommands(program, PREFIX, places, async (configuration) => {
    const { keyPlaceOf } = await import('./open-store.ts');
    return keyPlaceOf(configuration);
  });
  addBackupCommands(
    program,
    PREFIX,
    async () => (await import('./backup.ts')).DATA_USER_BACKUP,
    `Every task that the backup did not have as done or cancelled fails with ERR_TASK_RESTORED: contributions came later for which owners
have receipts. Propose such tasks anew.`,
    databaseUrl,
  );
  const task = program.command('task').description('propose tasks and see them through');
  addDraft(task);
  addTaskCommands(task);
  return program;
}

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
    scale: {
      schema: Scale.optional(),
      description:
        'of pca: covariance, or correlation, which standardises the features (default: covariance)',
      placeholder: 'SCALE',
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
        'two-party protocol: garbled; rotated, which reveals all eigenvalues and the numbers of rows (dca, lda, mdr: by class), of a correlation matrix also all variances; or simulated, which is NOT private',
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
    meanFirst: {
      schema: z.boolean(),
      description: 'draft the first of two tasks that share ε: it releases the mean',
      default: false,
    },
    around: {
      schema: z.string().optional(),
      description: 'draft the second of two tasks: ranges around the mean in the result of the first',
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Takes minima and maxima from the file, so use it only on data whose ranges may be public. With --epsilon, write the ranges
from domain knowledge into the draft before you consent to them there ("dataIndependentRanges"). "twoValued" says whether a
feature takes two values alone, as in the file: the mean of such a feature, if it is declared, tells its variance.

Two tasks that share ε give better components than one. Draft the first with --mean-first, and the second, with the same ε and δ,
--around the result of the first: its ranges lie around that mean, and rows are clipped to half as much. Only what the first has
spent is counted: a third task, --around the second or once more --around the first, spends more than ε and δ. If the CSP alone
added noise to the first task, the ranges of the second show it the exact mean, but for noise that it knows.

Example:
  $ eigenveil-user task draft --data sample.csv --method dca --labels label --components 1 --owners 10 > task.json`,
  );
  command.action(async () => {
    const settings = configuration();
    const {
      data,
      method,
      scale,
      labels,
      ignore,
      components,
      owners,
      samples,
      hours,
      twoParty,
      epsilon,
      delta,
      meanFirst,
      around,
    } = settings;
    const [{ checkTask, revealedByRotation }, { draftTask }] = await Promise.all([
      import('@eigenveil/task'),
      import('./draft.ts'),
    ]);
    const { rows, ...draft } = await asConfiguration(() =>
      draftTask(data, { method, scale, labels, ignore }),
    );
    if (epsilon === undefined && (meanFirst || around !== undefined))
      throw new ConfigurationError('"--mean-first" and "--around" expected with --epsilon, of both tasks');
    const wanted = epsilon === undefined ? undefined : { features: draft.features, epsilon, delta };
    const drafted = wanted && (await draftPrivacyOf(command, wanted, { meanFirst, around }));
    const declared = twoParty === 'rotated' ? revealedByRotation(draft.method) : [];
    const proposal = checkConfiguration(
      TaskProposal,
      {
        ...draft,
        ...drafted,
        components,
        maximumOwners: owners,
        minimumOwners: Math.max(2, Math.ceil(owners / 2)),
        maximumSamplesPerOwner: samples ?? rows,
        twoParty,
        outputs: meanFirst ? [...declared, 'mean'] : declared,
        deadline: new Date(Date.now() + hours * 3_600_000).toISOString(),
      },
      'draft',
    );
    await asConfiguration(async () => checkTask(proposal));
    await tellNoise(command, proposal);
    // The ranges are the file's, so that the consent is left to the person who mends them.
    const file = epsilon === undefined ? proposal : withoutConsent(proposal);
    const json = { $schema: PROPOSAL_SCHEMA, ...file };
    printResult(command, { json, text: JSON.stringify(json, null, 2) });
  });
}

async function draftPrivacyOf(
  command: Command,
  wanted: Parameters<typeof draftPrivacy>[0],
  { meanFirst, around }: { meanFirst: boolean; around: string | undefined },
) {
  const { draftAround, draftPrivacy, EarlierResult } = await import('./draft-privacy.ts');
  if (around === undefined) return asConfiguration(async () => draftPrivacy(wanted, meanFirst));
  const earlier = await readJsonFile('--around', around, EarlierResult);
  const draft = await asConfiguration(async () => draftAround(earlier, wanted));
  await tellEarlier(command, earlier);
  return draft;
}

function withoutConsent(proposal: TaskProposal) {
  return {
    ...proposal,
    differentialPrivacy: { ...proposal.differentialPrivacy, dataIndependentRanges: false },
  };
}

/** What is wrong with a draft is the file's or the flags' fault. */
async function asConfiguration<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [{ TaskError }, { ServiceError }, { PrivacyError }] = await Promise.all([
      import('@eigenveil/task'),
      import('@eigenveil/wire'),
      import('@eigenveil/privacy'),
    ]);
    const isKnown =
      error instanceof ServiceError || error instanceof TaskError || error instanceof PrivacyError;
    if (!isKnown) throw error;
    throw new ConfigurationError(`${error.code}: ${error.message}`, { cause: error });
  }
}
