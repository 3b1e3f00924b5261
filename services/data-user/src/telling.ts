/** What is told of a result: by the command line and by the console the same. */
export { listComponents, sharesOf } from './describe-result.ts';
export { type Remark, remarksOf } from './remarks.ts';
