/** Rows in, exact integer statistics and their slot layout out, in Node.js and in browsers. */
export { StatisticsAccumulator } from './accumulate.ts';
export { readBlobBytes } from './blob.ts';
export { CellReader } from './cells.ts';
export { STATISTICS_CODES } from './codes.ts';
export {
  csvLine,
  readRecords,
  readRowBatches,
  readRows,
  statisticsOfCsv,
} from './csv.ts';
export { Discretiser, scaleCell } from './discretise.ts';
export type { TypeProblems } from './duckdb/columns.ts';
export { GrainFinder, LEAST_GRID_ROWS } from './grain.ts';
export { type FoundGrains, GrainWatch } from './grain-watch.ts';
export { ColumnNames, columnTitle, isRenamed } from './header.ts';
export { LabelIndex } from './label-index.ts';
export { layout } from './layout.ts';
export { type MissingMarks, missingMarks } from './missing.ts';
export { drawNoise } from './noise.ts';
export { parseDecimal, parseDecimalComma } from './number.ts';
export { BooleanWatch, NumberFormat, ThousandsWatch } from './number-format.ts';
export { countsRows, IS_SUM, LAST_IS_SUM, LastRowSums, RowCounter } from './odd-rows.ts';
export { drawOwnNoise } from './own-noise.ts';
export {
  type ConsentOptions,
  type CsvForm,
  type ReadingOptions,
  SEPARATORS,
  type Separator,
} from './reading-options.ts';
export { type RowTerm, rowOption, rowTerm } from './reading-terms.ts';
export type { CsvOptions, CsvRow } from './records.ts';
export { RowAccumulator } from './row-accumulator.ts';
export { widthProblem } from './row-width.ts';
export {
  type OwnerStatistics,
  type Row,
  type RowBatches,
  type RowOptions,
  type SummingOptions,
  statisticsOfRows,
} from './rows.ts';
export { sketchMatrix } from './sketch-matrix.ts';
export { sketchNoise } from './sketch-noise.ts';
export {
  addStatistics,
  type ClassSums,
  flatten,
  noisedStatistics,
  type Statistics,
  unflatten,
  unflattenComputed,
} from './statistics.ts';
export { differenceOf, likeness, nearTo } from './unusual.ts';
export { ColumnSpread, checkClipping, LEAST_SPREAD, ValueWatch } from './value-watch.ts';
