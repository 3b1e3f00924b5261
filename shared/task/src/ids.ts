/** The names of tasks and of servers. */
import { randomBytes, toBase64url } from '@eigenveil/platform';
import { z } from 'zod';

/** SHA-256 thumbprint of a public key, base64url: 43 characters. It says who a server of the task is. */
export const Thumbprint = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected a thumbprint of 43 characters, as the command identity prints it')
  .brand('Thumbprint');
export type Thumbprint = z.infer<typeof Thumbprint>;

/**
 * 16 random bytes, base64url: not enumerable. The first character is no hyphen, which command lines take for
 * a flag.
 */
export const TaskId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
  .brand('TaskId');
export type TaskId = z.infer<typeof TaskId>;

export function newTaskId(): TaskId {
  for (;;) {
    const id = TaskId.safeParse(toBase64url(randomBytes(16)));
    if (id.success) return id.data;
  }
}

/** The unit of deadlines, and of how long a task is kept after its own. */
export const DAY_MILLISECONDS = 86_400_000;
