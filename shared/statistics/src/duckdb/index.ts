/** Rows that are not in CSV, read by DuckDB, which is installed beside this package by those who need it. */
export { readStoredRecords, writeCsv, writeParquet } from './parquet.ts';
export { readStoredRows, type StoredRowOptions, type StoredRows } from './rows.ts';
