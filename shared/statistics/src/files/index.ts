/** Files of rows on a disk, for Node.js: one, all of a folder, or all of a pattern. */
export { keepRows, STANDARD_INPUT } from './disk.ts';
export { isPattern } from './paths.ts';
export { recordsOfFiles, requireNoText, rowsOfFiles } from './rows.ts';
