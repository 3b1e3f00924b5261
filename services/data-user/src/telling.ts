/** What is told of a result: by the command line and by the console the same. */
export { listComponents } from './describe-result.ts';
export { deviationOfRows, keptInWords, rowsInWords, shareInWords, type ToldShare } from './noisy-figures.ts';
export { type Remark, remarksOf } from './remarks.ts';
export { roundingInWords } from './rounding.ts';
