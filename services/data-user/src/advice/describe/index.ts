/** Words for a result that the command line and the console say alike. */

export { type Remark, remarksOf, roundingInWords } from './caveats.ts';
export {
  deviationOfRows,
  keptInWords,
  listComponents,
  rowsInWords,
  shareInWords,
  type ToldShare,
} from './result.ts';
