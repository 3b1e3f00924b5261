/**
 * A data user that is killed again and again, at moments that chance picks, while owners contribute to one task after the
 * other; with PostgreSQL the database server, too, alone or with it. After each restart it must still know every receipt that
 * it ever handed out, and the result of every task must hold each of its owners exactly once.
 */
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskClient } from '@eigenveil/data-user';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { generator } from '@eigenveil/testbed/random';
import { RECEIPT, type SignedTask } from '@eigenveil/wire';
import { expectReference } from './expectations.ts';
import {
  type Answer,
  type Contribution,
  contributionOf,
  contributionRequest,
  ownerOf,
  payloadOf,
  sendAs,
} from './requests.ts';
import { type LabelledRows, madeUpProposal, summarise } from './tasks.ts';
import { World } from './world.ts';

export const DATABASES = ['sqlite', 'postgres'] as const;

export interface KillOptions {
  readonly database: (typeof DATABASES)[number];
  /** How often something is killed. */
  readonly cycles: number;
  /** Of the moments and the rows; a moment's length in work is the machine's. */
  readonly seed: number;
  readonly onCycle?: () => void;
}

export interface KillReport {
  readonly seed: number;
  readonly database: KillOptions['database'];
  /** Kills of a data user that served, of one that had not got so far, and of the database server. */
  readonly killedServing: number;
  readonly killedStarting: number;
  readonly killedDatabase: number;
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
/** Of kills, where there is a database server: those that strike it alone, and both; the others strike the data user alone. */
const DATABASE_ALONE = 0.3;
const BOTH = 0.3;
const LONGEST_START_MILLISECONDS = 500;
/** How much a data user does after its receipts were checked, and how long it lives on from there. */
const MOST_ANSWERS = 12;
const LONGEST_MOMENT_MILLISECONDS = 30;
/** Connections at once. */
const CONNECTIONS = 4;
const POLL_MILLISECONDS = 5;
/** How often an owner asks again while the database comes back. */
const MOST_ATTEMPTS = 100;

type Owner = Awaited<ReturnType<World['enrolledOwner']>>;

interface Handed {
  readonly owner: Owner;
  readonly signed: SignedTask;
  readonly sent: Contribution;
  receipt?: string;
}

/** Kills as often as it is told; throws when anything was lost, changed or counted twice. */
export async function killCycles({ database, cycles, seed, onCycle }: KillOptions): Promise<KillReport> {
  const run = await KillRun.start(database, seed);
  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      await run.cycle();
      onCycle?.();
    }
    await run.end();
  } catch (error) {
    // What is still under way may disturb the clearing up; that is not what went wrong.
    await run.close().catch(() => undefined);
    throw error;
  }
  await run.close();
  return run.report();
}

