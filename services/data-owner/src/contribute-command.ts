/** The command `contribute` of eigenveil-owner. What its action works with is loaded when it runs: --help and mistakes are told at once. */
import {
  addSettings,
  type Configuration,
  ConfigurationError,
  CSV_HELP,
  clippedByName,
  printNote,
  printResult,
  warnOfClipped,
  warnOfSkipped,
} from '@eigenveil/command';
import type { Task } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { z } from 'zod';
import { ROW_SETTINGS, rowsOf, sumsOf } from './rows.ts';
import { DATASET_SETTING, PREFIX, TASK_SETTINGS, withTask } from './settings.ts';

const PROGRESS_MILLISECONDS = 2000;

const POLICY_HELP = `
The policy (--policy FILE) says what the owner agrees to; a task that breaks it is refused before a row is read:
  { "minimumOwners": 5, "minimumKeyBits": 3072, "twoParty": ["garbled"], "maximumComponents": 20,
    "allowSpectrum": false, "allowFullRank": false, "allowVariances": false, "minimumClassRows": 10,
    "allowWithoutDifferentialPrivacy": false, "maximumEpsilon": 1, "maximumDelta": 1e-6,
    "neighbours": "add-remove", "noise": "servers", "colludingOwners": 1,
    "totalEpsilon": 3, "totalDelta": 1e-6, "answers": { "rotated": 1, "others": 1 },
    "series": { "most": 12, "shortestIntervalHours": 600, "totalEpsilon": 3 } }
allowSpectrum consents to all eigenvalues: with the two-party protocol rotated to those of the total scatter and, for dca, lda and mdr, of the
pencil. minimumClassRows consents to numbers of rows by class, which such tasks reveal, if this owner has that many rows of each class that it has
any of; where no other owner has the class, the number is its own. Without it such tasks are refused.
allowVariances consents to a PCA of the correlation matrix, whose vectors tell the variances of features.
colludingOwners is for tasks whose owners add the noise: minimumOwners must be at least honestOwners and so many more.
series consents to tasks that renew others (serve-series): so many tasks, the first one
counted, so long apart, with so much ε together. Two results over nearly the same rows tell together what came or went between them:
all rows of an owner's if it came or went (docs/privacy.md, "Series"). Without it such tasks are refused.
totalEpsilon and totalDelta are for all tasks together that rows of one --dataset are contributed to. answers says how many of them may be without
differential privacy, since results over the same rows are compared with each other: 1 by rotated and 1 by other protocols where nothing
is said. A task is charged before anything is sent, for good: see budget.`;

/** What tells whose rows of where are contributed, to whom and by which policy. */
export const CONTRIBUTE_SETTINGS = {
  ...TASK_SETTINGS,
  ...DATASET_SETTING,
  statistics: {
    schema: z.string().min(1).optional(),
    description:
      'instead of rows: the result of the statement that "eigenveil-owner sql" prints, CSV or JSON',
    placeholder: 'FILE',
  },
  ignore: {
    schema: z.array(z.string()),
    description: 'columns of the file to leave out, with commas between or as a JSON list',
    default: [],
    placeholder: 'LIST',
  },
  ...ROW_SETTINGS,
  numericLabels: {
    schema: z.boolean(),
    description: 'take a label that is the same number as a class for that class: 2.0 for 2',
    default: false,
  },
  strict: {
    schema: z.boolean(),
    description: "refuse cells outside their feature's range instead of clipping them",
    default: false,
  },
  discardPending: {
    schema: z.boolean(),
    description: 'give up what was prepared from another file and has no receipt',
    default: false,
  },
} as const;

