/** One task from proposal to its final state, through the running services. */
import type { DataOwner, ServiceAddress } from '@eigenveil/data-owner';
import type { TaskClient } from '@eigenveil/data-user';
import { decodeBigint } from '@eigenveil/paillier';
import { AGREEMENT, type Projection, type Task, type TaskProposal, type TaskStatus } from '@eigenveil/wire';
import { expect } from 'vitest';
import { type LabelledRows, summarise } from './tasks.ts';

/** Where a task runs and who may contribute; more owners than a task has parts of rows do no harm. */
export interface Parties {
  readonly client: TaskClient;
  readonly dataUser: ServiceAddress;
  readonly owners: readonly DataOwner[];
}

export interface FinishedTask {
  readonly task: Task;
  /** The modulus of its Paillier key. */
  readonly n: bigint;
  readonly status: TaskStatus;
}

/** Owner i contributes parts[i], then the task is closed and waited for. */
export async function finishTask(
  { client, dataUser, owners }: Parties,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<FinishedTask> {
  const { task, agreement } = await client.create(proposal);
  await Promise.all(
    parts.map((rows, i) => owners[i]!.contribute(dataUser, task.id, async (t) => summarise(t, rows))),
  );
  await client.closeTask(task.id);
  const final = expect.stringMatching(/^(done|failed)$/);
  await expect.poll(async () => (await client.status(task.id)).state, { timeout: 50_000 }).toEqual(final);
  return { task, n: modulusOf(agreement), status: await client.status(task.id) };
}

/** The same for a task that must succeed; the projection comes by way of an owner, who checks its signature. */
export async function runTask(
  parties: Parties,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<FinishedTask & { projection: Projection }> {
  const finished = await finishTask(parties, proposal, parts);
  expect(finished.status).toMatchObject({ state: 'done', contributions: parts.length });
  const projection = await parties.owners[0]!.projection(parties.dataUser, finished.task.id);
  return { ...finished, projection };
}

/** From the payload of the CSP's statement, whose signature the owners check. */
function modulusOf(agreement: string): bigint {
  const payload = Buffer.from(agreement.split('.')[1]!, 'base64url').toString();
  const { publicKey } = AGREEMENT.schema.parse(JSON.parse(payload));
  return decodeBigint(publicKey.n);
}