class KillRun {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #postgres: Postgres | undefined;
  readonly #world: World;
  readonly #client: TaskClient;
  readonly #children = new Children();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #owners: readonly Owner[];
  readonly #parts: readonly LabelledRows[];
  readonly #receipted: Handed[] = [];
  #dataUser: RunningChild | undefined;
  #current: Handed[] = [];
  #onAnswer = () => {};
  #isKilled = false;
  readonly #counts = {
    killedServing: 0,
    killedStarting: 0,
    killedDatabase: 0,
    storedUnanswered: 0,
    interrupted: 0,
    receiptsChecked: 0,
    tasks: 0,
  };

  private constructor(
    seed: number,
    postgres: Postgres | undefined,
    world: World,
    client: TaskClient,
    owners: readonly Owner[],
  ) {
    this.#seed = seed;
    this.#random = generator(seed);
    this.#postgres = postgres;
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

  static async start(database: KillOptions['database'], seed: number): Promise<KillRun> {
    const postgres = database === 'postgres' ? await Postgres.launch() : undefined;
    const databaseUrl = await postgres?.database();
    const world = await World.start({ dataUser: { databaseUrl } });
    const owners = await Promise.all(Array.from({ length: OWNERS }, () => world.enrolledOwner()));
    const client = await world.taskClient();
    await world.stopDataUser();
    return new KillRun(seed, postgres, world, client, owners);
  }

  async cycle(): Promise<void> {
    if (this.#dataUser === undefined && this.#random() > SERVING) return this.#killStarting();
    const dataUser = await this.#running();
    await this.#checkReceipts();
    this.#isKilled = false;
    const enough = this.#answers(Math.floor(this.#random() * (MOST_ANSWERS + 1)));
    const traffic = this.#traffic();
    await Promise.race([enough, traffic]);
    await sleep(this.#random() * LONGEST_MOMENT_MILLISECONDS);
    this.#isKilled = true;
    await this.#kill(dataUser);
    await traffic;
    if (this.#postgres?.isRunning === false) await this.#postgres.start();
  }

  /** Lets the last task end undisturbed. */
  async end(): Promise<void> {
    const dataUser = await this.#running();
    await this.#checkReceipts();
    await this.#task();
    await this.#checkReceipts();
    await dataUser.end('SIGTERM');
  }

  report(): KillReport {
    const database = this.#postgres === undefined ? 'sqlite' : 'postgres';
    return { seed: this.#seed, database, receipts: this.#receipted.length, ...this.#counts };
  }

  async close(): Promise<void> {
    await this.#children.stop();
    this.#agent.destroy();
    await this.#world.close();
    await this.#postgres?.close();
  }

  async #kill(dataUser: RunningChild): Promise<void> {
    const chance = this.#postgres === undefined ? 1 : this.#random();
    const kills: Promise<unknown>[] = [];
    if (chance < DATABASE_ALONE + BOTH) {
      kills.push(this.#postgres!.crash());
      this.#counts.killedDatabase += 1;
    }
    if (chance >= DATABASE_ALONE) {
      kills.push(dataUser.end('SIGKILL'));
      this.#dataUser = undefined;
      this.#counts.killedServing += 1;
    }
    await Promise.all(kills);
  }

  async #killStarting(): Promise<void> {
    const starting = this.#start();
    const ended = starting.then(
      (dataUser) => dataUser.end('SIGKILL'),
      () => undefined, // it was killed before it listened
    );
    await sleep(this.#random() * LONGEST_START_MILLISECONDS);
    await this.#children.stop();
    await ended;
    this.#counts.killedStarting += 1;
  }

  /** The data user, which must have outlived its database. */
  async #running(): Promise<RunningChild> {
    this.#dataUser ??= await this.#start();
    if (!this.#dataUser.isRunning()) throw new Error(`the data user ended: ${this.#dataUser.errors()}`);
    return this.#dataUser;
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
        const receipt = await this.#putPatiently(one);
        if (receipt !== one.receipt)
          throw new Error(
            `expected the receipt of ${receivedAt(one.receipt!)}, got one of ${receivedAt(receipt)}`,
          );
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
      if (!this.#isKilled || !isInterruption(error)) throw error;
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
    const sentAt = new Date();
    try {
      one.receipt = await this.#put(one);
    } catch (error) {
      if (isInterruption(error)) this.#counts.interrupted += 1;
      throw error;
    }
    this.#receipted.push(one);
    this.#onAnswer();
    if (new Date(receivedAt(one.receipt)) < sentAt) this.#counts.storedUnanswered += 1;
  }

  async #putPatiently(one: Handed): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#put(one);
      } catch (error) {
        if (!isInterruption(error) || attempt === MOST_ATTEMPTS) throw error;
        await sleep(POLL_MILLISECONDS * attempt);
      }
    }
  }

  async #put({ owner, signed, sent }: Handed): Promise<string> {
    const address = { ...this.#world.dataUserAddress, agent: this.#agent };
    const request = contributionRequest(signed.task.id, sent);
    const answer = await sendAs(address, await ownerOf(owner.home), request);
    if (answer.status !== 200) throw new NoReceipt(answer);
    return answer.json.receipt as string;
  }

  async #finish({ task }: SignedTask): Promise<void> {
    await this.#client.closeTask(task.id);
    for (let before = ''; before !== 'done'; ) {
      const { state, contributions } = await this.#client.status(task.id);
      if (contributions !== OWNERS) throw new Error(`expected ${OWNERS} contributions, got ${contributions}`);
      if (state === 'failed') throw new Error('the task failed');
      if (state === before) await sleep(POLL_MILLISECONDS);
      else this.#onAnswer();
      before = state;
    }
    expectReference(await this.#client.result(task.id), task, this.#parts);
  }
}

function receivedAt(receipt: string): string {
  return RECEIPT.schema.parse(payloadOf(receipt)).receivedAt;
}

class NoReceipt extends Error {
  readonly code: string | undefined;

  constructor({ code, text }: Answer) {
    super(`expected a receipt, got ${text}`);
    this.code = code;
  }
}

/** No answer, half of one, or one that says that the database is away. */
const INTERRUPTIONS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ERR_PEER_UNREACHABLE',
  'ERR_PEER_PROTOCOL',
  'ERR_DATABASE_UNREACHABLE',
];

function isInterruption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && INTERRUPTIONS.includes(String(error.code));
}
