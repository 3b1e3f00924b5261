/** The code of what a report cannot say: raised before anything of it is written. */
import { codes } from '@eigenveil/platform';

export const REPORT_CODES = codes({ ERR_REPORT: { title: 'The report cannot say this' } });
