/** Routes of the CSP for registered data users. */
import { Task } from '@eigenveil/task/schema';
import { z } from 'zod';
import { Digest } from '../../identity/digest.ts';
import {
  FixationRequest,
  LONGEST_RECORD,
  RECORDS_PER_REQUEST,
  SignedLink,
  TASK_BODY_BYTES,
} from '../../messages/requests.ts';
import { DATABASE, SMALL_BODY_BYTES, TaskParams } from '../parts.ts';
import type { RouteTable } from '../table.ts';

/** Two tasks, and the longest signed result, fit in. */
const PROPOSAL_BODY_BYTES = 2 * TASK_BODY_BYTES + 34 * 1024 * 1024;
/** The longest records fit in, with quotes and commas. */
const RECORDS_BODY_BYTES = RECORDS_PER_REQUEST * 2200;

const Jws = z.string().max(4096);

/** Errors of every route for data users, whose version is checked first. */
const DATA_USERS = [...DATABASE, 'ERR_PROTOCOL_VERSION', 'ERR_BODY_MALFORMED'] as const;

export const CSP_DATA_USER_ROUTES = {
  propose: {
    method: 'post',
    path: '/tasks',
    summary: 'Propose a task; the CSP makes its Paillier key and signs both',
    auth: 'dataUser',
    body: {
      json: z.strictObject({
        task: Task,
        /** The result that a sketch refines, and from which the CSP makes Ω; other tasks have none. */
        refined: SignedLink.exactOptional(),
      }),
      limitBytes: PROPOSAL_BODY_BYTES,
    },
    response: {
      status: 200,
      description: 'The signed agreement',
      schema: z.strictObject({ agreement: z.string().max(16_384) }),
    },
    problems: [
      'ERR_TASK_INVALID',
      'ERR_TASK_REFUSED',
      'ERR_SIMULATED_REFUSED',
      'ERR_TASK_CONFLICT',
      'ERR_TASK_CLOSED',
      'ERR_QUOTA',
      'ERR_BASIS_INVALID',
      'ERR_AGREEMENT_INVALID',
      'ERR_PROJECTION_INVALID',
      'ERR_PROVENANCE_INVALID',
      'ERR_KEY_TOO_SHORT',
      'ERR_TOO_MANY_COMPONENTS',
      'ERR_FULL_RANK',
      'ERR_PACKING_TOO_NARROW',
      'ERR_DP_PARAMETER',
      ...DATA_USERS,
    ],
  },
  sendRecords: {
    method: 'post',
    path: '/tasks/:taskId/records',
    summary: 'Hand in owner-signed records, which are verified and counted',
    auth: 'dataUser',
    params: TaskParams,
    body: {
      json: z.strictObject({
        records: z.array(z.string().max(LONGEST_RECORD)).min(1).max(RECORDS_PER_REQUEST),
      }),
      limitBytes: RECORDS_BODY_BYTES,
    },
    response: {
      status: 200,
      description: 'How many owners are verified',
      schema: z.strictObject({ verifiedOwners: z.int().min(0) }),
    },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_TASK_MISMATCH',
      'ERR_DATABASE_ALTERED',
      'ERR_TASK_CLOSED',
      'ERR_TASK_FULL',
      'ERR_RECORD_INVALID',
      'ERR_OWNER_REVOKED',
      'ERR_CONTRIBUTION_CONFLICT',
      ...DATA_USERS,
    ],
  },
  fixRecords: {
    method: 'post',
    path: '/tasks/:taskId/records/fixation',
    summary: 'Fix the task to its set of records; no revocation or withdrawal changes it from then on',
    auth: 'dataUser',
    params: TaskParams,
    body: { json: FixationRequest, limitBytes: SMALL_BODY_BYTES },
    response: {
      status: 200,
      description: 'How many owners it has',
      schema: z.strictObject({ verifiedOwners: z.int().min(1) }),
    },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_DATABASE_ALTERED',
      'ERR_TASK_CLOSED',
      'ERR_RECORDS_CHANGED',
      'ERR_MINIMUM_OWNERS',
      ...DATA_USERS,
    ],
  },
  revocations: {
    method: 'get',
    path: '/revocations',
    summary: 'The owners that this CSP has revoked, signed as of now',
    auth: 'dataUser',
    response: {
      status: 200,
      description: 'The list, as JWS',
      // Half a million owners fit in.
      schema: z.strictObject({ list: z.string().max(16_777_216) }),
    },
    problems: DATA_USERS,
  },
  unblind: {
    method: 'post',
    path: '/tasks/:taskId/unblinding',
    summary: 'Hand in the blinded aggregate for its one decryption',
    auth: 'dataUser',
    params: TaskParams,
    body: { binary: "The blinded aggregate's ciphertexts, each of fixed length, big-endian." },
    // The additive shares stay at the CSP.
    response: {
      status: 200,
      description: 'The signed statement of which records were verified, as JWS',
      schema: z.strictObject({ statement: Jws }),
    },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_DATABASE_ALTERED',
      'ERR_TASK_CLOSED',
      'ERR_MINIMUM_OWNERS',
      'ERR_UNBLINDING_CONFLICT',
      'ERR_CIPHERTEXT_INVALID',
      'ERR_CIPHERTEXT_LENGTH',
      'ERR_PACKING_OVERFLOW',
      ...DATA_USERS,
    ],
  },
  countersign: {
    method: 'post',
    path: '/tasks/:taskId/countersignature',
    summary: 'Register the salted digest of the projection; the first is countersigned, and no other',
    auth: 'dataUser',
    params: TaskParams,
    body: { json: z.strictObject({ projectionDigest: Digest }), limitBytes: SMALL_BODY_BYTES },
    response: {
      status: 200,
      description: 'The signed digest, as JWS',
      schema: z.strictObject({ countersignature: Jws }),
    },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_TASK_CLOSED',
      'ERR_NOT_READY',
      'ERR_PROJECTION_CONFLICT',
      'ERR_DATABASE_ALTERED',
      ...DATA_USERS,
    ],
  },
  end: {
    method: 'delete',
    path: '/tasks/:taskId',
    summary: "End a task: its key, the CSP's shares and the records are destroyed",
    auth: 'dataUser',
    params: TaskParams,
    response: { status: 204, description: 'The task has ended' },
    problems: ['ERR_TASK_UNKNOWN', ...DATA_USERS],
  },
} as const satisfies RouteTable;

/**
 * The WebSocket of the two-party computation, which a registered data user opens; OpenAPI has no words for
 * it.
 */
export const TWO_PARTY_PATH = '/tasks/:taskId/two-party';
