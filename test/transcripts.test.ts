/**
 * What the two servers see: full transcripts of CSP and data user, in which no statistic may be found. Every byte that
 * comes in through TLS is recorded, what is decrypted, and what lies in the data directory whenever a message comes in.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Packing, type PublicKey, packBlinding, unpackBlinded } from '@eigenveil/paillier';
import { readTlsFiles } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { combine, toRing } from '@eigenveil/two-party';
import type { EncryptionScheme } from '@eigenveil/paillier';
import type { TaskId, TaskProposal } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainSums } from './support/definitions.ts';
import { type Form, findForms, formsOf, formsOfNumbers } from './support/leaks.ts';
import { only, RecordingPool, unblindingOf } from './support/recording-pool.ts';
import { type FinishedTask, finishTask, type Parties, runTask } from './support/run-task.ts';
import { criticalDistance, distanceBetween, distanceFromUniform } from './support/samples.ts';
import { dataFile, exampleOf, type LabelledRows, madeUpProposal, split } from './support/tasks.ts';
import { Wiretap } from './support/wiretap.ts';
import { World } from './support/world.ts';

/** A CSP and a data user of which everything is recorded. */
class WatchedWorld {
  readonly pools: { readonly csp: RecordingPool; readonly dataUser: RecordingPool };
  readonly taps: { readonly csp: Wiretap; readonly dataUser: Wiretap };
  readonly world: World;
  readonly parties: Parties;
  /** What lay in the data directories, file by file, as often as it was different. */
  readonly stored = { csp: new Set<string>(), dataUser: new Set<string>() };
  /** The CSP's additive shares by task, unsealed as the CSP does it when the two-party computation starts. */
  readonly shares = new Map<string, readonly bigint[]>();

  private constructor(
    pools: WatchedWorld['pools'],
    taps: WatchedWorld['taps'],
    world: World,
    parties: Parties,
  ) {
    this.pools = pools;
    this.taps = taps;
    this.world = world;
    this.parties = parties;
  }

  static async start(dataUserPool = new RecordingPool(), owners = 3): Promise<WatchedWorld> {
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
    const enrolled = await Promise.all(Array.from({ length: owners }, () => world.enrolledOwner()));
    const parties = {
      client: await world.taskClient(),
      dataUser: world.dataUserAddress,
      owners: enrolled.map(({ owner }) => owner),
    };
    const watched = new WatchedWorld(pools, taps, world, parties);
    watched.#watchStores();
    return watched;
  }

  /** Runs a task and waits until the data user has told the CSP of its end. */
  async finish(proposal: TaskProposal, parts: readonly LabelledRows[]): Promise<FinishedTask> {
    const finished = await finishTask(this.parties, proposal, parts);
    const end = `DELETE /tasks/${finished.task.id}`;
    await expect.poll(() => this.taps.csp.requests().map(({ name }) => name)).toContain(end);
    return finished;
  }

  /** Everything that the CSP received, stored and decrypted, and the slot values that it read from that. */
  cspTranscript({ task, n }: FinishedTask): Buffer[] {
    const packing = layout(task);
    const { plaintexts } = only(this.pools.csp.decryptions.filter((record) => record.n === n));
    const slots = unpackBlinded(packing, plaintexts);
    const unbiased = slots.map((slot, i) => slot - (1n << BigInt(packing.valueBits[i]! - 1)));
    return [
      ...this.taps.csp.received(),
      ...this.taps.csp.framesToService(),
      ...[...this.stored.csp].map((bytes) => Buffer.from(bytes, 'latin1')),
      ...[plaintexts, slots, unbiased, this.shares.get(task.id) ?? []].flatMap(written),
    ];
  }

  /** Everything that the data user received from owners and the CSP, and stored. */
  dataUserTranscript(): Buffer[] {
    return [
      ...this.taps.dataUser.received(),
      ...this.taps.csp.framesFromService(),
      ...[...this.stored.dataUser].map((bytes) => Buffer.from(bytes, 'latin1')),
    ];
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.taps.csp.close();
    await this.taps.dataUser.close();
  }

