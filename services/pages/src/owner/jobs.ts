/**
 * The jobs of the page's worker, written without workers: the parts of an owner's work that take more than a
 * moment.
 */
import { type Basis, byProjector, reducedLines } from '@eigenveil/data-owner/portable';
import { encryptMany, PublicKey, type PublicKeyParts } from '@eigenveil/paillier/owner';
import { CodedError, randomBytes, type Words } from '@eigenveil/platform';
import { Projector, statisticsThrough } from '@eigenveil/projection/portable';
import { contribute } from '@eigenveil/protocol/owner';
import {
  type ColumnMatch,
  type CsvOptions,
  firstRecords,
  layout,
  matchColumns,
  type OwnerStatistics,
  type ProposedForm,
  proposeForm,
  readBlobBytes,
  readRowBatches,
  STATISTICS_CODES,
  startOf,
} from '@eigenveil/statistics/owner';
import type { StatisticsTask, Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** The options for reading CSV that can be sent to a worker. */
export type ReadingOptions = Omit<CsvOptions, 'onSkippedRow' | 'onMissing' | 'onRemark'>;

/** Reports the progress of a job, in units of its own: bytes of the file, or ciphertexts. */
export type OnProgress = (done: number, total: number) => void;

/** The numbers of missing cells in rows that are left out, by the names of their columns. */
export type MissingCells = ReadonlyMap<string, number>;

export interface RowsRead extends OwnerStatistics {
  readonly missingCells: MissingCells;
  /** Messages, in parts, about what looks like a mistake and need not be one. */
  readonly remarks: readonly Words['parts'][];
}

export interface LookJob {
  readonly kind: 'look';
  readonly file: Blob;
  readonly name: string;
  /** The columns that the task takes from the file. */
  readonly columns: Pick<StatisticsTask, 'features' | 'labellings'>;
  /** True for a histogram, which counts cells that are no numbers. */
  readonly countsUnreadable: boolean;
  /** The form to read it by; null where one shall be proposed. */
  readonly form: ProposedForm | null;
}

/** The beginning of a file. */
export interface FileLook {
  readonly form: ProposedForm;
  /** The names in its header row. */
  readonly columns: readonly string[];
  readonly firstRows: readonly (readonly string[])[];
  /** The place of each column of the task in the file. */
  readonly matches: readonly ColumnMatch[];
}

export interface ReadJob {
  readonly kind: 'read';
  readonly file: Blob;
  /** The name, which says by .gz that the file is compressed. */
  readonly name: string;
  readonly task: Task;
  /** The results that the task stands on; empty without a basis. */
  readonly basis: Basis;
  readonly options: ReadingOptions;
  /** The signs of Ω, for a task with a sketch. */
  readonly signs?: Int32Array | undefined;
}

export interface ContributeJob {
  readonly kind: 'contribute';
  readonly task: Task;
  readonly publicKey: PublicKeyParts;
  /** The flat statistics. */
  readonly values: readonly bigint[];
}

/** The number of rows that people are shown. */
const SHOWN_ROWS = 3;

/**
 * Looks at the beginning of a file; the rest of it is not read.
 * @throws ERR_NO_ROWS for an empty file; as `proposeForm`, `firstRecords` and `matchColumns`
 */
export async function look({
  file,
  name,
  columns,
  countsUnreadable,
  form: told,
}: LookJob): Promise<FileLook> {
  const start = await startOf(readBlobBytes(file, name));
  const form = told ?? proposeForm(start, columns, { countsUnreadable });
  const [header, ...rows] = firstRecords(start, form);
  if (header === undefined) throw new CodedError(STATISTICS_CODES.ERR_NO_ROWS, 'the file is empty');
  const { features, labellings } = columns;
  const wanted = [...features.map((it) => it.name), ...labellings.map(({ column }) => column)];
  return {
    form,
    columns: header.cells,
    firstRows: rows.slice(0, SHOWN_ROWS).map(({ cells }) => cells),
    matches: matchColumns(header.cells, [...new Set(wanted)], form.columns),
  };
}

/** Counts missing cells by column. */
function missingCounter() {
  const counts = new Map<string, number>();
  return { counts, add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1) };
}

/**
 * Returns the statistics of the rows of a CSV file, read by the code of the command line.
 * @throws as `statisticsOfCsv`, and ERR_FILE_UNREADABLE
 */
