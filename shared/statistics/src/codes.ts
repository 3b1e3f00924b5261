/** The codes of errors of this package. Messages name rows, columns and expectations, and never hold a cell of an owner's data. */
import { codes } from '@eigenveil/platform';

export const STATISTICS_CODES = codes({
  ERR_NOT_FINITE: { status: 422, title: 'A number is not finite' },
  ERR_CLIPPED: { title: 'Most cells of a feature lie outside of its range', exit: 'usage' },
  ERR_COLUMN_TYPE: { title: 'A column has a type that is read nowhere', exit: 'usage' },
  ERR_CSV_CELL: { title: 'A cell is not what its column needs', exit: 'usage' },
  ERR_CSV_COLUMNS: { title: 'The columns are not those of the task', exit: 'usage' },
  ERR_CSV_ROW: { title: 'A row has another number of cells than the header row', exit: 'usage' },
  ERR_CSV_SYNTAX: { title: 'The file is not well-formed CSV', exit: 'usage' },
  ERR_DUCKDB_MISSING: { title: 'DuckDB is needed and not installed', exit: 'usage' },
  ERR_ENCODING: { title: 'The file has bytes that its encoding does not have', exit: 'usage' },
  ERR_FILE_REPEATED: { title: 'Two files of rows are the same', exit: 'usage' },
  ERR_FILE_UNREADABLE: { title: 'A file of rows cannot be read', exit: 'usage' },
  ERR_NO_ROWS: { title: 'There are no rows', exit: 'usage' },
  ERR_OUT_OF_RANGE: { title: 'A cell lies outside of the range of its feature', exit: 'usage' },
  ERR_QUERY: { title: 'The query cannot be run', exit: 'usage' },
  ERR_ROW_OPTIONS: { title: 'Options do not go with this kind of rows', exit: 'usage' },
  ERR_SQL_NAME: { title: 'A column cannot be named in SQL', exit: 'usage' },
  ERR_SQL_PRIVACY: { title: 'No statement adds up rows for differential privacy', exit: 'refused' },
  ERR_SQL_SKETCH: { title: 'No statement computes the sums of a sketch', exit: 'refused' },
  ERR_SQL_WIDTH: { title: 'The sums are too large for this dialect', exit: 'refused' },
  ERR_STATISTICS_FILE: { title: 'The file of sums is not one of the task', exit: 'usage' },
  ERR_STATISTICS_LENGTH: { title: 'The statistics have another shape than the task' },
  ERR_TOO_MANY_ROWS: { title: 'There are more rows than the task allows', exit: 'usage' },
  ERR_UNKNOWN_CLASS: { title: 'A label is none of the classes of the task', exit: 'usage' },
  ERR_UNREADABLE_CELLS: { title: 'Many cells of a feature are no numbers', exit: 'usage' },
});
export type StatisticsCode = keyof typeof STATISTICS_CODES;
