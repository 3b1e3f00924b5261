/** Rows in, exact integer statistics and their slot layout out. */
export { StatisticsAccumulator } from './accumulate.ts';
export { type CsvOptions, type CsvRow, readFileBytes, readRows } from './csv.ts';
export { Discretiser } from './discretise.ts';
export { StatisticsError, type StatisticsErrorCode } from './errors.ts';
export { layout, type StatisticsBounds, statisticsBounds } from './layout.ts';
export { parseDecimal } from './number.ts';
export { type OwnerStatistics, statisticsOfCsv } from './owner.ts';
export { drawNoise, noisePlanOf, shiftOf, stageTaskOf } from './privacy.ts';
export {
  addStatistics,
  type ClassSums,
  flatten,
  type Statistics,
  statisticsLength,
  unflatten,
} from './statistics.ts';
export {
  checkTask,
  collectsR,
  constantFeatures,
  DEFAULT_FRACTION_BITS,
  type Feature,
  type Labelling,
  type Method,
  type StatisticsTask,
  summedClasses,
} from './task.ts';
