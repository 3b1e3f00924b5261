/**
 * A data user that is killed again and again, at moments that chance picks, while owners contribute to one task after the
 * other. After each restart it must still know every receipt that it ever handed out, and the result of every task must
 * hold each of its owners exactly once.
 */
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskClient } from '@eigenveil/data-user';
import { RECEIPT, type SignedTask } from '@eigenveil/wire';
import { generator } from '../../scripts/bench/random.ts';
import { Children, type RunningChild } from './child.ts';
import { expectReference } from './expectations.ts';
import {
  type Contribution,
  contributionOf,
  contributionRequest,
  ownerOf,
  payloadOf,
  sendAs,
} from './requests.ts';
import { type LabelledRows, madeUpProposal, summarise } from './tasks.ts';
import { World } from './world.ts';

export interface KillOptions {
  /** How often it is killed. */
  readonly cycles: number;
  /** Of the moments and the rows; a moment's length in work is the machine's. */
  readonly seed: number;
  readonly onCycle?: () => void;
}

export interface KillReport {
  readonly seed: number;
  /** Kills of a data user that served, and of one that had not got so far. */
  readonly killedServing: number;
  readonly killedStarting: number;
  /** Receipts that owners got, and contributions that were stored although the kill took the receipt. */
  readonly receipts: number;
  readonly storedUnanswered: number;
  /** Requests that a kill left without an answer. */
  readonly interrupted: number;
  /** How often a receipt was asked for again, and was the same. */
  readonly receiptsChecked: number;
  /** Tasks whose result was compared with the reference. */
  readonly tasks: number;
}

const OWNERS = 12;
const FEATURES = 4;
/** Of kills; the others strike a data user that is still starting. */
const SERVING = 0.9;
const LONGEST_START_MILLISECONDS = 500;
/** How much a data user does after its receipts were checked, and how long it lives on from there. */
const MOST_ANSWERS = 12;
const LONGEST_MOMENT_MILLISECONDS = 30;
/** Connections at once. */
const CONNECTIONS = 4;
const POLL_MILLISECONDS = 5;

type Owner = Awaited<ReturnType<World['enrolledOwner']>>;

interface Handed {
  readonly owner: Owner;
  readonly signed: SignedTask;
  readonly sent: Contribution;
  receipt?: string;
  /** It was sent at least once and no answer came. */
  isInDoubt?: boolean;
}

/** Kills as often as it is told; throws when anything was lost, changed or counted twice. */
export async function killCycles({ cycles, seed, onCycle }: KillOptions): Promise<KillReport> {
  const run = await KillRun.start(seed);
  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      await run.cycle();
      onCycle?.();
    }
    await run.end();
    return run.report();
  } finally {
    await run.close();
  }
}

