/** The refusal of more rows than a task accepts from one owner. */
import { CodedError, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { rowTerm } from '../csv/reading-terms.ts';

/** @param found the number of rows that there are, where it is known */
export function tooManyRows(most: number, found?: number): CodedError<'ERR_TOO_MANY_ROWS'> {
  const rows = found === undefined ? `more than ${most}` : String(found);
  return new CodedError(
    STATISTICS_CODES.ERR_TOO_MANY_ROWS,
    words`${rowTerm('rowsFound', `there are ${rows} rows`, rows)}; this task accepts at most ${most} per owner`,
  );
}
