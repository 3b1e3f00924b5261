/** Rows in, exact integer statistics and their slot layout out; and files of rows. */
export { readFileBytes } from './files/disk.ts';
export * from './owner.ts';