class KillRun {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #world: World;
  readonly #client: TaskClient;
  readonly #children = new Children();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #owners: readonly Owner[];
  readonly #parts: readonly LabelledRows[];
  readonly #receipted: Handed[] = [];
  #current: Handed[] = [];
  #startedAt = new Date();
  #onAnswer = () => {};
  #isKilled = false;
  readonly #counts = {
    killedServing: 0,
    killedStarting: 0,
    storedUnanswered: 0,
    interrupted: 0,
    receiptsChecked: 0,
    tasks: 0,
  };

  private constructor(seed: number, world: World, client: TaskClient, owners: readonly Owner[]) {
    this.#seed = seed;
    this.#random = generator(seed);
    this.#world = world;
    this.#client = client;
    this.#owners = owners;
    // As many rows as nobody else has, and none that another has.
    this.#parts = owners.map((_, i) => ({
      values: Array.from({ length: i + 1 }, () =>
        Array.from({ length: FEATURES }, () => 2 * this.#random() - 1),
      ),
      classes: Array.from({ length: i + 1 }, () => []),
    }));
  }

  static async start(seed: number): Promise<KillRun> {
    const world = await World.start();
    const owners = await Promise.all(Array.from({ length: OWNERS }, () => world.enrolledOwner()));
    const client = await world.taskClient();
    await world.stopDataUser();
    return new KillRun(seed, world, client, owners);
  }

  async cycle(): Promise<void> {
    if (this.#random() > SERVING) return this.#killStarting();
    const child = await this.#serve();
    await this.#checkReceipts();
    const enough = this.#answers(Math.floor(this.#random() * (MOST_ANSWERS + 1)));
    const traffic = this.#traffic();
    await Promise.race([enough, traffic]);
    await sleep(this.#random() * LONGEST_MOMENT_MILLISECONDS);
    this.#isKilled = true;
    await child.end('SIGKILL');
    await traffic;
    this.#counts.killedServing += 1;
  }

  /** Lets the last task end undisturbed. */
  async end(): Promise<void> {
    const child = await this.#serve();
    await this.#checkReceipts();
    await this.#task();
    await this.#checkReceipts();
    await child.end('SIGTERM');
  }

  report(): KillReport {
    return { seed: this.#seed, receipts: this.#receipted.length, ...this.#counts };
  }

  async close(): Promise<void> {
    await this.#children.stop();
    this.#agent.destroy();
    await this.#world.close();
  }

  async #killStarting(): Promise<void> {
    const starting = this.#start();
    const ended = starting.then(
      (child) => child.end('SIGKILL'),
      () => undefined, // it was killed before it listened
    );
    await sleep(this.#random() * LONGEST_START_MILLISECONDS);
    await this.#children.stop();
    await ended;
    this.#counts.killedStarting += 1;
  }

  async #serve(): Promise<RunningChild> {
    this.#startedAt = new Date();
    this.#isKilled = false;
    return this.#start();
  }

  async #start(): Promise<RunningChild> {
    const config = join(this.#world.folder, 'data-user.json');
    await writeFile(config, JSON.stringify(this.#world.dataUserConfig));
    return this.#children.serve('user', ['--config', config]);
  }

  /** The same bytes again must get the same receipt, of every contribution that ever got one. */
  async #checkReceipts(): Promise<void> {
    const left = [...this.#receipted];
    const check = async () => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const receipt = await this.#put(one);
        if (receipt !== one.receipt) throw new Error(`expected the receipt ${one.receipt}, got ${receipt}`);
        this.#counts.receiptsChecked += 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, check));
  }

  /** Resolves when there were so many answers in the traffic. */
  #answers(count: number): Promise<void> {
    return new Promise((resolve) => {
      let left = count;
      this.#onAnswer = () => {
        if (left <= 0) resolve();
        left -= 1;
      };
      this.#onAnswer();
    });
  }

  /** One task after the other, until the data user is killed. */
  async #traffic(): Promise<void> {
    try {
      for (;;) await this.#task();
    } catch (error) {
      if (!this.#isKilled || !isConnectionLost(error)) throw error;
    }
  }

  /** A task from where it is to its result. */
  async #task(): Promise<void> {
    if (this.#current.length === 0) this.#current = await this.#newTask();
    const sending = this.#current.map((one) => this.#contribute(one));
    const failed = (await Promise.allSettled(sending)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) await Promise.all(sending);
    await this.#finish(this.#current[0]!.signed);
    this.#current = [];
    this.#counts.tasks += 1;
  }

  async #newTask(): Promise<Handed[]> {
    const proposal = madeUpProposal('pca', FEATURES, [], {
      maximumOwners: OWNERS,
      minimumOwners: OWNERS,
      outputs: ['sampleCount', 'mean'],
    });
    const signed = await this.#client.create(proposal);
    this.#onAnswer();
    const contributions = this.#owners.map(async (owner, i) => {
      const sent = await contributionOf(signed, owner.home, summarise(signed.task, this.#parts[i]!));
      return { owner, signed, sent };
    });
    return Promise.all(contributions);
  }

  async #contribute(one: Handed): Promise<void> {
    if (one.receipt !== undefined) return;
    try {
      one.receipt = await this.#put(one);
    } catch (error) {
      one.isInDoubt = true;
      this.#counts.interrupted += 1;
      throw error;
    }
    this.#receipted.push(one);
    this.#onAnswer();
    const { receivedAt } = RECEIPT.schema.parse(payloadOf(one.receipt));
    if (one.isInDoubt && new Date(receivedAt) < this.#startedAt) this.#counts.storedUnanswered += 1;
  }

  async #put({ owner, signed, sent }: Handed): Promise<string> {
    const address = { ...this.#world.dataUserAddress, agent: this.#agent };
    const request = contributionRequest(signed.task.id, sent);
    const answer = await sendAs(address, await ownerOf(owner.home), request);
    if (answer.status !== 200) throw new Error(`expected a receipt, got ${answer.text}`);
    return answer.json.receipt as string;
  }

  async #finish({ task }: SignedTask): Promise<void> {
    await this.#client.closeTask(task.id);
    for (;;) {
      this.#onAnswer();
      const { state, contributions } = await this.#client.status(task.id);
      if (contributions !== OWNERS) throw new Error(`expected ${OWNERS} contributions, got ${contributions}`);
      if (state === 'done') break;
      if (state === 'failed') throw new Error('the task failed');
      await sleep(POLL_MILLISECONDS);
    }
    expectReference(await this.#client.result(task.id), task, this.#parts);
  }
}

const LOST = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ERR_PEER_UNREACHABLE', 'ERR_PEER_PROTOCOL'];

/** Whether there was no answer, or half of one. */
function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.includes(String(error.code));
}
