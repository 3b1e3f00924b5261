/** Rows of any source, and their statistics. */
import { methodOf } from '@eigenveil/methods';
import { CodedError, type Words } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import type { ConsentOptions, ReadingOptions } from '../csv/reading-options.ts';
import { rowTerm } from '../csv/reading-terms.ts';
import type { FoundGrains } from '../grain/grain.ts';
import { checkClipping, UnreadableCells, ValueWatch } from '../grain/value-watch.ts';
import { RowAccumulator } from './row-accumulator.ts';
import { tooManyRows } from './row-limit.ts';
import type { Statistics } from './statistics.ts';

export interface Row {
  /**
   * One finite number per feature, in the task's order and the source's units; NaN where unreadable cells are
   * counted.
   */
  readonly values: ArrayLike<number>;
  /** The index of the row's class, for each labelling. */
  readonly classes: readonly number[];
  /** The cells of the kept columns as they stand, where some must be kept. */
  readonly kept?: readonly string[];
}

/**
 * Batches of rows, made as fast as they are asked for, and never held together: a batch may be overwritten
 * once the next one is asked for.
 */
export type RowBatches = AsyncIterable<readonly Row[]>;

/** Options by which rows are read from any source. */
export interface RowOptions
  extends Pick<
    ReadingOptions,
    'numericLabels' | 'trim' | 'missing' | 'missingValues' | 'defaultMissing' | 'columns'
  > {
  /** Refuse cells outside their feature's range (ERR_OUT_OF_RANGE) instead of leaving them to be clipped. */
  readonly strict?: boolean | undefined;
  /**
   * Columns that are knowingly left out, or all others than the task's; `#3` is the third. Default: none, and
   * others are refused.
   */
  readonly ignoredColumns?: readonly string[] | 'others' | undefined;
  /**
   * Columns whose cells come with the rows as they stand, whether the task uses them or not. Default: none.
   */
  readonly keptColumns?: readonly string[] | undefined;
  /** Columns that the source lacks, with the same cell in each row. */
  readonly appended?: { readonly names: readonly string[]; readonly values: readonly string[] } | undefined;
  /**
   * Give NaN for a feature's cell that is no finite number, in place of refusing it: for histograms, which
   * count such cells. Default: they are refused.
   */
  readonly countsUnreadable?: boolean | undefined;
  /** Told of each cell of a feature that was counted so; `kind` says what it holds, without showing it. */
  readonly onUnreadable?: ((feature: number, kind: () => Words | string) => void) | undefined;
  /** Told of each row that is left out. */
  readonly onSkippedRow?: (() => void) | undefined;
  /** Told of what looks like a mistake and is none for certain; never of a cell. */
  readonly onRemark?: ((remark: Words | string) => void) | undefined;
}

/** Options by which rows are read and summed. */
export interface SummingOptions extends RowOptions, ConsentOptions {
  /** Ω of a task with `sketch`, as sketchMatrix makes it. */
  readonly signs?: Int32Array | undefined;
}

export interface OwnerStatistics {
  readonly statistics: Statistics;
  readonly rows: number;
  /**
   * The number of cells of each feature that lay outside its range and were clipped; of a histogram, counted
   * in its first or last bin.
   */
  readonly clippedCells: readonly number[];
  /**
   * The number of rows that were longer than the clipping norm and were scaled down; none without
   * differential privacy.
   */
  readonly clippedRows: number;
  /** The number of rows that were left out since a cell is missing or all cells are blank: see RowOptions. */
  readonly skippedRows: number;
  /** The number of cells of each feature that were no numbers; of a histogram alone. */
  readonly unreadableCells?: readonly number[];
  /**
   * The distances at which the values of each feature that was read lie apart, for a task that an owner may
   * have to add a floor of its own to; absent where there were few rows.
   */
  readonly grains?: FoundGrains;
}

/**
 * Discretises and sums all rows of a source.
 * @param read starts reading with these options, one of which tells of rows that are left out
 * @throws as the source, and ERR_NO_ROWS, ERR_TOO_MANY_ROWS, ERR_TASK_INVALID, ERR_DP_PARAMETER; ERR_CLIPPED
 *   and ERR_UNREADABLE_CELLS for features of which more than half of the cells are clipped or no numbers,
 *   unless `allowClipping` or `countUnreadable` says that this is right
 */
export async function statisticsOfRows<Options extends SummingOptions>(
  task: StatisticsTask,
  options: Options,
  read: (options: Options) => RowBatches,
): Promise<OwnerStatistics> {
  const accumulator = new RowAccumulator(task, options.signs);
  const counts = methodOf(task).sums(task).counts.length > 0;
  const watch = new ValueWatch(task.features);
  const unreadable = new UnreadableCells(task.features);
  let skippedRows = 0;
  const counting = {
    ...options,
    countsUnreadable: counts,
    onUnreadable: unreadable.add,
    onSkippedRow: () => {
      skippedRows += 1;
      options.onSkippedRow?.();
    },
  };
  const most = task.maximumSamplesPerOwner;
  let found = 0;
  try {
    for await (const batch of read(counting)) {
      // Rows beyond the limit are only counted, so that the error can say how many there are.
      for (const { values, classes } of batch.slice(0, Math.max(0, most - found))) {
        accumulator.addClassed(values, classes);
        watch.add(values);
      }
      found += batch.length;
    }
  } catch (error) {
    throw found > most ? tooManyRows(most) : error;
  }
  if (found > most) throw tooManyRows(most, found);
  const { rows, clippedCells, clippedRows } = accumulator;
  if (rows === 0 && skippedRows > 0) {
    const message = `expected at least one whole row, got none: a cell is missing in each of ${skippedRows}`;
    throw new CodedError(STATISTICS_CODES.ERR_NO_ROWS, rowTerm('noWholeRow', message, String(skippedRows)));
  }
  const statistics = accumulator.statistics();
  unreadable.check(rows, options);
  checkClipping(task.features, { rows, clippedCells }, options);
  // The range of a histogram should be wide.
  if (!counts) for (const remark of watch.remarks()) options.onRemark?.(remark);
  const grains = accumulator.grains();
  const summed = { statistics, rows, clippedCells, clippedRows, skippedRows, ...(grains && { grains }) };
  return counts ? { ...summed, unreadableCells: unreadable.counts } : summed;
}
