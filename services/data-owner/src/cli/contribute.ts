/** The command `contribute` of eigenveil-owner. What its action works with is loaded when it runs: --help and mistakes are told at once. */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import {
  addSettings,
  COMMAND_CODES,
  type Configuration,
  CSV_HELP,
  clippedByName,
  every,
  printNote,
  printResult,
  readTextFile,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Row, RowBatches, Statistics } from '@eigenveil/statistics';
import { CONSENT_OPTIONS, IGNORED_COLUMNS, toldOfSkipped } from '@eigenveil/statistics/reading-options';
import type { Task } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Basis } from '../owner/basis.ts';
import type { Rehearsal } from '../owner/data-owner.ts';
import type { OwnFloorTold } from '../owner/own-floor.ts';
import type { ContributionProgress } from '../owner/preparation.ts';
import { ROW_SETTINGS, type Rows, requireNoBasis, rowsOf, sumsOf } from '../rows/sources.ts';
import { DATASET_SETTING, PREFIX, TASK_SETTINGS, withTask } from './settings.ts';

const PROGRESS_MILLISECONDS = 2000;

const POLICY_HELP = `
The policy (--policy FILE) says what the owner agrees to; a task that breaks it is refused before a row is read:
  { "minimumOwners": 5, "minimumKeyBits": 3072, "twoParty": ["garbled"], "maximumComponents": 20, "maximumLinks": 2,
    "allowSpectrum": false, "allowFullRank": false, "allowVariances": false, "minimumClassRows": 10,
    "allowWithoutDifferentialPrivacy": false, "maximumEpsilon": 1, "maximumDelta": 1e-6,
    "neighbours": "add-remove", "noise": "servers", "colludingOwners": 1,
    "totalEpsilon": 3, "totalDelta": 1e-6, "answers": { "rotated": 1, "wholes": 1 },
    "ownFloor": true, "grains": { "age": 1, "smoker": 1, "pressure": "cell" },
    "series": { "most": 12, "shortestIntervalHours": 600, "totalEpsilon": 3 } }
twoParty names what the owner trusts; "linear" consents to histograms, noisy counts of every feature by bins, whose ε and δ are counted as those of all tasks.
allowSpectrum consents to all eigenvalues: with the two-party protocol rotated to those of the total scatter and, for dca, lda and mdr, of the
pencil; and to sketches, which reveal nearly as many eigenvalues as they have columns. minimumClassRows consents to numbers of rows by class, which such tasks reveal, if this owner has that many rows of each class that it has
any of; where no other owner has the class, the number is its own. Without it such tasks are refused.
allowFullRank consents to results from which the whole scatter matrix follows, and to exact ones, which have no floor: where values are whole numbers,
it may follow from any of them.
allowVariances consents to a PCA of the correlation matrix, whose vectors tell the variances of features.
maximumLinks consents to tasks that stand on an earlier result, so many tasks in a chain: rows are reduced by that result first, which whoever
gets the next one has chosen. Each is an answer of its own over the same rows ("answers"). Without it such tasks are refused.
colludingOwners is for tasks whose owners add the noise: minimumOwners must be at least honestOwners and so many more.
series consents to tasks that renew others (serve-series): so many tasks, the first one
counted, so long apart, with so much ε together. Two results over nearly the same rows tell together what came or went between them:
all rows of an owner's if it came or went (docs/privacy.md, "Series"). Without it such tasks are refused.
totalEpsilon and totalDelta are for all tasks together that rows of one --dataset are contributed to. answers says what results over the same rows,
which are compared with each other, may tell together: 1 answer by rotated without differential privacy, and 1 whole of all tasks, where nothing is
said. A task takes one of its "releases" parts of a whole, an exact one all of it, a histogram nothing. A whole belongs to rows: rows that are added
do not renew it, and another --dataset is for rows none of which was used. Without totalEpsilon and maximumEpsilon, tasks by rotated with
differential privacy are answers, too, since any ε would do. A task is charged before anything is sent, for good: see budget.
ownFloor adds noise to your sums, before they are encrypted, where your values lie further apart than the task says: it is found in 60 rows or
more, or said by grains. With false, such a task takes more of the whole instead.`;

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
  ignore: IGNORED_COLUMNS,
  ...ROW_SETTINGS,
  ...CONSENT_OPTIONS,
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
  const configuration = addSettings(command, PREFIX, {
    ...CONTRIBUTE_SETTINGS,
    dryRun: {
      schema: z.boolean(),
      description: 'read the rows and say what would be contributed and charged; send and spend nothing',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `${POLICY_HELP}
${CSV_HELP}

Parquet and --query are read by DuckDB (an error says what to install); docs/rows.md says what their values mean. All files that a
pattern names are rows of this one owner: 'month=*/*.parquet'. Rows that are too many for one machine are summed by their database: see sql.

Running it again after a lost answer reads the file again and sends the same bytes; once there is a receipt, it shows the receipt and
sends nothing, and refuses another file than that of the receipt (ERR_CONTRIBUTION_CONFLICT). The policy is kept with the receipt, for
commands about the task that are given none. Other rows than those of a contribution without a receipt are refused (ERR_CONTRIBUTION_PENDING): give the first file
again, or withdraw, which is for good, or give the first one up with --discard-pending. The last is not possible where owners add the noise
of differential privacy, since noise is drawn once.

With --dry-run the task is fetched and checked by the policy and the rows are read, but nothing is encrypted, charged or sent.

Example:
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data rows.csv --ignore id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data 'month=*/*.parquet' --ignore id
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --query rows.sql --database visits.duckdb`,
  );
  command.action((id: string) => contributeTo(command, configuration(), id));
}

/** Reads the rows, contributes them, and says so; as often as it takes. With `dryRun` it says what it would do. */
export async function contributeTo(
  command: Command,
  settings: Configuration<typeof CONTRIBUTE_SETTINGS> & { readonly dryRun?: boolean },
  id: string,
): Promise<void> {
  const {
    dataset,
    discardPending,
    ignore,
    statistics: sums,
    strict,
    allowClipping,
    countUnreadable,
  } = settings;
  if (sums !== undefined && (settings.data ?? settings.query ?? settings.database) !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--statistics" expected without "--data", "--query" and "--database"',
    );
  const rows = sums === undefined ? rowsOf(settings) : undefined;
  const warnings: string[] = [];
  let sourceDigest: string | undefined;
  const read = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
    if (rows === undefined) {
      requireNoBasis(task);
      const { statistics, digest } = await sumsOf(sums!, task, settings);
      sourceDigest = digest;
      return statistics;
    }
    const { statisticsThrough } = await import('@eigenveil/projection');
    const options = {
      strict,
      allowClipping,
      countUnreadable,
      ignoredColumns: ignore,
      onRemark: (remark: string) => warnings.push(remark),
      signs,
    };
    let total: number | undefined;
    const onProgress = (_rows: number, of: number | undefined) => {
      total = of;
    };
    const statistics = await statisticsThrough(task, basis, options, (columns, all) =>
      toldOn(command, rows.read(columns, { ...all, onProgress }), () => total),
    );
    sourceDigest = rows.digest();
    return statistics;
  };
  const { constantFeatures } = await import('@eigenveil/task');
  let summary: Summary | undefined;
  let ownFloor: OwnFloorTold | undefined;
  const summarise = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
    if (task.sketch !== undefined) keepHeapSmall();
    const summed = await read(task, signs, basis);
    const { statistics, clippedCells, clippedRows, skippedRows, unreadableCells = [], grains } = summed;
    const { features } = (await import('@eigenveil/projection')).columnsFor(task, basis);
    const names = features.map(({ name }) => name);
    summary = {
      rows: summed.rows,
      clipped: clippedByName(names, clippedCells),
      clippedRows,
      skippedRows,
      unreadable: clippedByName(
        names,
        names.map((_, i) => unreadableCells[i] ?? 0),
      ),
      constant: constantFeatures(task),
      classes: classRows(task, statistics),
      warnings,
    };
    // Before anything is charged or sent.
    warn(command, summary);
    return { ...statistics, grains };
  };
  if (settings.dryRun === true) {
    const charge = await withTask(settings, id, (owner, dataUser, taskId) =>
      owner.rehearse(dataUser, taskId, summarise, { dataset }),
    );
    printResult(command, {
      json: { dryRun: true, ...summary, charge },
      text: (await describeRehearsal(summary!, charge)).join('\n'),
    });
    return;
  }
  const { ownFloorInWords } = await import('../owner/own-floor.ts');
  const receipt = await withTask(settings, id, async (owner, dataUser, taskId, policy) => {
    const given = await owner.contribute(dataUser, taskId, summarise, {
      dataset,
      discardPending,
      sourceDigest: () => sourceDigest,
      onProgress: partsOn(command),
      onOwnFloor: (told) => {
        ownFloor = told;
        if (!isQuiet(command))
          for (const words of ownFloorInWords(told)) printNote(command, `note: ${words}`);
      },
      onUncounted: (reason) =>
        printNote(
          command,
          `warning: the CSP could not be asked whether this home was put back from a backup: ${reason}`,
        ),
    });
    const { keepHow, requireSameFile } = await import('../owner/contributed.ts');
    if (summary !== undefined) await keepHow(settings.home, taskId, policy, sourceDigest);
    else await requireSameFile(settings.home, given, rows?.title ?? sums!, () => digestAgain(rows, sums));
    return given;
  });
  printResult(command, {
    json: { receipt, repeated: summary === undefined, ...summary, ...(ownFloor && { ownFloor }) },
    text:
      summary === undefined
        ? `contributed before, with the receipt of ${receipt.receivedAt}; nothing of ${rows?.title ?? sums} was sent`
        : `contributed ${rowsInWords(summary.rows)}; receipt of ${receipt.receivedAt}`,
  });
}

