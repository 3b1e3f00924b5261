/** Rows that are not in CSV, read by DuckDB, which is installed beside this package by those who need it. */
export { writeCsv, writeParquet } from './parquet.ts';
export { readStoredRecords } from './records.ts';
export { readStoredRows, type StoredRowOptions, type StoredRows } from './rows.ts';
