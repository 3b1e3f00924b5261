/** The codes of errors of this package. Messages name a task's parameters, which are public. */
import { METHOD_CODES } from '@eigenveil/methods/codes';
import { PAILLIER_CODES } from '@eigenveil/paillier/codes';

export const TASK_CODES = { ...METHOD_CODES, ERR_KEY_TOO_SHORT: PAILLIER_CODES.ERR_KEY_TOO_SHORT };
