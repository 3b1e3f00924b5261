/** Files of rows on a disk, for Node.js: one, all of a folder, or all of a pattern. */
export { formOfFile } from '../file.ts';
export { filesOf, isPattern } from './paths.ts';
export {
  type FileRecord,
  type FileRecords,
  type FileRowOptions,
  type FileRows,
  recordsOfFiles,
  requireNoText,
  rowsOfFiles,
} from './rows.ts';
