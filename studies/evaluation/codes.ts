/** The codes of errors of this package. Messages name files, members and what was expected of them. */
import { codes } from '@eigenveil/platform';

export const EVALUATION_CODES = codes({
  ERR_ATTACK_FAILED: { title: 'An attack has failed' },
  ERR_ATTACK_INVALID: { title: 'An attack is not valid' },
  ERR_ATTACK_MISSING: { title: 'There is no such attack' },
  ERR_EVALUATION: { title: 'A claim is refuted, a known leak was not found, or an experiment failed' },
  ERR_TOO_NOISY: {
    exit: 'unavailable',
    title: 'The noise of this machine hides a known leak: run again where less else is running',
  },
  ERR_SCENE: { title: "No scene can be made from the user's own task or rows" },
  ERR_VIEW_BROKEN: {
    title: 'A bundle of views was changed, cut off or put together from others, or its key is another one',
  },
  ERR_VIEW_FORMAT: {
    title:
      'There is no bundle of views, it is one of another version, or its lines are not what they should be',
  },
  ERR_VIEW_UNREADABLE: { title: 'The parts of what was recorded cannot be separated or deciphered' },
});
