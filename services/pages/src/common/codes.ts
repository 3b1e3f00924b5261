/** The error codes of files that both pages refuse to draw. */
import { codes } from '@eigenveil/platform';

export const DRAWING_CODES = codes({
  ERR_ROWS_RAW: { title: 'The rows are not reduced' },
  ERR_ROWS_UNDRAWABLE: { title: 'The file does not hold reduced rows that can be drawn' },
});
