/** Rows in, exact integer statistics and their slot layout out, in Node.js and in browsers. */

export { STATISTICS_CODES } from './codes.ts';
export { CellReader, type MissingMarks, missingMarks } from './csv/cells.ts';
export {
  firstRecords,
  type ProposedForm,
  proposeForm,
  startOf,
} from './csv/form-proposal.ts';
export { type ColumnMatch, ColumnNames, columnTitle, isRenamed, matchColumns } from './csv/header.ts';
export { BooleanWatch, parseDecimal, ThousandsWatch } from './csv/numbers.ts';
export { countsRows, IS_SUM, LAST_IS_SUM, LastRowSums, RowCounter, widthProblem } from './csv/odd-rows.ts';
export {
  type ConsentOptions,
  type CsvForm,
  type ReadingOptions,
  SEPARATORS,
  type Separator,
} from './csv/reading-options.ts';
export type { RowTerm } from './csv/reading-terms.ts';
export type { CsvOptions, CsvRow } from './csv/records.ts';
export {
  csvLine,
  readRecords,
  readRowBatches,
  readRows,
  statisticsOfCsv,
} from './csv/rows.ts';
export { differenceOf, likeness, nearTo } from './csv/unusual.ts';
export type { TypeProblems } from './duckdb/columns.ts';
export { readBlobBytes } from './files/blob.ts';
export { type FoundGrains, GrainFinder, GrainWatch, LEAST_GRID_ROWS } from './grain/grain.ts';
export { ColumnSpread, checkClipping, LEAST_SPREAD, ValueWatch } from './grain/value-watch.ts';
export { drawNoise, drawOwnNoise, sketchNoise } from './noise.ts';
export { StatisticsAccumulator } from './sums/accumulate.ts';
export { Discretiser, scaleCell } from './sums/discretise.ts';
export { LabelIndex } from './sums/label-index.ts';
export { RowAccumulator } from './sums/row-accumulator.ts';
export {
  type OwnerStatistics,
  type Row,
  type RowBatches,
  type RowOptions,
  type SummingOptions,
  statisticsOfRows,
} from './sums/rows.ts';
export { sketchMatrix } from './sums/sketch-matrix.ts';
export {
  addStatistics,
  type ClassSums,
  flatten,
  layout,
  noisedStatistics,
  type Statistics,
  unflatten,
  unflattenComputed,
} from './sums/statistics.ts';
