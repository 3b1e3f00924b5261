/** What the tables of the data user have in common. */
import { TaskId } from '@eigenveil/task/schema';
import { z } from 'zod';
import { SignedTask } from '../../messages/agreement.ts';
import type { RouteEntry } from '../table.ts';

export const TaskParams = z.strictObject({ taskId: TaskId });
export const PlaceInOrder = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

/** All routes but those of pages need the database. */
export const DATABASE = ['ERR_DATABASE_UNREACHABLE'] as const;
/** What every route of owners may answer. */
export const OWNERS = [...DATABASE, 'ERR_OWNER_REVOKED'] as const;

/** Asked by owners, and by the operator. */
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
