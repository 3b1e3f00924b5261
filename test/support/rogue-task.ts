/** Tasks of a data user that leaves the protocol, with what it may hand in for them. */
import { createLogger } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import type { SignedTask } from '@eigenveil/wire';
import { query } from './database.ts';
import { encryptValues, recordFor } from './requests.ts';
import type { RogueDataUser } from './rogue.ts';
import type { Enrolled, World } from './world.ts';

export interface RogueTask {
  readonly signed: SignedTask;
  readonly id: string;
  /** What may be unblinded: an encrypted 1 in every slot. */
  readonly blinded: Uint8Array;
  /** Of each owner, that these bytes are its contribution. */
  readonly records: string[];
}

/** A new task that the CSP has agreed to. */
export async function rogueTask(
  rogue: RogueDataUser,
  proposal: TaskProposal,
  owners: readonly Enrolled[],
): Promise<RogueTask> {
  const signed = await rogue.agree(proposal);
  const blinded = await encryptAll(signed, 1n);
  const records = await Promise.all(owners.map(({ home }) => recordFor(signed, home, blinded)));
  return { signed, id: signed.task.id, blinded, records };
}

/** The same value in every slot. Negative ones make a plaintext wrap around n, as no blinded aggregate does. */
export const encryptAll = (signed: SignedTask, value: bigint) =>
  encryptValues(
    signed,
    layout(signed.task).valueBits.map(() => value),
  );

/** What the CSP's database holds of a task. */
export const storedTask = ({ cspConfig }: World, id: string) =>
  query(cspConfig.dataDirectory, 'SELECT state, sealed_shares FROM tasks WHERE task_id = ?', id)[0]!;

/** A log for a CSP, and what it has logged at level error. */
export function alarmLog() {
  const alarms: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => alarms.push(JSON.parse(line)) };
  return { alarms, log: createLogger({ service: 'csp', level: 'error' }, destination) };
}
