/** Error codes of the instrument. */
import { codes } from '@eigenveil/platform';

export const STUDY_CODES = codes({
  ERR_STUDY_DATA: { title: 'The rows do not suit the study', exit: 'usage' },
  ERR_STUDY_CONTRADICTED: {
    title: 'Measurements contradict what the study concludes, or a fact of it is missing',
  },
  ERR_STUDY_FAILED: { title: 'Cases of the study failed' },
});
