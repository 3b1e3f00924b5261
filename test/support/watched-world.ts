/**
 * A CSP and a data user of which everything that they see is recorded: every byte that comes in through TLS, what their
 * Paillier pools take and give, and what lies in their data directories whenever a message comes in.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackBlinded } from '@eigenveil/paillier';
import { Integers } from '@eigenveil/platform';
import { shareBits } from '@eigenveil/protocol/servers';
import { loadOrCreateKeyRing, readTlsFiles, Sealer } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import type { TaskId, TaskProposal } from '@eigenveil/task';
import { writtenDown } from '@eigenveil/testbed/leaks';
import { Wiretap } from '@eigenveil/testbed/proxies/wiretap';
import { expect, vi } from 'vitest';
import { query } from './database.ts';
import { partiesOf } from './recorded-world.ts';
import { only, type Pools, RecordingPool } from './recording-pool.ts';
import { type FinishedTask, finishTask, type Parties } from './run-task.ts';
import type { LabelledRows } from './tasks.ts';
import { World } from './world.ts';

interface Taps {
  readonly csp: Wiretap;
  readonly dataUser: Wiretap;
}

export class WatchedWorld {
  readonly pools: Pools;
  readonly taps: Taps;
  readonly parties: Parties;
  readonly #world: World;
  readonly #cspFiles = new FileHistory();
  readonly #dataUserFiles = new FileHistory();
  readonly #unsealed = new Map<TaskId, Buffer>();

  private constructor(pools: Pools, taps: Taps, world: World, parties: Parties) {
    this.pools = pools;
    this.taps = taps;
    this.parties = parties;
    this.#world = world;
    taps.csp.beforeDelivery = async () => {
      this.#cspFiles.look(world.cspConfig.dataDirectory);
      await this.#unseal();
    };
    taps.dataUser.beforeDelivery = () => this.#dataUserFiles.look(world.dataUserConfig.dataDirectory);
  }

  /** `dataUserPool` may also do something wrong. */
  static async start(ownerCount: number, dataUserPool = new RecordingPool()): Promise<WatchedWorld> {
    const pools = { csp: new RecordingPool(), dataUser: dataUserPool };
    const taps = { csp: await Wiretap.start(), dataUser: await Wiretap.start() };
    const world = await World.start({
      csp: { publicUrl: taps.csp.url },
      cspOverrides: { paillier: pools.csp },
      dataUser: { publicUrl: taps.dataUser.url, cspUrl: taps.csp.url },
      dataUserOverrides: { paillier: pools.dataUser },
    });
    const { cspConfig, dataUserConfig } = world;
    const tls = await readTlsFiles(cspConfig.tlsCertificate, cspConfig.tlsKey);
    taps.csp.attach(cspConfig.port, tls);
    taps.dataUser.attach(dataUserConfig.port, tls);
    return new WatchedWorld(pools, taps, world, await partiesOf(world, ownerCount));
  }

  /** Runs a task until the data user has told the CSP of its end. */
  async finish(proposal: TaskProposal, parts: readonly LabelledRows[]): Promise<FinishedTask> {
    const finished = await finishTask(this.parties, proposal, parts);
    const end = `DELETE /tasks/${finished.task.id}`;
    await vi.waitFor(
      () => expect(this.taps.csp.requests()).toContainEqual(expect.objectContaining({ name: end })),
      { timeout: 60_000 },
    );
    return finished;
  }

  /** The CSP's additive shares, which it had in its database until the task ended. */
  sharesOf({ task }: FinishedTask): readonly bigint[] {
    return [...Integers.read(this.#unsealed.get(task.id)!, shareBits(task))];
  }

  /**
   * What the CSP received, stored and decrypted; also what it read from the slots, as it is and less 2^(b-1), and its
   * shares.
   */
  cspTranscript(finished: FinishedTask): Buffer[] {
    const packing = layout(finished.task);
    const { plaintexts } = only(this.pools.csp.decryptions.filter(({ n }) => n === finished.n));
    const slots = unpackBlinded(packing, plaintexts);
    const unbiased = slots.map((slot, i) => slot - (1n << BigInt(packing.valueBits[i]! - 1)));
    return [
      ...this.taps.csp.received(),
      ...this.taps.csp.framesToService(),
      ...this.cspFiles(),
      ...[...plaintexts, ...slots, ...unbiased, ...this.sharesOf(finished)].flatMap(writtenDown),
    ];
  }

  /** What the data user received, from owners and from the CSP, and stored. */
  dataUserTranscript(): Buffer[] {
    return [
      ...this.taps.dataUser.received(),
      ...this.taps.dataUser.framesToService(),
      ...this.taps.csp.sent(),
      ...this.taps.csp.framesFromService(),
      ...this.dataUserFiles(),
    ];
  }

  /** Every content of the files in the CSP's data directory. */
  cspFiles(): Buffer[] {
    this.#cspFiles.look(this.#world.cspConfig.dataDirectory);
    return this.#cspFiles.contents();
  }

  /** The same at the data user. */
  dataUserFiles(): Buffer[] {
    this.#dataUserFiles.look(this.#world.dataUserConfig.dataDirectory);
    return this.#dataUserFiles.contents();
  }

  async close(): Promise<void> {
    await this.#world.close();
    await this.taps.csp.close();
    await this.taps.dataUser.close();
  }

  /** What the CSP keeps sealed in its database, opened with its own key. */
  async #unseal(): Promise<void> {
    const { dataDirectory } = this.#world.cspConfig;
    const sealer = new Sealer(...(await loadOrCreateKeyRing(join(dataDirectory, 'key-encryption-key'))));
    const sql = 'SELECT task_id, sealed_shares FROM tasks WHERE sealed_shares IS NOT NULL';
    for (const { task_id, sealed_shares } of query(dataDirectory, sql)) {
      const opened = sealer.open(`csp/tasks/${task_id}/shares`, sealed_shares as Uint8Array);
      this.#unsealed.set(task_id as TaskId, Buffer.from(opened));
    }
  }
}

/** Every content that the files of a folder have had, as far as somebody looked. */
class FileHistory {
  readonly #contents = new Map<string, Buffer[]>();

  look(folder: string): void {
    for (const file of readdirSync(folder)) {
      const content = readFileSync(join(folder, file));
      const earlier = this.#contents.get(file) ?? [];
      const last = earlier.at(-1);
      // Logs only grow, mostly: what begins with what was there before takes its place.
      if (last !== undefined && content.subarray(0, last.length).equals(last)) earlier.pop();
      this.#contents.set(file, [...earlier, content]);
    }
  }

  contents(): Buffer[] {
    return [...this.#contents.values()].flat();
  }
}
