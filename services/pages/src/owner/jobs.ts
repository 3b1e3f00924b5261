/**
 * The jobs of the page's worker, written without workers: the parts of an owner's work that take more than a
 * moment.
 */
import { type Basis, byProjector, reducedLines } from '@eigenveil/data-owner/portable';
import { encryptMany, PublicKey, type PublicKeyParts } from '@eigenveil/paillier/owner';
import { randomBytes } from '@eigenveil/platform';
import { Projector, statisticsThrough } from '@eigenveil/projection/portable';
import { contribute } from '@eigenveil/protocol/owner';
import {
  type CsvOptions,
  layout,
  type OwnerStatistics,
  readBlobBytes,
  readRowBatches,
} from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** The options for reading CSV that can be sent to a worker. */
export type ReadingOptions = Omit<CsvOptions, 'onSkippedRow'>;

/** Reports the progress of a job, in units of its own: bytes of the file, or ciphertexts. */
export type OnProgress = (done: number, total: number) => void;

export type RowsRead = OwnerStatistics;

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

/**
 * Returns the statistics of the rows of a CSV file, read by the code of the command line.
 * @throws as `statisticsOfCsv`, and ERR_FILE_UNREADABLE
 */
export async function read(
  { file, name, task, basis, options, signs }: ReadJob,
  onProgress: OnProgress,
): Promise<RowsRead> {
  return statisticsThrough(task, basis, { ...options, signs }, (columns, all) =>
    readRowBatches(
      readBlobBytes(file, name, (done) => onProgress(done, file.size)),
      columns,
      all,
    ),
  );
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
  const batches = readRowBatches(
    readBlobBytes(file, name, (done) => onProgress(done, file.size)),
    { features: projector.features, labellings: [] },
    {
      ...options,
      ignoredColumns: 'others',
      keptColumns,
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
  return { csv, rows, skippedRows, clippedCells: projector.clippedCells };
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
