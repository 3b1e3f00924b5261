/** Parts that the tables of the data user have in common. */
import { z } from 'zod';
import { SignedTask } from '../../messages/agreement.ts';
import { OWNERS, TaskParams } from '../parts.ts';
import type { RouteEntry } from '../table.ts';

export const PlaceInOrder = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

/** Owners use this route, and so does the operator. */
export const signedTask = {
  method: 'get',
  path: '/tasks/:taskId',
  summary: 'The task with the signature of the CSP',
  auth: ['owner', 'operator'],
  fromPages: true,
  params: TaskParams,
  response: { status: 200, description: 'The signed task', schema: SignedTask },
  problems: ['ERR_TASK_UNKNOWN', ...OWNERS],
} as const satisfies RouteEntry;
