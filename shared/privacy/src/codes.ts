/**
 * The codes of errors of this package. Their messages name privacy parameters, which are public, and never a
 * value that must be protected.
 */
import { codes } from '@eigenveil/platform';

export const PRIVACY_CODES = codes({
  ERR_BUDGET_EXHAUSTED: { status: 403, title: "The owner's budget does not cover the task" },
  ERR_DP_PARAMETER: { status: 422, title: 'The differential-privacy setting is not valid' },
});
