/** What is told of a result: by the command line and by the console the same. */

export { type Remark, remarksOf } from '../draft/remarks.ts';
export { deviationOfRows, keptInWords, rowsInWords, shareInWords, type ToldShare } from './noisy-figures.ts';
export { listComponents } from './result.ts';
export { roundingInWords } from './rounding.ts';
