/**
 * Parts that several tables of routes have in common.
 */
import { TaskId } from '@eigenveil/task/ids';
import { z } from 'zod';
import { SignedTask } from '../messages/agreement.ts';
import { NextTask } from '../messages/requests.ts';
import type { RouteEntry } from './table.ts';

export const TaskParams = z.strictObject({ taskId: TaskId });

/** The most bytes of a body without long members. */
export const SMALL_BODY_BYTES = 4096;

/** Every route needs the database, except those of pages. */
export const DATABASE = ['ERR_DATABASE_UNREACHABLE'] as const;
/** Errors of every route for owners. */
export const OWNERS = [...DATABASE, 'ERR_OWNER_REVOKED'] as const;

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

/** Owners use this route, and so does the operator. */
export const nextTask = {
  method: 'get',
  path: '/tasks/:taskId/next',
  summary: 'The task that renews this one, as owners get it',
  auth: ['owner', 'operator'],
  fromPages: true,
  params: TaskParams,
  response: { status: 200, description: 'The signed task, or null before there is one', schema: NextTask },
  problems: ['ERR_TASK_UNKNOWN', ...OWNERS],
} as const satisfies RouteEntry;
