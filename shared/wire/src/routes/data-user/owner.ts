/** Routes of the data user for owners. */
import {
  BasisResponse,
  ProjectionResponse,
  ReceiptResponse,
  UploadResponse,
} from '../../messages/requests.ts';
import { StateResponse } from '../../messages/status.ts';
import { nextTask, OWNERS, PlaceInOrder, signedTask, TaskParams } from '../parts.ts';
import type { RouteTable } from '../table.ts';

/** Errors for which a contribution, or a piece of it, is refused. */
const CONTRIBUTING = [
  'ERR_TASK_UNKNOWN',
  'ERR_TASK_MISMATCH',
  'ERR_TASK_CLOSED',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_DEADLINE',
  'ERR_TASK_FULL',
  'ERR_RECORD_INVALID',
  'ERR_CONTRIBUTION_CONFLICT',
  'ERR_CONTRIBUTION_INCOMPLETE',
  'ERR_CONTRIBUTION_WITHDRAWN',
  'ERR_CIPHERTEXT_INVALID',
] as const;

export const OWNER_ROUTES = {
  signedTask,
  state: {
    method: 'get',
    path: '/tasks/:taskId/state',
    summary: 'The state of the task, which says whether it takes contributions and has a result',
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: { status: 200, description: 'The state', schema: StateResponse },
    problems: ['ERR_TASK_UNKNOWN', ...OWNERS],
  },
  nextTask,
  basis: {
    method: 'get',
    path: '/tasks/:taskId/basis',
    summary: 'What the task stands on, as owners get it who reduce their rows by it',
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: {
      status: 200,
      description: 'Every link of the chain before the task, with all that was signed about it',
      schema: BasisResponse,
    },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_INVALID', ...OWNERS],
  },
  contribute: {
    method: 'put',
    path: '/tasks/:taskId/contribution',
    summary: "Hand in the owner's contribution; its signed record is in the header Eigenveil-Record",
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    body: { binary: "The contribution's ciphertexts, each of fixed length, big-endian." },
    response: {
      status: 200,
      description: 'The receipt as JWS, once the contribution is durable',
      schema: ReceiptResponse,
    },
    problems: [...CONTRIBUTING, ...OWNERS],
  },
  upload: {
    method: 'get',
    path: '/tasks/:taskId/contribution/pieces',
    summary: "How much of the owner's contribution is there, of one that comes in pieces",
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: { status: 200, description: 'The digest and the number of pieces', schema: UploadResponse },
    problems: ['ERR_TASK_UNKNOWN', ...OWNERS],
  },
  contributePiece: {
    method: 'put',
    path: '/tasks/:taskId/contribution/pieces/:number',
    summary: "Hand in the next piece of the owner's contribution, which is longer than a request may be",
    auth: 'owner',
    fromPages: true,
    params: TaskParams.extend({ number: PlaceInOrder }),
    body: { binary: "The piece's ciphertexts, each of fixed length, big-endian." },
    response: {
      status: 200,
      description: 'How many pieces there are, once this one is durable',
      schema: UploadResponse,
    },
    problems: [...CONTRIBUTING, 'ERR_BUSY', ...OWNERS],
  },
  withdraw: {
    method: 'delete',
    path: '/tasks/:taskId/contribution',
    summary: "Withdraw the owner's contribution for good",
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: { status: 204, description: 'It is gone' },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_CONTRIBUTION_UNKNOWN',
      'ERR_TASK_CLOSED',
      'ERR_TASK_CANCELLED',
      ...OWNERS,
    ],
  },
  projection: {
    method: 'get',
    path: '/tasks/:taskId/projection',
    summary: 'The signed projection, for owners who contributed',
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: {
      status: 200,
      description:
        "The projection as JWS, the CSP's word about it, and where the owner's contribution is in that",
      schema: ProjectionResponse,
    },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_NOT_READY', 'ERR_AUTH_FORBIDDEN', 'ERR_TASK_CANCELLED', ...OWNERS],
  },
} as const satisfies RouteTable;
