/**
 * The work of `contribute`: it reads the rows, contributes them or says what it would contribute, and shows
 * its progress.
 */
import { setFlagsFromString } from 'node:v8';
import {
  COMMAND_CODES,
  type Command,
  type Configuration,
  clippedByName,
  every,
  isJson,
  printNote,
  printResult,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError, type Words } from '@eigenveil/platform';
import { columnsFor, statisticsThrough } from '@eigenveil/projection';
import type { OwnerStatistics, Row, RowBatches, Statistics } from '@eigenveil/statistics';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { constantFeatures, type Task, underTitle } from '@eigenveil/task';
import { partInWords } from '../../budget/parts.ts';
import type { Basis } from '../../owner/connection.ts';
import type { ContributionProgress } from '../../owner/contribution.ts';
import type { Rehearsal, Summed } from '../../owner/data-owner.ts';
import { OwnerHome, requireSameRows } from '../../owner/home.ts';
import { type OwnFloorTold, ownFloorInWords } from '../../owner/own-floor.ts';
import { type Rows, rowsOf, sumsOf } from '../../rows/sources.ts';
import type { CONTRIBUTE_SETTINGS } from '../settings.ts';
import { openTask } from './owner.ts';

const PROGRESS_MILLISECONDS = 2000;

type ContributeSettings = Configuration<typeof CONTRIBUTE_SETTINGS> & { readonly dryRun?: boolean };

/** Reads the rows, contributes them, and says so. With `dryRun` it only says what it would do. */
export async function contributeTo(
  command: Command,
  settings: ContributeSettings,
  id: string,
): Promise<void> {
  const source = sourceOf(command, settings);
  await using session = await openTask(settings, id);
  const { owner, dataUser, taskId, policy } = session;
  const { dataset, discardPending } = settings;
  let summary: Summary | undefined;
  let ownFloor: OwnFloorTold | undefined;
  let dataDigest: string | undefined;
  const home = new OwnerHome(settings.home);
  const sum = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
    if (task.sketch !== undefined) keepHeapSmall();
    const warnings: string[] = [];
    const onRemark = (remark: Words | string) => warnings.push(String(remark));
    return { ...(await source.sum({ task, signs, basis, onRemark })), warnings };
  };
  const summarise = async (...of: Parameters<typeof sum>): Promise<Summed> => {
    const [task, , basis] = of;
    const summed = await sum(...of);
    summary = summaryOf(task, basis, summed);
    warn(command, summary); // before anything is charged or sent
    return { ...summed.statistics, grains: summed.grains };
  };
  if (settings.dryRun === true) {
    const charge = await owner.rehearse(dataUser, taskId, summarise, { dataset });
    printResult(command, {
      json: { dryRun: true, ...summary, charge },
      text: describeRehearsal(summary!, charge).join('\n'),
    });
    return;
  }
  const { title } = source;
  const receipt = await owner.contribute(dataUser, taskId, summarise, {
    dataset,
    discardPending,
    onReady: (digest) => {
      dataDigest = digest;
    },
    onProgress: partsOn(command),
    onOwnFloor: (told) => {
      ownFloor = told;
      if (!isJson(command)) for (const words of ownFloorInWords(told)) printNote(command, `note: ${words}`);
    },
    onUncounted: (reason) =>
      printNote(
        command,
        `warning: the CSP could not be asked whether this home was put back from a backup: ${reason}`,
      ),
  });
  if (dataDigest === undefined)
    await requireSameRows(home, receipt, title, () =>
      owner.digest(dataUser, taskId, async (...of) => (await sum(...of)).statistics),
    );
  else await home.keepContributed(taskId, { policy, dataDigest });
  printResult(command, {
    json: { receipt, repeated: summary === undefined, ...summary, ...(ownFloor && { ownFloor }) },
    text: underTitle(
      receipt.title,
      summary === undefined
        ? `contributed before, with the receipt of ${receipt.receivedAt}; nothing of ${title} was sent`
        : `contributed ${rowsInWords(summary.rows)}; receipt of ${receipt.receivedAt}`,
    ),
  });
}

