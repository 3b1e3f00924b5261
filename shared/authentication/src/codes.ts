/**
 * The codes of errors of continuous authentication. Messages name arguments, places and public numbers, and never hold a value of a window, a
 * template or a score.
 */
import { codes } from '@eigenveil/platform';

export const AUTHENTICATION_CODES = codes({
  ERR_USER_UNKNOWN: { status: 404, title: 'There is no such user' },
  ERR_USER_CONFLICT: { status: 409, title: 'The user is in a state that does not allow this' },
  ERR_DEVICE_REVOKED: { status: 403, title: 'The key of this device is no longer admitted' },
  ERR_DEVICE_CONFLICT: { status: 409, title: 'The key of this device is or was that of a user' },
  ERR_RENEWAL_REQUIRED: { status: 409, title: 'The user must be enrolled again, by a renewal' },
  ERR_PROJECTION_UNLISTED: { status: 422, title: 'The projection is not one of those in use' },
  ERR_SESSION_UNKNOWN: { status: 404, title: 'There is no such session' },
  ERR_WINDOW_ORDER: { status: 409, title: 'The windows are not the next ones of their session' },
  ERR_WINDOW_INVALID: { status: 422, title: 'The windows are not those of the projection' },
  ERR_EVENT_UNKNOWN: { status: 409, title: 'There is no such event yet' },
  ERR_EVENT_STALE: { status: 409, title: 'The event is not the one that the user waits at' },
  ERR_EVENTS_MISSED: { status: 410, title: 'Events are kept no longer' },
  ERR_CALIBRATION_INVALID: { title: 'The calibration is not valid' },
  ERR_SCORE_INVALID: { title: 'A score is not a number' },
  ERR_SEED_INVALID: { title: 'The seed is not valid' },
  ERR_SETTINGS_INVALID: { title: 'The settings are not valid' },
  ERR_TEMPLATE_INVALID: { title: 'The template is not valid' },
  ERR_TOO_FEW_WINDOWS: { title: 'There are too few windows' },
});
