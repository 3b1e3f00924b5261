/** Routes of the data user for operators, who use them by command line, program or console. */
import { TaskId } from '@eigenveil/task/ids';
import { TaskCreation } from '@eigenveil/task/schema';
import { z } from 'zod';
import { SignedTask } from '../../messages/agreement.ts';
import {
  ConsoleSession,
  ConsoleSessionRequest,
  TaskListLine,
  TaskProgressLine,
} from '../../messages/console.ts';
import { RenewalRequest, ResultResponse, TASK_BODY_BYTES } from '../../messages/requests.ts';
import { Sought, TaskList, TaskOwners, TaskStatus } from '../../messages/status.ts';
import { DATABASE, nextTask, PlaceInOrder, signedTask, TaskParams } from '../parts.ts';
import type { RouteTable } from '../table.ts';

const EMPTY_BODY = { json: z.strictObject({}), limitBytes: 64 } as const;

/** Errors for which a task is not opened. */
const OPENING = [
  'ERR_TASK_INVALID',
  'ERR_KEY_TOO_SHORT',
  'ERR_TOO_MANY_COMPONENTS',
  'ERR_FULL_RANK',
  'ERR_PACKING_TOO_NARROW',
  'ERR_DP_PARAMETER',
  'ERR_TASK_REFUSED',
  'ERR_SIMULATED_REFUSED',
  'ERR_TASK_CONFLICT',
  'ERR_TASK_CANCELLED',
  'ERR_BUSY',
  'ERR_PEER_UNREACHABLE',
  'ERR_CSP_IDENTITY',
  'ERR_AGREEMENT_INVALID',
  'ERR_KEY_INVALID',
] as const;

export const OPERATOR_ROUTES = {
  createTask: {
    method: 'post',
    path: '/tasks',
    summary: 'Propose a task to the CSP and open it, once for each id',
    auth: 'operator',
    body: { json: TaskCreation, limitBytes: TASK_BODY_BYTES },
    response: { status: 201, description: 'The task with the signature of the CSP', schema: SignedTask },
    problems: [...OPENING, ...DATABASE],
  },
  tasks: {
    method: 'get',
    path: '/tasks',
    summary:
      'The tasks proposed last, or last before another one, newest first; all of them, or those whose id or title has a text',
    auth: 'operator',
    query: z.strictObject({ before: TaskId.optional(), sought: Sought.optional() }),
    response: { status: 200, description: 'A page of tasks', schema: TaskList },
    problems: ['ERR_TASK_UNKNOWN', ...DATABASE],
  },
  signedTask,
  nextTask,
  status: {
    method: 'get',
    path: '/tasks/:taskId/status',
    summary: 'How far a task is',
    auth: 'operator',
    params: TaskParams,
    response: { status: 200, description: 'State, contributions and timings', schema: TaskStatus },
    problems: ['ERR_TASK_UNKNOWN', ...DATABASE],
  },
  owners: {
    method: 'get',
    path: '/tasks/:taskId/owners',
    summary:
      'Who contributed to a task and who withdrew: the first ones, or those after the one with a number',
    auth: 'operator',
    params: TaskParams,
    query: z.strictObject({ after: PlaceInOrder.optional() }),
    response: { status: 200, description: 'A page of owners', schema: TaskOwners },
    problems: ['ERR_TASK_UNKNOWN', ...DATABASE],
  },
  closeTask: {
    method: 'post',
    path: '/tasks/:taskId/close',
    summary: 'End collection and start the computation',
    auth: 'operator',
    params: TaskParams,
    body: EMPTY_BODY,
    response: { status: 202, description: 'The state after it', schema: TaskStatus },
    problems: [
      'ERR_TASK_UNKNOWN',
      'ERR_MINIMUM_OWNERS',
      'ERR_TASK_CANCELLED',
      'ERR_TASK_CLOSED',
      'ERR_REVOCATIONS_STALE',
      'ERR_REVOCATIONS_INVALID',
      ...DATABASE,
    ],
  },
  cancelTask: {
    method: 'post',
    path: '/tasks/:taskId/cancel',
    summary: 'Cancel a task and destroy its contributions',
    auth: 'operator',
    params: TaskParams,
    body: EMPTY_BODY,
    response: { status: 202, description: 'The state after it', schema: TaskStatus },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_CLOSED', ...DATABASE],
  },
  renewTask: {
    method: 'post',
    path: '/tasks/:taskId/renewal',
    summary: 'Renew a task: open the next one of its series, once',
    auth: 'operator',
    params: TaskParams,
    body: { json: RenewalRequest, limitBytes: 256 },
    response: { status: 201, description: 'The next task with the signature of the CSP', schema: SignedTask },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_OPEN', ...OPENING, ...DATABASE],
  },
  result: {
    method: 'get',
    path: '/tasks/:taskId/result',
    summary: 'The signed projection, for the operator',
    auth: 'operator',
    params: TaskParams,
    response: {
      status: 200,
      description: "The projection as JWS, and the CSP's word about it",
      schema: ResultResponse,
    },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_NOT_READY', 'ERR_TASK_CANCELLED', ...DATABASE],
  },
} as const satisfies RouteTable;

/** Routes that the console uses in addition to those of operators. */
export const CONSOLE_ROUTES = {
  openSession: {
    method: 'post',
    path: '/console/session',
    summary: "Exchange an operator's token for a bearer of the console",
    auth: 'none',
    body: { json: ConsoleSessionRequest, limitBytes: 2048 },
    response: { status: 200, description: 'The bearer, and how long it holds', schema: ConsoleSession },
    problems: ['ERR_AUTH_REQUIRED', 'ERR_TOKEN_EXPIRED', ...DATABASE],
  },
  renewSession: {
    method: 'post',
    path: '/console/session/renewal',
    summary: 'Another bearer of the same session, which ends no later for it',
    auth: 'console',
    body: EMPTY_BODY,
    response: { status: 200, description: 'The bearer, and how long it holds', schema: ConsoleSession },
    problems: ['ERR_TOKEN_EXPIRED', ...DATABASE],
  },
  followTask: {
    method: 'get',
    path: '/tasks/:taskId/progress',
    summary: 'How far a task is, at once and at every change until it is final',
    auth: 'operator',
    params: TaskParams,
    response: { status: 200, description: 'A line of JSON for each', lines: TaskProgressLine },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_BUSY', ...DATABASE],
  },
  followTasks: {
    method: 'get',
    path: '/progress',
    summary: 'The tasks proposed last, of all or of those that are sought, at once and at every change',
    auth: 'operator',
    query: z.strictObject({ sought: Sought.optional() }),
    response: { status: 200, description: 'A line of JSON for each', lines: TaskListLine },
    problems: ['ERR_BUSY', ...DATABASE],
  },
} as const satisfies RouteTable;
