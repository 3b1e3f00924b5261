/** A CSP and a data user over TLS on loopback, in this process, with everything in a folder that is thrown away. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CspConfiguration,
  type CspOverrides,
  inviteOwners,
  type RunningCsp,
  startCsp,
} from '@eigenveil/csp';
import { DataOwner, OwnerHome, OwnerPolicy } from '@eigenveil/data-owner';
import {
  type DataUserConfiguration,
  type DataUserOverrides,
  type RunningDataUser,
  startDataUser,
  TaskClient,
} from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { adminTokenFile } from '@eigenveil/server';
import { type LoopbackOptions, loopback } from '@eigenveil/studies/demo/loopback';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { FaultyProxy } from '@eigenveil/testbed/proxies/proxy';
import { SPOKEN_VERSION, Thumbprint, VERSION_HEADER } from '@eigenveil/wire';
import { KeptKeys } from './pool.ts';
import { QUICK, QUICK_WAITS } from './queue-times.ts';
import { KeptConnections } from './requests.ts';

/** As services say it. */
const SPOKEN = { [VERSION_HEADER]: `${SPOKEN_VERSION}` };

export interface WorldOptions extends LoopbackOptions {
  readonly cspOverrides?: CspOverrides;
  readonly dataUserOverrides?: DataUserOverrides;
  /** Puts a proxy in front of each service, through which everybody then reaches it. */
  readonly proxied?: boolean;
}

interface Proxies {
  readonly csp: FaultyProxy;
  readonly dataUser: FaultyProxy;
}

/** An owner that the CSP has enrolled, with its folder. */
export type Enrolled = Awaited<ReturnType<World['enrolledOwner']>>;

export class World {
  readonly folder: string;
  readonly ca: string;
  readonly cspConfig: CspConfiguration;
  readonly dataUserConfig: DataUserConfiguration;
  csp: RunningCsp | undefined;
  dataUser: RunningDataUser | undefined;
  readonly #options: WorldOptions;
  readonly #proxies: Proxies | undefined;
  readonly #ownerPool = new PaillierPool({ threads: 0 });
  readonly #cspPool = new KeptKeys();
  readonly #connections: KeptConnections;
  readonly #clients: TaskClient[] = [];
  /** Those of the data user that runs, by token and patience. */
  readonly #current = new Map<string, TaskClient>();
  #owners = 0;

  private constructor(
    folder: string,
    ca: string,
    csp: CspConfiguration,
    dataUser: DataUserConfiguration,
    options: WorldOptions,
    proxies: Proxies | undefined,
  ) {
    this.folder = folder;
    this.ca = ca;
    this.cspConfig = csp;
    this.dataUserConfig = dataUser;
    this.#options = options;
    this.#proxies = proxies;
    this.#connections = new KeptConnections(this.cspAddress.url, this.dataUserAddress.url);
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
    const { csp, dataUser, tls } = await loopback(folder, {
      ...options,
      dataUser: { ...QUICK_WAITS, ...options.dataUser },
    });
    const proxies =
      options.proxied === true
        ? { csp: await FaultyProxy.start(tls, SPOKEN), dataUser: await FaultyProxy.start(tls, SPOKEN) }
        : undefined;
    if (proxies !== undefined) {
      proxies.csp.upstreamPort = csp.port;
      proxies.dataUser.upstreamPort = dataUser.port;
    }
    // An address that a test asks for goes before a proxy's.
    const cspConfig = { ...csp, publicUrl: csp.publicUrl ?? proxies?.csp.url };
    const dataUserConfig = {
      ...dataUser,
      publicUrl: dataUser.publicUrl ?? proxies?.dataUser.url,
      cspUrl: options.dataUser?.cspUrl ?? proxies?.csp.url ?? dataUser.cspUrl,
    };
    const world = new World(folder, tls.cert, cspConfig, dataUserConfig, options, proxies);
    await world.startCsp();
    await world.startDataUser();
    return world;
  }

  async startCsp(): Promise<void> {
    this.csp = await startCsp(this.cspConfig, { paillier: this.#cspPool, ...this.#options.cspOverrides });
  }

  async stopCsp(): Promise<void> {
    this.#connections.hangUp();
    await this.csp?.close();
    this.csp = undefined;
  }

  async startDataUser(): Promise<void> {
    const overrides = { queueTimes: QUICK, ...this.#options.dataUserOverrides };
    this.dataUser = await startDataUser(this.dataUserConfig, overrides);
  }

  async stopDataUser(): Promise<void> {
    this.#connections.hangUp();
    this.#current.clear();
    await this.dataUser?.close();
    this.dataUser = undefined;
  }

  get cspAddress() {
    const { publicUrl, port } = this.cspConfig;
    return { url: publicUrl ?? `https://127.0.0.1:${port}`, ca: this.ca };
  }

  get dataUserAddress() {
    const { publicUrl, port } = this.dataUserConfig;
    return { url: publicUrl ?? `https://127.0.0.1:${port}`, ca: this.ca };
  }

  /** How many owners were made. The home of the n-th is the folder `owner-n`. */
  get owners(): number {
    return this.#owners;
  }

  /** The proxies of a world that was started with them. */
  get proxies(): Proxies {
    if (this.#proxies === undefined) throw new TypeError('the world was started without proxies');
    return this.#proxies;
  }

  /** The operator's. By default it does not try again. */
  async taskClient(patienceMilliseconds = 0): Promise<TaskClient> {
    const adminToken = (await readFile(adminTokenFile(this.dataUserConfig.dataDirectory), 'utf8')).trim();
    const name = `${adminToken} ${patienceMilliseconds}`;
    const known = this.#current.get(name);
    if (known !== undefined) return known;
    const client = new TaskClient({ ...this.dataUserAddress, adminToken, patienceMilliseconds });
    this.#clients.push(client);
    this.#current.set(name, client);
    return client;
  }

  /** An owner that trusts the simulated protocol and short keys unless `policy` says otherwise; not enrolled yet. */
  newOwner(policy: Partial<OwnerPolicy> = {}): { owner: DataOwner; home: OwnerHome } {
    this.#owners += 1;
    return this.ownerAt(join(this.folder, `owner-${this.#owners}`), policy);
  }

  /** The same with a folder that may be there. */
  ownerAt(folder: string, policy: Partial<OwnerPolicy> = {}): { owner: DataOwner; home: OwnerHome } {
    const home = new OwnerHome(folder);
    const lenient = {
      twoParty: ['simulated'],
      minimumKeyBits: 1024,
      allowFullRank: true,
      allowSpectrum: true,
      minimumClassRows: 1,
      ...MANY_ANSWERS,
    };
    const owner = new DataOwner({
      state: home,
      policy: OwnerPolicy.parse({ ...lenient, ...policy }),
      paillier: this.#ownerPool,
    });
    return { owner, home };
  }

  async enrolledOwner(policy: Partial<OwnerPolicy> = {}): Promise<{ owner: DataOwner; home: OwnerHome }> {
    const made = this.newOwner(policy);
    const [token] = await inviteOwners(this.cspConfig.dataDirectory, 1, 3600);
    await made.owner.enrol(this.cspAddress, token!, Thumbprint.parse(this.dataUserConfig.cspThumbprint));
    return made;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.stopDataUser();
    await this.stopCsp();
    this.#connections.end();
    await this.#proxies?.csp.close();
    await this.#proxies?.dataUser.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