export async function read(
  { file, name, task, basis, options, signs }: ReadJob,
  onProgress: OnProgress,
): Promise<RowsRead> {
  const missing = missingCounter();
  const remarks: Words['parts'][] = [];
  const onRemark = (remark: Words | string) =>
    remarks.push(typeof remark === 'string' ? [remark] : remark.parts);
  const all = { ...options, signs, onMissing: missing.add, onRemark };
  const statistics = await statisticsThrough(task, basis, all, (columns, counting) =>
    readRowBatches(
      readBlobBytes(file, name, (done) => onProgress(done, file.size)),
      columns,
      counting,
    ),
  );
  return { ...statistics, missingCells: missing.counts, remarks };
}

export interface ReduceJob {
  readonly kind: 'reduce';
  readonly file: Blob;
  readonly name: string;
  readonly task: Task;
  readonly projection: Projection;
  readonly basis: Basis;
  readonly options: Omit<ReadingOptions, 'ignoredColumns' | 'keptColumns'>;
  /** Columns that are copied to the reduced rows. */
  readonly keptColumns: readonly string[];
}

export interface RowsReduced {
  /** The CSV file. The browser may keep it on its disk as long as the page is open. */
  readonly csv: Blob;
  readonly rows: number;
  readonly skippedRows: number;
  /** The number of clipped cells of each feature. */
  readonly clippedCells: readonly number[];
  readonly missingCells: MissingCells;
}

/** The number of UTF-16 units of text that are handed to the browser at once. */
const PIECE = 1 << 20;

/**
 * Reduces the rows of a CSV file by a projection whose signatures have been verified, by the code of the
 * command line.
 * @throws as `reducedLines` and `readRows`, and ERR_FILE_UNREADABLE
 */
export async function reduce(job: ReduceJob, onProgress: OnProgress): Promise<RowsReduced> {
  const { file, name, task, projection, basis, options, keptColumns } = job;
  const projector = new Projector(task, projection, basis);
  let skippedRows = 0;
  const missing = missingCounter();
  const batches = readRowBatches(
    readBlobBytes(file, name, (done) => onProgress(done, file.size)),
    { features: projector.features, labellings: [] },
    {
      ...options,
      ignoredColumns: 'others',
      keptColumns,
      onMissing: missing.add,
      onSkippedRow: () => {
        skippedRows += 1;
      },
    },
  );
  let rows = 0;
  const lines = reducedLines(byProjector(projector), batches, keptColumns, (batch) => {
    rows += batch.length;
  });
  const pieces: Blob[] = [];
  let text = '';
  const put = () => {
    pieces.push(new Blob([text]));
    text = '';
  };
  for await (const some of lines) {
    text += some;
    if (text.length >= PIECE) put();
  }
  put();
  const csv = new Blob(pieces, { type: 'text/csv' });
  const { clippedCells } = projector;
  return { csv, rows, skippedRows, clippedCells, missingCells: missing.counts };
}

/**
 * The number of encryptions that are reported as one step: some tens of milliseconds. A table of fixed-base
 * powers lasts for all steps.
 */
const STEP = { djn: 32, standard: 4 };

/**
 * Returns the encrypted contribution of these statistics, with the owner's noise if the task wants some.
 * Every call gives another one.
 *
 * BigInt arithmetic does not take constant time. Somebody who times this thread (a program on the same
 * machine, an extension of the browser) can only learn about this owner: its statistics, noise and
 * randomisers. No secret key is ever here.
 * @param randomness the browser's CSPRNG, unless a test has to repeat it
 * @throws ERR_VALUE_OUT_OF_RANGE, ERR_SCHEME_UNAVAILABLE, ERR_DP_PARAMETER
 */
export function contribution(
  { task, publicKey, values }: ContributeJob,
  onProgress: OnProgress,
  randomness: (length: number) => Uint8Array = randomBytes,
): Promise<Uint8Array> {
  const paillier = {
    encrypt(key: PublicKey, plaintexts: readonly bigint[], scheme: Task['encryption']) {
      const step = STEP[scheme];
      return Array.from({ length: Math.ceil(plaintexts.length / step) }, (_, i) => {
        const some = encryptMany(key, plaintexts.slice(i * step, (i + 1) * step), scheme, randomness);
        onProgress(i * step + some.length, plaintexts.length);
        return some;
      }).flat();
    },
  };
  const under = { task, publicKey: new PublicKey(publicKey), packing: layout(task) };
  return contribute(under, values, { paillier, randomness });
}