export function addContribute(program: Command): void {
  const command = program
    .command('contribute <TASK>')
    .description("contribute the encrypted statistics of a file's rows to a task");
  const configuration = addSettings(command, PREFIX, CONTRIBUTE_SETTINGS);
  command.addHelpText(
    'after',
    `${POLICY_HELP}
${CSV_HELP}

Parquet and --query are read by DuckDB (an error says what to install); docs/rows.md says what their values mean. All files that a
pattern names are rows of this one owner: 'month=*/*.parquet'. Rows that are too many for one machine are summed by their database: see sql.

Running it again after a lost answer reads the file again and sends the same bytes; once there is a receipt, it shows the receipt and
reads nothing. Other rows than those of a contribution without a receipt are refused (ERR_CONTRIBUTION_PENDING): give the first file
again, or withdraw, which is for good, or give the first one up with --discard-pending. The last is not possible where owners add the noise
of differential privacy, since noise is drawn once.

Example:
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data rows.csv --ignore id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data 'month=*/*.parquet' --ignore month,id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --query rows.sql --database visits.duckdb`,
  );
  command.action((id: string) => contributeTo(command, configuration(), id));
}

/** Reads the rows, contributes them, and says so; as often as it takes. */
export async function contributeTo(
  command: Command,
  settings: Configuration<typeof CONTRIBUTE_SETTINGS>,
  id: string,
): Promise<void> {
  const { dataset, discardPending, ignore, statistics: sums, strict, numericLabels } = settings;
  if (sums !== undefined && (settings.data ?? settings.query ?? settings.database) !== undefined)
    throw new ConfigurationError('"--statistics" expected without "--data", "--query" and "--database"');
  const rows = sums === undefined ? rowsOf(settings) : undefined;
  let sourceDigest: string | undefined;
  const read = async (task: Task) => {
    if (rows === undefined) {
      const { statistics, digest } = await sumsOf(sums!, task, settings);
      sourceDigest = digest;
      return statistics;
    }
    const { statisticsOfRows } = await import('@eigenveil/statistics');
    const options = { strict, numericLabels, ignoredColumns: ignore, onProgress: progressOn(command) };
    const statistics = await statisticsOfRows(task, options, (all) => rows.read(task, all));
    sourceDigest = rows.digest();
    return statistics;
  };
  const { constantFeatures } = await import('@eigenveil/task');
  let summary: Summary | undefined;
  const summarise = async (task: Task) => {
    const { statistics, clippedCells, clippedRows, skippedRows, ...counted } = await read(task);
    const names = task.features.map(({ name }) => name);
    summary = {
      rows: counted.rows,
      clipped: clippedByName(names, clippedCells),
      clippedRows,
      skippedRows,
      constant: constantFeatures(task),
    };
    return statistics;
  };
  const receipt = await withTask(settings, id, (owner, dataUser, taskId) =>
    owner.contribute(dataUser, taskId, summarise, {
      dataset,
      discardPending,
      sourceDigest: () => sourceDigest,
      onUncounted: (reason) =>
        printNote(
          command,
          `warning: the CSP could not be asked whether this home was put back from a backup: ${reason}`,
        ),
    }),
  );
  if (summary !== undefined) warn(command, summary);
  printResult(command, {
    json: { receipt, repeated: summary === undefined, ...summary },
    text:
      summary === undefined
        ? `contributed before, with the receipt of ${receipt.receivedAt}; ${rows?.title ?? sums} was not read`
        : `contributed ${summary.rows} rows; receipt of ${receipt.receivedAt}`,
  });
}

/** Says now and then how far reading has come, to people who watch. */
function progressOn(command: Command): (rows: number, total: number | undefined) => void {
  let last = Date.now();
  return (rows, total) => {
    if (!process.stderr.isTTY || Date.now() - last < PROGRESS_MILLISECONDS) return;
    last = Date.now();
    printNote(command, `read ${rows}${total === undefined ? '' : ` of ${total}`} rows`);
  };
}

interface Summary {
  readonly rows: number;
  /** Cells per feature. */
  readonly clipped: Record<string, number>;
  readonly clippedRows: number;
  readonly skippedRows: number;
  readonly constant: string[];
}

function warn(command: Command, { rows, clipped, clippedRows, skippedRows, constant }: Summary): void {
  warnOfSkipped(command, skippedRows);
  warnOfClipped(command, clipped);
  if (clippedRows > 0) {
    printNote(
      command,
      `warning: ${clippedRows} of ${rows} rows were longer than the clipping norm of the task and were scaled down`,
    );
  }
  for (const name of constant) {
    printNote(command, `warning: feature ${JSON.stringify(name)} has an empty range and carries nothing`);
  }
}
