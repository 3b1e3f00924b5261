/** A data user that does not keep to the protocol: it talks to a real CSP by hand, with a registered one's key and with owners that are enrolled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inviteOwners, startCsp } from '@eigenveil/csp';
import { DataOwner, type Enrolment, MemoryOwnerState, OwnerPolicy } from '@eigenveil/data-owner';
import { type Components, ofKind } from '@eigenveil/methods';
import { PaillierPool } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { type AgreedTask, contribute, openAgreed, signRecord } from '@eigenveil/protocol/owner';
import { blind, type Drawn, draw, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { openSigningKey } from '@eigenveil/server';
import { flatten, type Statistics } from '@eigenveil/statistics';
import { programOf, type Task, type TaskId, type TaskProposal } from '@eigenveil/task';
import { ChannelRefused, connectChannel, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { errorFromProblem, ServiceClient, type SigningKey } from '@eigenveil/wire';
import { type Client, clientOf } from '@eigenveil/wire/routes';
import { CSP_DATA_USER_ROUTES, TWO_PARTY_PATH } from '@eigenveil/wire/routes/csp/data-user';
import { loopback } from '../../../demo/loopback.ts';
import { agreed } from '../in-process/small-task.ts';
import { AT_ONCE, shifted } from '../in-process/two-party.ts';

const TOKEN_SECONDS = 3600;

type EnrolledOwner = Pick<Enrolment, 'ownerId'> & { readonly key: SigningKey };

/** A task that the CSP has agreed to, and what its owners have sent. */
interface RogueTask {
  readonly agreed: AgreedTask;
  readonly contributions: readonly Uint8Array[];
  readonly records: readonly string[];
}

export class Rogue implements AsyncDisposable {
  readonly #csp: Client<typeof CSP_DATA_USER_ROUTES>;
  readonly #client: ServiceClient;
  readonly #owners: readonly EnrolledOwner[];
  readonly #parties: Pick<Task, 'csp' | 'dataUser'>;
  readonly #cspKey: Enrolment['cspKey'];
  readonly #ca: string;
  readonly #paillier: PaillierPool;
  readonly #closing: readonly (() => unknown)[];

  static async start(ownerCount: number): Promise<Rogue> {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-'));
    const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
    try {
      const { csp, dataUser, cspThumbprint, tls } = await loopback(folder);
      const running = await startCsp(csp);
      closing.push(() => running.close());
      const key = await openSigningKey(dataUser.dataDirectory);
      const address = { url: running.url, ca: tls.cert };
      const client = new ServiceClient({ ...address, credentials: { kind: 'key', key } });
      closing.push(() => client.close());
      const paillier = new PaillierPool({ threads: 0 });
      closing.push(() => paillier.close());
      const owners: EnrolledOwner[] = [];
      let cspKey: Enrolment['cspKey'] | undefined;
      for (const token of await inviteOwners(csp.dataDirectory, ownerCount, TOKEN_SECONDS)) {
        const state = new MemoryOwnerState();
        const owner = new DataOwner({ state, policy: OwnerPolicy.parse({}), paillier });
        const enrolment = await owner.enrol(address, token, cspThumbprint);
        owners.push({ ownerId: enrolment.ownerId, key: await state.signingKey() });
        cspKey = enrolment.cspKey;
      }
      const parties = { csp: cspThumbprint, dataUser: key.thumbprint };
      return new Rogue({ client, owners, parties, cspKey: cspKey!, ca: tls.cert, paillier, closing });
    } catch (error) {
      for (const step of closing.toReversed()) await step();
      throw error;
    }
  }

  private constructor(made: {
    readonly client: ServiceClient;
    readonly owners: readonly EnrolledOwner[];
    readonly parties: Pick<Task, 'csp' | 'dataUser'>;
    readonly cspKey: Enrolment['cspKey'];
    readonly ca: string;
    readonly paillier: PaillierPool;
    readonly closing: readonly (() => unknown)[];
  }) {
    this.#client = made.client;
    this.#csp = clientOf(CSP_DATA_USER_ROUTES, made.client);
    this.#owners = made.owners;
    this.#parties = made.parties;
    this.#cspKey = made.cspKey;
    this.#ca = made.ca;
    this.#paillier = made.paillier;
    this.#closing = made.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const step of this.#closing.toReversed()) await step();
  }

  /** Has the CSP agree to a task, and each owner contribute its statistics. */
  async task(proposal: TaskProposal, statistics: readonly Statistics[]): Promise<RogueTask> {
    const task = { ...agreed(proposal), ...this.#parties };
    const { agreement } = await this.#csp.propose({ body: { task } });
    const opened = await openAgreed({ task, agreement }, this.#cspKey);
    const by = { paillier: this.#paillier, randomness: systemRandomness };
    const contributions = await Promise.all(
      statistics.map((own) => contribute(opened, flatten(task, own), by)),
    );
    const records = await Promise.all(contributions.map((bytes, owner) => this.record(opened, bytes, owner)));
    return { agreed: opened, contributions, records };
  }

  /** Returns what an owner signs about bytes; in another's name where one is given. */
  record({ agreement }: AgreedTask, bytes: Uint8Array, owner: number, named = owner): Promise<string> {
    return signRecord(agreement, bytes, {
      ownerId: this.#owners[named]!.ownerId,
      key: this.#owners[owner]!.key,
    });
  }

  /** The product of all contributions, blinded; drawn again each time. */
  async blinded({
    agreed: { task, publicKey, packing },
    contributions,
  }: RogueTask): Promise<{ bytes: Uint8Array; drawn: Drawn }> {
    const [first, ...others] = contributions;
    const { length } = packing.plaintexts;
    const aggregate = await this.#paillier.aggregate(
      publicKey,
      await this.#paillier.decode(publicKey, first!, length),
      others,
    );
    const drawn = draw({ task, packing }, systemRandomness);
    return { bytes: await blind({ publicKey, packing }, aggregate, drawn, this.#paillier), drawn };
  }

  /** The number of owners that the CSP has verified then. @throws ERR_RECORD_INVALID, … */
  async sendRecords(taskId: TaskId, records: readonly string[]): Promise<number> {
    return (await this.#csp.sendRecords({ taskId, body: { records: [...records] } })).verifiedOwners;
  }

  /** @throws ERR_UNBLINDING_CONFLICT, … */
  async unblind(taskId: TaskId, body: Uint8Array): Promise<void> {
    await this.#csp.unblind({ taskId, body });
  }

  /** One run of the two-party computation, with something added to the shares. @throws ERR_TASK_ANSWERED, … */
  async compute(task: Task, drawn: Drawn, added?: readonly bigint[]): Promise<Components> {
    const path = TWO_PARTY_PATH.replace(':taskId', task.id);
    const headers = await this.#client.introduce('GET', path);
    const url = `${this.#client.url.replace(/^https/, 'wss')}${path}`;
    const channel = await connectChannel({ url, headers, ca: this.#ca }).catch((error: unknown) => {
      throw error instanceof ChannelRefused ? (errorFromProblem(error.body) ?? error) : error;
    });
    try {
      const own = [...sharesAtDataUser(task, drawn)];
      const shares = added === undefined ? own : shifted(task, own, added);
      const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
      const computation = { task, program: programOf(task) };
      const result = await protocol.runDataUser(channel, computation, { shares, pace: AT_ONCE });
      return ofKind('components', result);
    } finally {
      await channel.close();
    }
  }

  end(taskId: TaskId): Promise<void> {
    return this.#csp.end({ taskId });
  }
}
