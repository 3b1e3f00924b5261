/** The command `task draft`: from a sample and flags to a proposal that has been checked, with notes on what it will cost and give. */
import {
  addSettings,
  type Command,
  ConfigurationError,
  checkConfiguration,
  printResult,
  readJsonFile,
} from '@eigenveil/command';
import {
  ClosesWhen,
  Output,
  proposalSchemaUrl,
  Scale,
  TaskProposal,
  TwoPartyName,
} from '@eigenveil/task/schema';
import { z } from 'zod';
import type { draftPrivacy } from './draft-privacy.ts';
import { asConfiguration, tellNotes } from './notes.ts';
import { PREFIX } from './task-commands.ts';

/** Adds it to the command `task`. */
export function addDraft(task: Command): void {
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
    form: {
      schema: z.enum(['standard', 'book']).optional(),
      description: 'of dca: standard, or book, which has as many components as features (default: standard)',
      placeholder: 'FORM',
    },
    ridge: {
      schema: z.number().min(0).optional(),
      description: 'ρ of dca, lda and mdr, in units of the scatter of features in [−1, 1] (default: 1)',
      placeholder: 'NUMBER',
    },
    signalRidge: {
      schema: z.number().optional(),
      description: 'ρ′ of dca (default: 0)',
      placeholder: 'NUMBER',
    },
    labels: {
      schema: z.array(z.string()),
      description: 'label columns, with commas between, or as a JSON list',
      default: [],
      placeholder: 'LIST',
    },
    ignore: {
      schema: z.array(z.string()),
      description: 'columns to leave out, with commas between, or as a JSON list',
      default: [],
      placeholder: 'LIST',
    },
    components: { schema: z.int().min(1), description: 'number of components', placeholder: 'NUMBER' },
    owners: { schema: z.int().min(2), description: 'largest number of owners', placeholder: 'NUMBER' },
    minimumOwners: {
      schema: z.int().min(2).optional(),
      description: 'fewest owners whose contributions are decrypted (default: half of --owners)',
      placeholder: 'NUMBER',
    },
    maximumSamples: {
      schema: z.int().min(1).optional(),
      description:
        "largest number of samples per owner (default: ten times the file's rows, rounded up, at least 1000)",
      placeholder: 'NUMBER',
    },
    outputs: {
      schema: z.array(Output),
      description: `what the result has beyond vectors and eigenvalues, with commas between: ${Output.options.join(', ')}`,
      default: [],
      placeholder: 'LIST',
    },
    allowFullRank: {
      schema: z.boolean(),
      description: 'consent to a result that tells the whole scatter matrix',
      default: false,
    },
    hours: {
      schema: z.int().min(1),
      description: 'hours until the deadline',
      default: 72,
      placeholder: 'NUMBER',
    },
    closes: {
      schema: z.array(ClosesWhen),
      description:
        'when the task closes without the operator: deadline, full (as many owners as there may be), or both with a comma between (default: never)',
      default: [],
      placeholder: 'LIST',
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

A column that is named like labels (label, class, target, outcome, diagnosis, category, species or y as its name's last word) and has
at most twenty different whole numbers must stand in --labels or in --ignore. Notes say what the sample lets expect; nothing of them
is in the draft. Every member is explained in docs/tasks.md.

Two tasks that share ε give better components than one. Draft the first with --mean-first, and the second, with the same ε and δ,
--around the result of the first: its ranges lie around that mean, and rows are clipped to half as much. Only what the first has
spent is counted: a third task, --around the second or once more --around the first, spends more than ε and δ. If the CSP alone
added noise to the first task, the ranges of the second show it the exact mean, but for noise that it knows.

Example:
  $ eigenveil-user task draft --data sample.csv --method dca --labels label --components 1 --owners 10 > task.json`,
  );
  command.action(async () => {
    const settings = configuration();
    const { data, epsilon, delta, meanFirst, around } = settings;
    const [{ proposalOf, withoutConsent }, { checkComputable }, { draftTask }] = await Promise.all([
      import('./draft-proposal.ts'),
      import('@eigenveil/two-party/plan'),
      import('./draft-file.ts'),
    ]);
    const draft = await asConfiguration(() => draftTask(data, settings));
    if (epsilon === undefined && (meanFirst || around !== undefined))
      throw new ConfigurationError('"--mean-first" and "--around" expected with --epsilon, of both tasks');
    const wanted = epsilon === undefined ? undefined : { features: draft.features, epsilon, delta };
    const privacy = wanted ? await draftPrivacyOf(command, wanted, { meanFirst, around }) : null;
    const outputs = [...settings.outputs, ...(meanFirst ? (['mean'] as const) : [])];
    const wishes = { ...settings, outputs };
    const proposal = checkConfiguration(TaskProposal, proposalOf(draft, wishes, privacy), 'draft');
    await asConfiguration(async () => checkComputable(proposal));
    await tellNotes(command, async () => {
      const [{ describeTask }, { describeSample }, { readFileBytes }] = await Promise.all([
        import('./describe-task.ts'),
        import('./describe-sample.ts'),
        import('@eigenveil/statistics'),
      ]);
      const ofSample = await describeSample(readFileBytes(data), proposal);
      return [...(await describeTask(proposal)), ...ofSample];
    });
    const json = { $schema: proposalSchemaUrl(), ...withoutConsent(proposal) };
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
  await tellNotes(command, async () => (await import('./describe-privacy.ts')).describeEarlier(earlier));
  return draft;
}
