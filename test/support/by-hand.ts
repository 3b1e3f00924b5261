/** Contributions that are made and sent by hand to the data user of a world, and the result that must come of them. */

import type { TaskId, TaskProposal } from '@eigenveil/task';
import type { SignedTask, TaskState, TaskStatus } from '@eigenveil/wire';
import { expect } from 'vitest';
import { expectReference } from './expectations.ts';
import {
  type Answer,
  type Contribution,
  contributionOf,
  contributionRequest,
  ownerOf,
  sendAs,
} from './requests.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './tasks.ts';
import type { Enrolled, World } from './world.ts';

const PARTS = 3;

/** PCA of iris among three owners. */
export class ByHand {
  readonly proposal: TaskProposal;
  readonly parts: LabelledRows[];
  readonly #world: World;

  static async start(world: World): Promise<ByHand> {
    const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca');
    return new ByHand(world, proposal, split(rows, PARTS));
  }

  private constructor(world: World, proposal: TaskProposal, parts: LabelledRows[]) {
    this.#world = world;
    this.proposal = proposal;
    this.parts = parts;
  }

  async create(changes: Partial<TaskProposal> = {}, id?: TaskId): Promise<SignedTask> {
    return (await this.#world.taskClient()).create({ ...this.proposal, ...changes }, id);
  }

  async status(taskId: TaskId): Promise<TaskStatus> {
    return (await this.#world.taskClient()).status(taskId);
  }

  owners(count: number): Promise<Enrolled[]> {
    return Promise.all(Array.from({ length: count }, () => this.#world.enrolledOwner()));
  }

  /** The honest contribution of an owner that has the given part of the rows. */
  contribution({ home }: Enrolled, signed: SignedTask, part: number): Promise<Contribution> {
    return contributionOf(signed, home, summarise(signed.task, this.parts[part]!));
  }

  async put(
    { home }: Enrolled,
    taskId: TaskId,
    sent: Partial<Contribution>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const message = contributionRequest(taskId, sent);
    return sendAs(this.#world.dataUserAddress, await ownerOf(home), {
      ...message,
      headers: { ...message.headers, ...headers },
    });
  }

  /** Sends an honest contribution, which must be taken. */
  async contribute(owner: Enrolled, signed: SignedTask, part: number): Promise<Contribution> {
    const sent = await this.contribution(owner, signed, part);
    expect((await this.put(owner, signed.task.id, sent)).code).toBeUndefined();
    return sent;
  }

  async withdraw({ home }: Enrolled, taskId: TaskId): Promise<Answer> {
    const path = `/tasks/${taskId}/contribution`;
    return sendAs(this.#world.dataUserAddress, await ownerOf(home), { method: 'DELETE', path });
  }

  /** Waits until the task is in a state. */
  async expectState({ task }: SignedTask, state: TaskState): Promise<void> {
    const read = async () => (await this.status(task.id)).state;
    await expect.poll(read).toBe(state);
  }

  /** Ends the task; its result is the clear reference over the rows of exactly these parts. */
  async expectResult({ task }: SignedTask, parts: readonly number[]): Promise<void> {
    const client = await this.#world.taskClient();
    await client.closeTask(task.id);
    await expect.poll(async () => (await client.status(task.id)).state).toBe('done');
    const rows = parts.map((part) => this.parts[part]!);
    expectReference(await client.result(task.id), task, rows);
  }
}
