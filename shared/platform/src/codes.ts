/** The codes of errors of this package. */
import { codes } from './coded-error.ts';

export const PLATFORM_CODES = codes({
  ERR_ENCODING_INVALID: { status: 502, title: 'A number is not in its one valid encoding' },
});
