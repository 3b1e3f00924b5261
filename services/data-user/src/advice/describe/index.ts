/** What is told of a result: by the command line and by the console the same. */

export { type Remark, remarksOf, roundingInWords } from './caveats.ts';
export {
  deviationOfRows,
  keptInWords,
  listComponents,
  rowsInWords,
  shareInWords,
  type ToldShare,
} from './result.ts';
