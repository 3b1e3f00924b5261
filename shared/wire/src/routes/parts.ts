/** Parts that the tables of several services have in common. */
import { TaskId } from '@eigenveil/task/schema';
import { z } from 'zod';

export const TaskParams = z.strictObject({ taskId: TaskId });

/** The most bytes of a body without long members. */
export const SMALL_BODY_BYTES = 4096;

/** Every route needs the database, except those of pages. */
export const DATABASE = ['ERR_DATABASE_UNREACHABLE'] as const;
/** Errors of every route for owners. */
export const OWNERS = [...DATABASE, 'ERR_OWNER_REVOKED'] as const;
