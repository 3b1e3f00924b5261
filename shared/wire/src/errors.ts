/**
 * The stable error codes of Eigenveil and their form on the wire: problem details, application/problem+json (RFC 9457).
 */

interface CodeInfo {
  readonly status: number;
  readonly title: string;
}

/** Every code that may leave a service or reach a command line, with its HTTP status and a title that never varies. */
const CODES = {
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
  ERR_TASK_INVALID: { status: 422, title: 'The task is not valid' },
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
  ERR_FULL_RANK: { status: 422, title: 'The result would reveal the whole scatter matrix' },
  ERR_TOO_MANY_COMPONENTS: { status: 422, title: 'More components than the method can have' },
  ERR_KEY_TOO_SHORT: { status: 422, title: 'The key is too short to be safe' },
  ERR_PACKING_TOO_NARROW: {
    status: 422,
    title: 'One value does not fit into a plaintext of this key length',
  },
  // Contributions
  ERR_RECORD_INVALID: { status: 400, title: "The owner's record is not valid" },
  ERR_CIPHERTEXT_INVALID: { status: 400, title: 'A ciphertext is not valid' },
  ERR_CIPHERTEXT_LENGTH: { status: 400, title: 'The ciphertexts have the wrong length' },
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
  ERR_BUDGET_EXHAUSTED: { status: 403, title: "The owner's budget does not cover the task" },
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
  ERR_PACKING_OVERFLOW: { status: 422, title: 'A sum left the range that the task allows it' },
  ERR_NOT_POSITIVE_DEFINITE: { status: 422, title: 'The noise matrix is not positive definite' },
  ERR_ILL_CONDITIONED: {
    status: 422,
    title: 'The noise matrix is too close to singular for the two-party protocol',
  },
  ERR_NOT_FINITE: { status: 422, title: 'A number is not finite' },
  ERR_PROGRAM_INVALID: { status: 422, title: 'The task does not fit its method or its two-party protocol' },
  ERR_DP_PARAMETER: { status: 422, title: 'The differential-privacy setting is not valid' },
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
  ERR_PRODUCT_CHECK: {
    status: 502,
    title: 'A two-party product was changed on the way, or its rows do not belong to one matrix',
  },
  // Continuous authentication
  ERR_USER_UNKNOWN: { status: 404, title: 'There is no such user' },
  ERR_USER_CONFLICT: { status: 409, title: 'The user is in a state that does not allow this' },
  ERR_DEVICE_REVOKED: { status: 403, title: 'The key of this device is no longer admitted' },
  ERR_DEVICE_CONFLICT: { status: 409, title: 'The key of this device is or was that of a user' },
  ERR_RENEWAL_REQUIRED: { status: 409, title: 'The user must be enrolled anew, by a renewal' },
  ERR_PROJECTION_UNLISTED: { status: 422, title: 'The projection is not one of those in use' },
  ERR_SESSION_UNKNOWN: { status: 404, title: 'There is no such session' },
  ERR_WINDOW_ORDER: { status: 409, title: 'The windows are not the next ones of their session' },
  ERR_WINDOW_INVALID: { status: 422, title: 'The windows are not those of the projection' },
  ERR_EVENT_UNKNOWN: { status: 409, title: 'There is no such event yet' },
  ERR_EVENT_STALE: { status: 409, title: 'The event is not the one that the user waits at' },
  ERR_EVENTS_MISSED: { status: 410, title: 'Events are kept no longer' },
  // What a client finds out about its peers
  ERR_PEER_UNREACHABLE: { status: 503, title: 'The service cannot be reached' },
  ERR_PROXY: { status: 502, title: 'The proxy for outgoing connections cannot be used' },
  ERR_PEER_CERTIFICATE: { status: 502, title: "The service's certificate is not accepted" },
  ERR_PEER_TIMEOUT: { status: 504, title: 'The service did not answer in time' },
  ERR_PEER_PROTOCOL: { status: 502, title: 'The service gave an answer that the protocol does not allow' },
  ERR_CSP_IDENTITY: { status: 502, title: 'The CSP does not have the pinned identity' },
  ERR_AGREEMENT_INVALID: { status: 502, title: 'The task is not signed by the pinned CSP' },
  ERR_BASIS_INVALID: {
    status: 502,
    title: 'What the task stands on is not what the CSP has countersigned',
  },
  ERR_SERIES_INVALID: { status: 502, title: 'The task is not the next one of its series' },
  ERR_KEY_INVALID: { status: 502, title: 'The Paillier key is not valid' },
  ERR_ENCODING_INVALID: { status: 502, title: 'A number is not in its one valid encoding' },
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
} as const satisfies Record<`ERR_${string}`, CodeInfo>;

export type ErrorCode = keyof typeof CODES;

export const ERROR_CODES = Object.keys(CODES) as readonly ErrorCode[];

/** Problem details as they travel; `type` is `urn:eigenveil:error:` and the code in lower case with hyphens. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail?: string;
}

/** An error with a stable code. Its message reaches the peer, so it must never carry a secret, a key or an owner's value. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = CODES[code].status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** What a code says, in words that never vary. */
export function titleOf(code: ErrorCode): string {
  return CODES[code].title;
}

/** True when `code` is one of ours; Node's own codes (ERR_INVALID_ARG_TYPE …) are not. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(CODES, code);
}

/** The code of an error of any package, or undefined when it carries none of ours. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return isErrorCode(code) ? code : undefined;
}

/**
 * What a peer may see of an error: code, title and message when the code is ours, and nothing but ERR_INTERNAL
 * otherwise, because the message of a foreign error may carry anything. What is wrong in a service is for its operator: such codes
 * go without the message.
 * @example
 * import { ServiceError, toProblem } from '@eigenveil/wire';
 *
 * toProblem(new ServiceError('ERR_BUSY', 'ask again in a second')).status; // → 503
 * toProblem(new Error('whatever it may say')).code; // → 'ERR_INTERNAL'
 */
export function toProblem(error: unknown): Problem {
  const code = errorCodeOf(error) ?? 'ERR_INTERNAL';
  if (code === 'ERR_INTERNAL' || code === 'ERR_DATABASE_ALTERED') return describe(code);
  return { ...describe(code), detail: (error as Error).message };
}

/** The error that a peer's problem details stand for. */
export function fromProblem(problem: Problem, retryAfterSeconds?: number): ServiceError {
  return new ServiceError(problem.code, problem.detail ?? problem.title, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function describe(code: ErrorCode): Problem {
  const { status, title } = CODES[code];
  const token = code.slice('ERR_'.length).toLowerCase().replaceAll('_', '-');
  return { type: `urn:eigenveil:error:${token}`, title, status, code };
}
