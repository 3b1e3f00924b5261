/** Routes of the CSP for owners. */
import { z } from 'zod';
import { CounterRequest } from '../../messages/owner-standing.ts';
import { EnrolmentResponse } from '../../messages/requests.ts';
import { OWNERS, SMALL_BODY_BYTES, TaskParams } from '../parts.ts';
import type { RouteTable } from '../table.ts';

export const CSP_OWNER_ROUTES = {
  enrol: {
    method: 'post',
    path: '/enrolments',
    summary: 'Enrol a data owner with a one-time token',
    auth: 'enrolment',
    fromPages: true,
    body: {
      json: z.strictObject({ enrolmentToken: z.string().min(20).max(128) }),
      limitBytes: SMALL_BODY_BYTES,
    },
    response: { status: 200, description: 'Owner id and owner token', schema: EnrolmentResponse },
    problems: ['ERR_ENROLMENT_TOKEN', ...OWNERS],
  },
  count: {
    method: 'post',
    path: '/owners/counter',
    summary: "Count the next entry of the owner's ledger, and sign what is counted then",
    auth: 'owner',
    fromPages: true,
    body: { json: CounterRequest, limitBytes: SMALL_BODY_BYTES },
    response: {
      status: 200,
      description: 'What is counted, as JWS',
      schema: z.strictObject({ counter: z.string().max(4096) }),
    },
    problems: OWNERS,
  },
  withdraw: {
    method: 'delete',
    path: '/tasks/:taskId/record',
    summary: 'Withdraw the owner for good: its record does not count, whoever hands it in',
    auth: 'owner',
    fromPages: true,
    params: TaskParams,
    response: { status: 204, description: 'It does not count' },
    problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_CLOSED', ...OWNERS],
  },
} as const satisfies RouteTable;