  #watchStores(): void {
    const { cspConfig, dataUserConfig, csp, dataUser } = this.world;
    this.taps.csp.beforeDelivery = async (bytes) => {
      keepFiles(this.stored.csp, cspConfig.dataDirectory);
      const [, id] = /^GET \/tasks\/([^/]+)\/two-party /.exec(bytes.toString('latin1')) ?? [];
      if (id === undefined) return;
      const { shares } = await csp!.service.garblerState(id as TaskId, dataUser!.thumbprint);
      this.shares.set(id, shares);
    };
    this.taps.dataUser.beforeDelivery = () => keepFiles(this.stored.dataUser, dataUserConfig.dataDirectory);
  }
}

function keepFiles(stored: Set<string>, directory: string): void {
  for (const file of readdirSync(directory)) stored.add(readFileSync(join(directory, file), 'latin1'));
}

/** Numbers as somebody who has them would write them down: the text, and bytes of either order. */
function written(values: readonly bigint[]): Buffer[] {
  return values.flatMap((value) => {
    const hex = (value < 0n ? -value : value).toString(16);
    const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
    return [Buffer.from(`${value}`), bytes, Buffer.from(bytes).reverse()];
  });
}

/** The statistics of each owner and of all of them together, in every form. */
function statisticsForms(task: TaskProposal, parts: readonly LabelledRows[]): Form[] {
  const groups = [parts, ...parts.map((part) => [part])];
  return groups.flatMap((group) => formsOf(plainSums(task, group), layout(task), task.fractionBits));
}

/** A data user whose blinding values have only `bits` random bits more than the slot's value; below 0 none at all. */
class WeaklyBlindingPool extends RecordingPool {
  readonly #packing: Packing;
  readonly #bits: number;

  constructor(packing: Packing, bits: number) {
    super();
    this.#packing = packing;
    this.#bits = bits;
  }

  override encrypt(publicKey: PublicKey, plaintexts: readonly bigint[], scheme: EncryptionScheme) {
    const weak = unpackBlinded(this.#packing, plaintexts).map((blinding, i) => {
      const b = this.#packing.valueBits[i]!;
      const bias = 1n << BigInt(b - 1);
      return bias + (this.#bits < 0 ? 0n : BigInt.asUintN(b + this.#bits, blinding - bias));
    });
    return super.encrypt(publicKey, packBlinding(publicKey, this.#packing, weak), scheme);
  }
}

/** Features of 21 bits make statistics of up to 50 bits, which no accident puts into a transcript. */
const FRACTION_BITS = 20;
const example = await exampleOf(dataFile('pima'), 'dca', { fractionBits: FRACTION_BITS });
const parts = split(example.rows, 3);
const forms = statisticsForms(example.proposal, parts);

let watched: WatchedWorld;
beforeAll(async () => {
  watched = await WatchedWorld.start();
});
afterAll(() => watched.close());

describe('the CSP', () => {
  test('sees blinded values only', async () => {
    const finished = await watched.finish(example.proposal, parts);
    expect(finished.status.state).toBe('done');
    const transcript = watched.cspTranscript(finished);
    expect(findForms(transcript, forms)).toEqual([]);

    // Nor what becomes of the statistics.
    const { vectors, eigenvalues } = await watched.parties.client.result(finished.task.id);
    expect(findForms(transcript, formsOfNumbers([...vectors.flat(), ...eigenvalues]))).toEqual([]);

    const { slots } = unblindingOf(finished.n, layout(finished.task), watched.pools);
    const { valueBits } = layout(finished.task);
    plainSums(finished.task, parts).forEach((sum, i) => {
      const far = 1n << BigInt(valueBits[i]! + 20);
      // 2^20 times the range of the value, which a random blinding value fails by once in 2^20 tasks.
      expect(slots[i]! - (1n << BigInt(valueBits[i]! - 1)) - sum).toBeGreaterThan(far);
    });
  });
});
