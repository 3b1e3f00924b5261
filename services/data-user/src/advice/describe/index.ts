/** Words for a result that the command line and the console say alike. */

export { keptInWords, shareInWords, type ToldShare } from '@eigenveil/projection/portable';
export { type Remark, remarksOf, roundingInWords } from './caveats.ts';
export { listComponents, rowsInWords } from './result.ts';
