/** Rows of any source, and their statistics. */
import type { StatisticsTask } from '@eigenveil/task';
import { StatisticsError } from './errors.ts';
import { RowAccumulator } from './row-accumulator.ts';
import type { Statistics } from './statistics.ts';

export interface Row {
  /** One finite number per feature, in the task's order and the source's units; NaN where unreadable cells are counted. */
  readonly values: ArrayLike<number>;
  /** Per labelling the index of the row's class. */
  readonly classes: readonly number[];
  /** The cells of the kept columns as they stand, where some are to be kept. */
  readonly kept?: readonly string[];
}

/** As fast as they are asked for, and never held together: a batch may be overwritten once the next one is asked for. */
export type RowBatches = AsyncIterable<readonly Row[]>;

/** How rows are read from any source. */
export interface RowOptions {
  /** Refuse cells outside their feature's range (ERR_OUT_OF_RANGE) instead of leaving them to be clipped. */
  readonly strict?: boolean;
  /** Columns that are knowingly left out, or all others than the task's. Default: none, and others are refused. */
  readonly ignoredColumns?: readonly string[] | 'others';
  /** Columns whose cells come with the rows as they stand, whether the task uses them or not. Default: none. */
  readonly keptColumns?: readonly string[];
  /** Take a label that is the same number as one class for that class: 2.0 for 2. Default: labels are classes to the letter. */
  readonly numericLabels?: boolean;
  /** Pass over blanks around labels, and in CSV around names and numbers. Default: they are part of them. */
  readonly trim?: boolean;
  /** Rows in which a cell that the task uses is missing (in CSV: see `isMissing`) are refused, or left out. Default: error. */
  readonly missing?: 'error' | 'skip';
  /** Give NaN for a feature's cell that is no finite number, in place of refusing it: for histograms, which count such cells. Default: they are refused. */
  readonly countsUnreadable?: boolean;
  /** Told of each row that is left out. */
  readonly onSkippedRow?: () => void;
}

/** How rows are read and summed. */
export interface SummingOptions extends RowOptions {
  /** Of a task with `sketch`: Ω, as sketchMatrix makes it. */
  readonly signs?: Int32Array | undefined;
}

export interface OwnerStatistics {
  readonly statistics: Statistics;
  readonly rows: number;
  /** Per feature, how many cells lay outside its range and were clipped; of a histogram, counted in its first or last bin. */
  readonly clippedCells: readonly number[];
  /** How many rows were longer than the clipping norm and were scaled down; none without differential privacy. */
  readonly clippedRows: number;
  /** How many rows were left out since a cell is missing: see RowOptions. */
  readonly skippedRows: number;
}

/**
 * Discretises and sums all rows of a source.
 * @param read starts reading with these options, among which is to be told of rows that are left out
 * @throws as the source, and ERR_NO_ROWS, ERR_TOO_MANY_ROWS, ERR_TASK_INVALID, ERR_DP_PARAMETER
 */
export async function statisticsOfRows<Options extends SummingOptions>(
  task: StatisticsTask,
  options: Options,
  read: (options: Options) => RowBatches,
): Promise<OwnerStatistics> {
  const accumulator = new RowAccumulator(task, options.signs);
  let skippedRows = 0;
  const onSkippedRow = () => {
    skippedRows += 1;
    options.onSkippedRow?.();
  };
  const countsUnreadable = task.method.kind === 'histogram';
  for await (const batch of read({ ...options, countsUnreadable, onSkippedRow }))
    for (const { values, classes } of batch) accumulator.addClassed(values, classes);
  const { rows, clippedCells, clippedRows } = accumulator;
  if (rows === 0 && skippedRows > 0) {
    const message = `expected at least one whole row, got none: a cell is missing in each of ${skippedRows}`;
    throw new StatisticsError('ERR_NO_ROWS', message);
  }
  return { statistics: accumulator.statistics(), rows, clippedCells, clippedRows, skippedRows };
}
