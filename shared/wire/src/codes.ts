/**
 * The stable error codes that programs of Eigenveil tell each other. A code of a package below stands in that
 * package's table; those of packages above stand here, since every program must know them.
 */
import { AUTHENTICATION_CODES } from '@eigenveil/authentication/codes';
import { PAILLIER_CODES } from '@eigenveil/paillier/codes';
import { codes } from '@eigenveil/platform';
import { PRIVACY_CODES } from '@eigenveil/privacy/codes';
import { STATISTICS_CODES } from '@eigenveil/statistics/codes';
import { TASK_CODES } from '@eigenveil/task/codes';

export const WIRE_CODES = codes({
  // Requests
  ERR_ROUTE_UNKNOWN: { status: 404, title: 'There is no such route' },
  ERR_BODY_MALFORMED: { status: 400, title: 'The request could not be parsed' },
  ERR_BODY_INVALID: { status: 422, title: 'The request has the wrong content' },
  ERR_PROTOCOL_VERSION: {
    status: 409,
    title: 'The two programs speak versions of the protocol that may not meet',
  },
  ERR_BODY_LENGTH: { status: 400, title: 'The request body has the wrong length' },
  ERR_BODY_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  ERR_CONTENT_TYPE: { status: 415, title: 'The content type is not supported here' },
  ERR_HEADERS_TOO_LARGE: { status: 431, title: 'The request line and headers are too large' },
  ERR_REQUEST_TIMEOUT: { status: 408, title: 'The request came too slowly' },
  ERR_RATE_LIMITED: { status: 429, title: 'Too many requests' },
  ERR_BUSY: { status: 503, title: 'The service is busy' },
  ERR_DATABASE_UNREACHABLE: { status: 503, title: 'The service cannot reach its database' },
  ERR_INTERNAL: { status: 500, title: 'The service failed' },
  ERR_DATABASE_ALTERED: { status: 500, title: 'The service refuses what it finds in its database' },
  // Authentication
  ERR_AUTH_REQUIRED: { status: 401, title: 'Authentication is missing or not valid' },
  ERR_TOKEN_EXPIRED: { status: 401, title: 'The token has expired' },
  ERR_PROOF_REPLAYED: { status: 401, title: 'The request proof was used before' },
  ERR_AUTH_FORBIDDEN: { status: 403, title: 'This identity may not do this' },
  ERR_ENROLMENT_TOKEN: { status: 403, title: 'The enrolment token is not valid' },
  ERR_OWNER_REVOKED: { status: 409, title: 'The CSP has revoked this owner' },
  ERR_REVOCATIONS_STALE: { status: 503, title: "The CSP's list of revoked owners is too old" },
  // Tasks
  ERR_TASK_UNKNOWN: { status: 404, title: 'There is no such task' },
  ERR_TASK_REFUSED: { status: 403, title: 'The task breaks the policy of the service' },
  ERR_SIMULATED_REFUSED: {
    status: 403,
    title: 'The simulated two-party protocol is not private and is refused',
  },
  ERR_TASK_CONFLICT: { status: 409, title: 'A task with this id has other parameters' },
  ERR_TASK_MISMATCH: { status: 409, title: 'The request belongs to another task' },
  ERR_TASK_CLOSED: { status: 409, title: 'The task is closed' },
  ERR_TASK_CANCELLED: { status: 409, title: 'The task was cancelled' },
  ERR_TASK_FULL: { status: 409, title: 'The task has its largest number of owners' },
  ERR_TASK_DEADLINE: { status: 409, title: 'The deadline of the task has passed' },
  ERR_QUOTA: { status: 429, title: 'The data user has as many tasks as the CSP allows it' },
  ERR_TASK_RESTORED: {
    status: 409,
    title: 'The task was given up when the data user was restored from a backup',
  },
  ERR_TASK_OPEN: { status: 409, title: 'The task still takes contributions' },
  ERR_NOT_READY: { status: 409, title: 'The result is not ready yet' },
  // Contributions
  ERR_RECORD_INVALID: { status: 400, title: "The owner's record is not valid" },
  ERR_CONTRIBUTION_UNKNOWN: { status: 404, title: 'There is no such contribution' },
  ERR_CONTRIBUTION_CONFLICT: { status: 409, title: 'The owner has contributed other bytes to this task' },
  ERR_CONTRIBUTION_PENDING: {
    status: 409,
    title: 'Another contribution of this owner to the task has no receipt yet',
  },
  ERR_CONTRIBUTION_INCOMPLETE: { status: 409, title: 'Pieces of the contribution are missing' },
  ERR_CONTRIBUTION_WITHDRAWN: { status: 409, title: 'The owner has withdrawn from this task' },
  ERR_RECORDS_CHANGED: {
    status: 409,
    title: 'The set of records is another one',
  },
  // Budgets that owners keep
  ERR_BUDGET_RESTORED: {
    status: 409,
    title: "The owner's budget is older than what the CSP has counted",
  },
  // The computation
  ERR_MINIMUM_OWNERS: { status: 409, title: 'Fewer owners than the minimum of the task' },
  ERR_OWNER_COUNT: { status: 422, title: 'The encrypted number of owners differs from the verified records' },
  ERR_TASK_ANSWERED: {
    status: 409,
    title: 'The CSP has answered this task as often as it may be',
  },
  ERR_ANSWER_DIFFERS: {
    status: 409,
    title: 'An answer that was resumed is not the same as before',
  },
  ERR_UNBLINDING_CONFLICT: { status: 409, title: 'The task has been unblinded with another request' },
  ERR_PROJECTION_CONFLICT: { status: 409, title: 'Another projection of the task was registered' },
  ERR_SINGLE_CLASS: { status: 422, title: 'All samples are of one class' },
  ERR_NO_SAMPLES: { status: 422, title: 'There are no samples' },
  ERR_STATISTICS_INVALID: { status: 422, title: 'The pooled statistics are not those of any rows' },
  ERR_NOT_POSITIVE_DEFINITE: { status: 422, title: 'The noise matrix is not positive definite' },
  ERR_ILL_CONDITIONED: {
    status: 422,
    title: 'The noise matrix is too close to singular for the two-party protocol',
  },
  ERR_TASK_RANGE: { status: 422, title: 'The two-party protocol does not support a task of this size' },
  // The two-party connection
  ERR_CHANNEL_CLOSED: { status: 503, title: 'The two-party connection was closed' },
  ERR_CHANNEL_TIMEOUT: { status: 504, title: 'The two-party connection timed out' },
  ERR_CHANNEL_MESSAGE: { status: 400, title: 'A two-party message has the wrong form' },
  ERR_CHANNEL_ABORTED: { status: 503, title: 'The two-party computation was given up' },
  ERR_OT_POINT: { status: 400, title: 'A message of the oblivious transfer holds no valid point' },
  ERR_OT_EXHAUSTED: { status: 500, title: 'More oblivious transfers were used than a set-up allows' },
  ERR_OT_CHECK: { status: 502, title: 'The oblivious transfers of a block contradict each other' },
  ERR_GARBLING_MESSAGE: { status: 400, title: 'A message of the garbled circuit has the wrong form' },
  ERR_GARBLING_CHECK: { status: 502, title: 'The garbled circuit was changed on the way' },
  ERR_ROTATION_CHECK: { status: 502, title: 'What was rotated cannot be that of any rows' },
  // Failures that a client finds at its peers
  ERR_PEER_UNREACHABLE: { status: 503, title: 'The service cannot be reached' },
  ERR_PROXY: { status: 502, exit: 'usage', title: 'The proxy for outgoing connections cannot be used' },
  ERR_PEER_CERTIFICATE: { status: 502, exit: 'usage', title: "The service's certificate is not accepted" },
  ERR_PEER_TIMEOUT: { status: 504, title: 'The service did not answer in time' },
  ERR_PEER_PROTOCOL: { status: 502, title: 'The service gave an answer that the protocol does not allow' },
  ERR_CSP_IDENTITY: { status: 502, title: 'The CSP does not have the pinned identity' },
  ERR_AGREEMENT_INVALID: { status: 502, title: 'The task is not signed by the pinned CSP' },
  ERR_BASIS_INVALID: {
    status: 502,
    title: 'What the task stands on is not what the CSP has countersigned',
  },
  ERR_SERIES_INVALID: { status: 502, title: 'The task is not the next one of its series' },
  ERR_REVOCATIONS_INVALID: { status: 502, title: "The CSP's list of revoked owners is not valid" },
  ERR_RECEIPT_INVALID: { status: 502, title: 'The receipt is not valid' },
  ERR_PROJECTION_INVALID: { status: 502, title: 'The projection is not one of the agreed task' },
  ERR_PROVENANCE_INVALID: { status: 502, title: "The CSP's word about the result is not valid" },
  ERR_PROVENANCE_EXCLUDED: {
    status: 502,
    title: 'The contribution is not among those that the CSP has verified',
  },
  ERR_EVENT_INVALID: { status: 502, title: 'The event is not signed by the pinned authenticator' },
  ERR_POLICY: { status: 403, title: "The task breaks the owner's policy" },
});

/** The codes of all programs: of the packages below, and of this one. */
export const CODES = {
  ...AUTHENTICATION_CODES,
  ...PAILLIER_CODES,
  ...PRIVACY_CODES,
  ...STATISTICS_CODES,
  ...TASK_CODES,
  ...WIRE_CODES,
};
type All = typeof CODES;

/** A code that leaves a program has an HTTP status. */
export type ErrorCode = {
  [Name in keyof All]: All[Name] extends { readonly status: number } ? Name : never;
}[keyof All];

/** Every code that may leave a service. */
export const ERROR_CODES = (Object.keys(CODES) as (keyof All)[]).filter(
  (code): code is ErrorCode => 'status' in CODES[code],
);
