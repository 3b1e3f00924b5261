/** Statistics where the rows are: the SQL statement that computes them in a database, and what its result says. */
export { statisticsOfResult } from './result.ts';
export { type StatementOptions, sqlStatement } from './statement.ts';
