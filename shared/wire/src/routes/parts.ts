/** What the tables of several services have in common. */
import { TaskId } from '@eigenveil/task/schema';
import { z } from 'zod';

export const TaskParams = z.strictObject({ taskId: TaskId });

/** The most bytes of a body that has nothing long in it. */
export const SMALL_BODY_BYTES = 4096;

/** All routes but those of pages need the database. */
export const DATABASE = ['ERR_DATABASE_UNREACHABLE'] as const;
/** What every route of owners may answer. */
export const OWNERS = [...DATABASE, 'ERR_OWNER_REVOKED'] as const;