/** The owner's rows, or what their database has summed already. */
interface Source extends Pick<Rows, 'title'> {
  sum(wanted: Wanted): Promise<OwnerStatistics>;
}

/** The task whose statistics are wanted, with the basis and the signs that apply to its rows. */
interface Wanted {
  readonly task: Task;
  readonly signs: Int32Array | undefined;
  readonly basis: Basis;
  readonly onRemark: (remark: Words | string) => void;
}

function sourceOf(command: Command, settings: ContributeSettings): Source {
  if (settings.statistics === undefined) {
    const rows = rowsOf(settings);
    return { ...rows, sum: (wanted) => sumRows(command, rows, settings, wanted) };
  }
  if ((settings.data ?? settings.query ?? settings.database) !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--statistics" expected without "--data", "--query" and "--database"',
    );
  const sums = sumsOf(settings.statistics, settings);
  return { ...sums, sum: ({ task }) => sums.read(task) };
}

async function sumRows(
  command: Command,
  rows: Rows,
  { strict, allowClipping, countUnreadable, ignore }: ContributeSettings,
  { task, signs, basis, onRemark }: Wanted,
): Promise<OwnerStatistics> {
  const options = { strict, allowClipping, countUnreadable, ignoredColumns: ignore, onRemark, signs };
  let total: number | undefined;
  const onProgress = (_rows: number, of: number | undefined) => {
    total = of;
  };
  return statisticsThrough(task, basis, options, (columns, all) =>
    toldOn(command, rows.read(columns, { ...all, onProgress }), () => total),
  );
}

/**
 * Makes V8 collect after the heap has grown by a fifth. By default it would let the heap grow to several
 * times what is in use: with 10,000 features 690 MB after three parts of a contribution (and more with each),
 * where 150 MB are in use. This is decided by the program, not by the library.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=20');
}

/**
 * Says from time to time how far reading has come. It says nothing with --json, where standard error has only
 * problems.
 */
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
    if (isJson(command) || !isDue()) continue;
    printNote(command, `read ${rows}${total() === undefined ? '' : ` of ${total()}`} rows`);
  }
}

/**
 * Says from time to time how much of a contribution is done that takes several requests, and about how long
 * the rest takes.
 */
function partsOn(command: Command): (progress: ContributionProgress) => void {
  const isDue = every(PROGRESS_MILLISECONDS);
  let began: { readonly step: string; readonly done: number; readonly at: number } | undefined;
  return ({ step, done, of }) => {
    const now = Date.now();
    // This attempt has spent no time on the part that an earlier attempt has sent.
    if (began?.step !== step) began = { step, done, at: now };
    if (isJson(command) || done === began.done || !isDue()) return;
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
  /** The number of clipped cells per feature. */
  readonly clipped: Record<string, number>;
  readonly clippedRows: number;
  readonly skippedRows: number;
  /** The number of cells per feature of a histogram that are not numbers. */
  readonly unreadable: Record<string, number>;
  readonly constant: string[];
  /** The number of rows of each class, per label column. */
  readonly classes: Record<string, Record<string, number>>;
  readonly warnings: readonly string[];
}

function summaryOf(task: Task, basis: Basis, summed: OwnerStatistics & Pick<Summary, 'warnings'>): Summary {
  const { rows, statistics, clippedCells, clippedRows, skippedRows, unreadableCells = [], warnings } = summed;
  const names = columnsFor(task, basis).features.map(({ name }) => name);
  const unreadable = names.map((_, i) => unreadableCells[i] ?? 0);
  return {
    rows,
    clipped: clippedByName(names, clippedCells),
    clippedRows,
    skippedRows,
    unreadable: clippedByName(names, unreadable),
    constant: constantFeatures(task),
    classes: classRows(task, statistics),
    warnings,
  };
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

/** Tells people what a dry run has found. */
function describeRehearsal(summary: Summary, { dataset, event, charged, ownFloor }: Rehearsal): string[] {
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