/** Of the file that is given to a task with a receipt. */
async function digestAgain(rows: Rows | undefined, sums: string | undefined): Promise<string | undefined> {
  if (rows !== undefined) return rows.digestOfBytes();
  return createHash('sha256')
    .update(await readTextFile('--statistics', sums!))
    .digest('hex');
}

/**
 * V8 would let the heap grow to several times what is in use before it collects: with 10,000 features 690 MB after three parts of a contribution (and more
 * with each), where 150 MB are in use. So it collects after a fifth more. It is the program that decides so, not the library.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=20');
}

/** Says now and then how far reading has come. Not with --json, where standard error holds problems alone. */
async function* toldOn(
  command: Command,
  batches: RowBatches,
  total: () => number | undefined,
): AsyncGenerator<readonly Row[]> {
  const isDue = every(PROGRESS_MILLISECONDS);
  let rows = 0;
  for await (const batch of batches) {
    rows += batch.length;
    yield batch;
    if (isQuiet(command) || !isDue()) continue;
    printNote(command, `read ${rows}${total() === undefined ? '' : ` of ${total()}`} rows`);
  }
}

const isQuiet = (command: Command) => command.optsWithGlobals().json === true;

/** The same of a contribution that takes several requests, and about how long it still takes. */
function partsOn(command: Command): (progress: ContributionProgress) => void {
  const isDue = every(PROGRESS_MILLISECONDS);
  let began: { readonly step: string; readonly done: number; readonly at: number } | undefined;
  return ({ step, done, of }) => {
    const now = Date.now();
    // What an earlier attempt has sent took no time of this one.
    if (began?.step !== step) began = { step, done, at: now };
    if (isQuiet(command) || done === began.done || !isDue()) return;
    const secondsLeft = ((now - began.at) * (of - done)) / (done - began.done) / 1000;
    printNote(
      command,
      `${step} ${megabytes(done)} of ${megabytes(of)} MB, about ${Math.ceil(secondsLeft)} s left`,
    );
  };
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

interface Summary {
  readonly rows: number;
  /** Cells per feature. */
  readonly clipped: Record<string, number>;
  readonly clippedRows: number;
  readonly skippedRows: number;
  /** Cells per feature of a histogram that are no numbers. */
  readonly unreadable: Record<string, number>;
  readonly constant: string[];
  /** Per label column, how many rows each class has. */
  readonly classes: Record<string, Record<string, number>>;
  readonly warnings: readonly string[];
}

function warn(command: Command, summary: Summary): void {
  const { rows, clipped, clippedRows, skippedRows, constant, warnings } = summary;
  warnOfRemarks(command, warnings);
  warnOfRemarks(command, toldOfSkipped(skippedRows));
  warnOfClipped(command, clipped);
  if (clippedRows > 0) {
    printNote(
      command,
      `warning: ${clippedRows} of ${rowsInWords(rows)} were longer than the clipping norm of the task and were scaled down`,
    );
  }
  for (const name of constant) {
    printNote(command, `warning: feature ${JSON.stringify(name)} has an empty range and carries nothing`);
  }
}

const rowsInWords = (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`);

function classRows({ labellings }: Task, statistics: Statistics): Summary['classes'] {
  return Object.fromEntries(
    labellings.map(({ column, classes }, l) => [
      column,
      Object.fromEntries(classes.map((name, k) => [name, Number(statistics.labellings[l]![k]!.M)])),
    ]),
  );
}

/** What a dry run says to people. */
async function describeRehearsal(
  summary: Summary,
  { dataset, event, charged, ownFloor }: Rehearsal,
): Promise<string[]> {
  const { partInWords } = await import('../budget/parts.ts');
  const { ownFloorInWords } = await import('../owner/own-floor.ts');
  const counts = (cells: Readonly<Record<string, number>>) =>
    Object.entries(cells)
      .map(([name, count]) => `${JSON.stringify(name)} ${count}`)
      .join(', ');
  const { clipped, unreadable, classes } = summary;
  const cost = [
    ...(event.kind === 'guarantee' ? [`epsilon ${event.epsilon} and delta ${event.delta}`] : []),
    ...(event.kind === 'answer' && event.by === 'rotated' ? ['one answer by rotated'] : []),
    `${partInWords(event.part)} of a whole`,
  ].join(', ');
  return [
    `dry run: nothing was sent or charged`,
    `${rowsInWords(summary.rows)} would be contributed, ${summary.skippedRows} left out, ${summary.clippedRows} scaled down`,
    `cells that would be clipped: ${counts(clipped) || 'none'}`,
    ...(Object.keys(unreadable).length === 0 ? [] : [`cells that are no numbers: ${counts(unreadable)}`]),
    ...Object.entries(classes).map(([column, of]) => `rows by ${JSON.stringify(column)}: ${counts(of)}`),
    charged
      ? `the data set ${dataset} was charged for this task before, and would not be again`
      : `the data set ${dataset} would be charged ${cost}`,
    ...(ownFloor === null ? [] : ownFloorInWords(ownFloor).map(String)),
  ];
}
