/**
 * The log of what operators did at the data user, in a chain of hashes (see ChainedLog), and the rules that
 * its entries follow.
 */
import { auditBroken, ChainedLog, LINK, type VerifiedLog } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import type { Digest } from '@eigenveil/wire';
import { z } from 'zod';

/**
 * - `signed in`: the operator's token was exchanged for a session of the console.
 * - `task created`, `task renewed`, `task closed`, `task cancelled`, `result fetched`: the operator has asked
 *   for it, of this task. It
 *   may have been refused then.
 * - `operator added`, `operator revoked`: by a command on the machine; the subject is the operator's name.
 * - `restored`: the database was put back from the backup with this digest, and all operators were revoked.
 */
const OPERATOR_OPERATIONS = [
  'signed in',
  'task created',
  'task renewed',
  'task closed',
  'task cancelled',
  'result fetched',
  'operator added',
  'operator revoked',
  'restored',
] as const;
export type OperatorOperation = (typeof OPERATOR_OPERATIONS)[number];

/** The operations that are done on the machine, without an operator. */
const ON_THE_MACHINE = ['operator added', 'operator revoked', 'restored'] as const;
const isOnTheMachine = (operation: OperatorOperation) =>
  (ON_THE_MACHINE as readonly OperatorOperation[]).includes(operation);

const Entry = z.strictObject({
  ...LINK,
  operator: z.string().nullable(),
  operation: z.enum(OPERATOR_OPERATIONS),
  taskId: TaskId.nullable(),
  subject: z.string().nullable(),
});
type OperatorEntry = z.infer<typeof Entry>;
export type OperatorAction = Pick<OperatorEntry, 'operator' | 'operation' | 'taskId' | 'subject'>;

export function onTheMachine(operation: (typeof ON_THE_MACHINE)[number], subject: string): OperatorAction {
  return { operator: null, operation, taskId: null, subject };
}

export const OPERATOR_LOG = new ChainedLog<OperatorAction>(Entry, [
  'operator',
  'operation',
  'taskId',
  'subject',
]);

/**
 * Checks the chain, and that every action was done by somebody who was an operator at that time.
 * @param admin the operator whom nobody adds
 * @throws ERR_AUDIT_BROKEN, which names the first entry that is wrong
 */
export function verifyOperatorLog(
  rows: readonly Record<string, unknown>[],
  admin: string,
  noted?: Digest,
): VerifiedLog<OperatorEntry> {
  const operators = new Set<string>();
  return OPERATOR_LOG.verify(rows, noted, ({ operator, operation, taskId, subject }, place) => {
    const require = (holds: boolean, expected: string) => {
      if (!holds) throw auditBroken(`${place} breaks the rules: "${operation}" expected ${expected}`);
    };
    const isOfTask = operation.startsWith('task ') || operation === 'result fetched';
    require((taskId !== null) === isOfTask, isOfTask ? 'a task' : 'no task');
    if (!isOnTheMachine(operation)) {
      require(subject === null, 'no subject');
      require(operator === admin ||
        operators.has(operator ?? ''), 'an operator who was added and not revoked');
      return;
    }
    require(operator === null && subject !== null, 'a subject, and no operator');
    if (operation === 'restored') operators.clear();
    else if (operation === 'operator added') operators.add(subject!);
    else require(operators.delete(subject!), 'an operator who was added and not revoked');
  });
}
