/** One task from proposal to its final state, through the running services. */
import type { DataOwner, ServiceAddress } from '@eigenveil/data-owner';
import type { TaskClient } from '@eigenveil/data-user';
import { decodeBigint } from '@eigenveil/paillier';
import type { Task, TaskProposal } from '@eigenveil/task';
import { AGREEMENT, type Projection, type SignedTask, type TaskStatus } from '@eigenveil/wire';
import { expect, vi } from 'vitest';
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

/**
 * Of clients that share a thread with the services: where a computation holds the thread for seconds, a service may close an idle
 * connection before its client can see that it is no longer to be used.
 */
export const PATIENCE_MILLISECONDS = 20_000;

/** All encrypt in this one thread: with many of them at once, connections would wait for it until they time out. */
const OWNERS_AT_ONCE = 4;

/** Owner i contributes parts[i], then the task is closed and waited for. */
export async function finishTask(
  parties: Parties,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<FinishedTask> {
  const { task, agreement } = await beginTask(parties, proposal, parts);
  return { task, n: modulusOf(agreement), status: await untilEnded(parties, task) };
}

/** The same up to the computation, which goes on by itself. */
export async function beginTask(
  { client, dataUser, owners }: Parties,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<SignedTask> {
  const signed = await client.create(proposal);
  const { id } = signed.task;
  for (let first = 0; first < parts.length; first += OWNERS_AT_ONCE) {
    const some = owners.slice(first, Math.min(first + OWNERS_AT_ONCE, parts.length));
    await Promise.all(
      some.map((owner, i) =>
        owner.contribute(dataUser, id, async (t, signs) => summarise(t, parts[first + i]!, signs)),
      ),
    );
  }
  await client.closeTask(id);
  return signed;
}

export function untilEnded({ client }: Parties, { id }: Task): Promise<TaskStatus> {
  return vi.waitUntil(
    async () => {
      const now = await client.status(id);
      return ['done', 'failed'].includes(now.state) && now;
    },
    { timeout: 100_000 }, // sixteen runs on a busy machine took 62 s
  );
}

/** The same for a task that must succeed; the projection comes by way of an owner, who checks its signature. */
export async function runTask(
  parties: Parties,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<FinishedTask & { projection: Projection }> {
  const finished = await finishTask(parties, proposal, parts);
  expect(finished.status).toMatchObject({ state: 'done', contributions: parts.length });
  const { projection } = await parties.owners[0]!.result(parties.dataUser, finished.task.id);
  return { ...finished, projection };
}

/** From the payload of the CSP's statement, whose signature the owners check. */
function modulusOf(agreement: string): bigint {
  const payload = Buffer.from(agreement.split('.')[1]!, 'base64url').toString();
  const { publicKey } = AGREEMENT.schema.parse(JSON.parse(payload));
  return decodeBigint(publicKey.n);
}
