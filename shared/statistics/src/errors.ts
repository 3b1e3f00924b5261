/** The one error class of this package: every failure that an owner or a task's author can act on carries a stable code. */

export type StatisticsErrorCode =
  | 'ERR_CLIPPED'
  | 'ERR_CSV_CELL'
  | 'ERR_CSV_COLUMNS'
  | 'ERR_CSV_ROW'
  | 'ERR_CSV_SYNTAX'
  | 'ERR_COLUMN_TYPE'
  | 'ERR_DUCKDB_MISSING'
  | 'ERR_ENCODING'
  | 'ERR_FILE_REPEATED'
  | 'ERR_FILE_UNREADABLE'
  | 'ERR_NOT_FINITE'
  | 'ERR_NO_ROWS'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_QUERY'
  | 'ERR_ROW_OPTIONS'
  | 'ERR_SQL_NAME'
  | 'ERR_SQL_PRIVACY'
  | 'ERR_SQL_SKETCH'
  | 'ERR_SQL_WIDTH'
  | 'ERR_STATISTICS_FILE'
  | 'ERR_STATISTICS_LENGTH'
  | 'ERR_TOO_MANY_ROWS'
  | 'ERR_UNKNOWN_CLASS'
  | 'ERR_UNREADABLE_CELLS';

/** Messages name rows, columns and expectations, and never hold a cell of an owner's data. */
export class StatisticsError extends Error {
  override readonly name = 'StatisticsError';
  readonly code: StatisticsErrorCode;

  constructor(code: StatisticsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
