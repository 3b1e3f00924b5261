/**
 * Sentences for the person at this page about refusals of services and about answers that an owner finds wrong, by
 * their codes: the texts of services name members of requests, and are for those who run programs.
 */
import type { CodedError } from '@eigenveil/platform';
import { type ErrorCode, errorCodeOf, titleOf } from '@eigenveil/wire/errors';
import type { CSP_OWNER_ROUTES } from '@eigenveil/wire/routes/csp/owner';
import type { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import { capital } from '../common/format.ts';
import { pageWords } from './words.ts';

type Problems<Table> = Table[keyof Table] extends { readonly problems: readonly (infer Code)[] }
  ? Code
  : never;

/** The codes of an owner's routes themselves. */
type OfRoutes = Problems<typeof OWNER_ROUTES> | Problems<typeof CSP_OWNER_ROUTES>;

/** The codes that any route may have, of one who authenticates and sends something. */
type OfAnyRoute =
  | 'ERR_AUTH_REQUIRED'
  | 'ERR_BODY_INVALID'
  | 'ERR_BODY_LENGTH'
  | 'ERR_BODY_MALFORMED'
  | 'ERR_BODY_TOO_LARGE'
  | 'ERR_CIPHERTEXT_LENGTH'
  | 'ERR_CONTENT_TYPE'
  | 'ERR_DATABASE_ALTERED'
  | 'ERR_HEADERS_TOO_LARGE'
  | 'ERR_INTERNAL'
  | 'ERR_PROOF_REPLAYED'
  | 'ERR_RATE_LIMITED'
  | 'ERR_REQUEST_TIMEOUT'
  | 'ERR_REVOCATIONS_STALE'
  | 'ERR_ROUTE_UNKNOWN'
  | 'ERR_TOKEN_EXPIRED';

/** Says what has happened and what the owner can do, with `enrol` where that begins with another invitation. */
interface Told {
  readonly says: string;
  readonly next?: string;
  readonly enrol?: true;
}

const STRANGE_PAGE: Told = {
  says: 'The service does not understand this page.',
  next: 'One of the two may be older than the other. Load the page again; if that does not help, tell whoever hosts it.',
};
const OTHER_BYTES: Told = {
  says: 'The data user has not taken the encrypted sums: they are not those of this task, or were changed on the way.',
  next: 'Load the page again, and read your file again.',
};
const LATER: Told = {
  says: 'The service has no time, or cannot work at the moment.',
  next: 'Wait a minute, and try again.',
};
const FAILED: Told = {
  says: 'The service has failed.',
  next: 'Try again later. Its operator finds more about it in the log.',
};
const ANOTHER_TASK = 'Ask the data user whether there will be another task.';

/** By code, what a service tells that has refused. */
const REFUSALS: Readonly<Record<OfRoutes | OfAnyRoute, Told>> = {
  ERR_ENROLMENT_TOKEN: { says: 'This invitation was used already, or is too old.' },
  ERR_OWNER_REVOKED: {
    says: 'The CSP has revoked you as an owner, for good.',
    next: 'Ask its operator why. To take part again you need another invitation, and a new key.',
  },
  ERR_TOKEN_EXPIRED: {
    says: 'Your enrolment at the CSP has expired.',
    next: 'Ask whoever invited you for a new invitation, and open it in this browser: by your key you stay the same owner.',
    enrol: true,
  },
  ERR_AUTH_REQUIRED: {
    says: 'The service does not know you as an enrolled owner.',
    next: 'Check the clock of this device, which has to be right. If it is, you may have enrolled at another CSP than that of this task: open the invitation to the task.',
    enrol: true,
  },
  ERR_AUTH_FORBIDDEN: {
    says: 'The service does not let you have this. A result goes to owners who have contributed, and only where the task says so.',
  },
  ERR_PROOF_REPLAYED: {
    says: 'The service had this very request before.',
    next: 'Try again. If it happens often, somebody may repeat your requests: tell the operator of the service.',
  },
  ERR_REVOCATIONS_STALE: {
    says: 'The data user has not heard from the CSP for too long, and takes nothing until it has.',
    next: 'Try again later.',
  },
  ERR_TASK_UNKNOWN: {
    says: 'The data user has no task with this id that owners could see.',
    next: 'Compare the id with the one that you were told. The CSP may not have signed the task yet: then try again later.',
  },
  ERR_TASK_INVALID: {
    says: 'The data user cannot show what this task stands on.',
    next: 'Tell the data user.',
  },
  ERR_TASK_MISMATCH: {
    says: 'Your contribution was made for another task, or for another key.',
    next: 'Load the page again, and read your file again.',
  },
  ERR_TASK_CLOSED: { says: 'The task is closed: it takes no contribution and no withdrawal any more.' },
  ERR_TASK_CANCELLED: { says: 'The task was cancelled: there is no result.', next: ANOTHER_TASK },
  ERR_TASK_DEADLINE: {
    says: 'The deadline of the task has passed: it takes no contributions any more.',
    next: ANOTHER_TASK,
  },
  ERR_TASK_FULL: { says: 'As many owners have contributed as the task takes.', next: ANOTHER_TASK },
  ERR_NOT_READY: { says: 'There is no result yet.', next: 'Come back later.' },
  ERR_RECORD_INVALID: {
    says: 'The data user has not taken your signature under the contribution.',
    next: 'Load the page again, and read your file again. If that does not help, ask for another invitation, and enrol again.',
  },
  ERR_CONTRIBUTION_UNKNOWN: { says: 'The data user has no contribution of yours to this task.' },
  ERR_CONTRIBUTION_CONFLICT: {
    says: 'The data user has another contribution of yours to this task, which counts.',
    next: 'A task takes one of each owner. You can withdraw, but then you take no more part in this task.',
  },
  ERR_CONTRIBUTION_INCOMPLETE: {
    says: 'Pieces of your contribution have not arrived.',
    next: 'Read the same file again: what is missing is sent once more.',
  },
  ERR_CONTRIBUTION_WITHDRAWN: { says: 'You have withdrawn from this task, which is for good.' },
  ERR_CIPHERTEXT_INVALID: OTHER_BYTES,
  ERR_CIPHERTEXT_LENGTH: OTHER_BYTES,
  ERR_BODY_LENGTH: OTHER_BYTES,
  ERR_BODY_TOO_LARGE: OTHER_BYTES,
  ERR_BODY_MALFORMED: STRANGE_PAGE,
  ERR_BODY_INVALID: STRANGE_PAGE,
  ERR_CONTENT_TYPE: STRANGE_PAGE,
  ERR_HEADERS_TOO_LARGE: STRANGE_PAGE,
  ERR_ROUTE_UNKNOWN: STRANGE_PAGE,
  ERR_RATE_LIMITED: {
    says: 'The service has had too many requests from your network.',
    next: 'Wait a minute, and try again.',
  },
  ERR_BUSY: LATER,
  ERR_DATABASE_UNREACHABLE: LATER,
  ERR_REQUEST_TIMEOUT: {
    says: 'The connection was too slow for the service.',
    next: 'Try again, perhaps from another network.',
  },
  ERR_INTERNAL: FAILED,
  ERR_DATABASE_ALTERED: FAILED,
};

const NOT_SIGNED = 'Do not use it, and tell the data user and the CSP’s operator.';

/** By code, what an owner finds wrong with an answer, whoever has noticed it. */
const FOUND = {
  ERR_PROTOCOL_VERSION: STRANGE_PAGE,
  ERR_PEER_PROTOCOL: {
    says: 'The answer is none that this page understands.',
    next: 'Compare the address with the one in your invitation. If it is right, tell whoever hosts this page: it may be older than the service, or something else has answered.',
  },
  ERR_CSP_IDENTITY: {
    says: 'The CSP at this address has another key than the one that you were told.',
    next: 'Compare the thumbprint with the one that you were told by another way, and do not go on where they differ.',
  },
  ERR_AGREEMENT_INVALID: {
    says: 'The task is not as your CSP has signed it, or another CSP has signed it.',
    next: 'If you were invited to it by another CSP, open that invitation; otherwise tell whoever invited you.',
  },
  ERR_KEY_INVALID: {
    says: 'The key of the task, by which sums are encrypted, is not valid.',
    next: 'Tell the data user and the CSP’s operator.',
  },
  ERR_BASIS_INVALID: {
    says: 'What this task stands on is not what your CSP has countersigned.',
    next: 'Tell the data user and the CSP’s operator.',
  },
  ERR_SERIES_INVALID: {
    says: 'This task is not the next one for you in its series.',
    next: 'Look for the next task at the one that you contributed to last. You may have contributed in another tab meanwhile.',
  },
  ERR_RECEIPT_INVALID: {
    says: 'The data user has given a receipt that is not for what was sent.',
    next: 'Your contribution is kept here. Tell the data user, and read the same file again later.',
  },
  ERR_PROJECTION_INVALID: {
    says: 'The result is not one of this task that the data user has signed.',
    next: NOT_SIGNED,
  },
  ERR_PROVENANCE_INVALID: {
    says: 'The result is not the one that your CSP has countersigned.',
    next: NOT_SIGNED,
  },
  ERR_PROVENANCE_EXCLUDED: {
    says: 'The result is one without your contribution.',
    next: 'Ask the data user why it was left out.',
  },
} as const satisfies Partial<Record<ErrorCode, Told>>;

const has = <Table extends object>(table: Table, code: PropertyKey): code is keyof Table =>
  Object.hasOwn(table, code);

/** Says what an error is, in the words of this page, and what the owner can do. */
export function toldOf(error: CodedError): Told {
  const code = errorCodeOf(error);
  if (code !== undefined && has(FOUND, code)) return FOUND[code];
  if (code === undefined || error.parameters.toldByService !== true)
    return { says: capital(pageWords(error.words)) };
  // A task that has failed has any code, by which the computation has ended.
  return has(REFUSALS, code) ? REFUSALS[code] : { says: `${titleOf(code)}.` };
}
