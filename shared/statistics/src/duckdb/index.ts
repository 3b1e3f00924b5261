/** Rows that are not in CSV, read by DuckDB, which is installed beside this package by those who need it. */
export { readStoredRecords, writeParquet } from './parquet.ts';
export { readStoredRows } from './rows.ts';
