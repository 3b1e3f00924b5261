/**
 * Runs a whole task over real processes (CSP, data user, owners; real TLS, real data directories) and records what each of them sees.
 * The programs are those that are shipped, and know nothing about it: a module is loaded before them that writes down what they draw, and the
 * runtime writes down the secrets of TLS. Both say so on standard error. Nothing of this is in what is shipped.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeCiphertexts, decrypt, SecretKey, unpackBlinded } from '@eigenveil/paillier';
import { CodedError, Integers } from '@eigenveil/platform';
import { readDrawn, shareBits } from '@eigenveil/protocol/servers';
import { csvLine, layout } from '@eigenveil/statistics';
import { DAY_MILLISECONDS, type Task, type TaskProposal } from '@eigenveil/task';
import { type Children, type Launch, withChildren } from '@eigenveil/testbed/processes/children';
import type { Projection } from '@eigenveil/wire';
import { demoPolicy, enrolOwners, type Owners, startOwners } from '../../demo/owners.ts';
import { type Services, startServices } from '../../demo/services.ts';
import { compute } from '../../demo/task.ts';
import { EVALUATION_CODES } from '../codes.ts';
import type { SceneRow } from '../scene.ts';
import { CSP_SECRETS, DATA_USER_SECRETS, OpenedSecrets, taskState, WatchedDirectory } from './directories.ts';
import { readTapes } from './tape.ts';
import { TAPE_FOLDER } from './tape-folder.ts';
import { type KeyLog, readKeyLog } from './tls.ts';
import { type Traffic, trafficOf, Wire } from './traffic.ts';
import type { Draw, Named, Party, View } from './view.ts';

interface TaskToRecord {
  /** The deadline is set again, so that old files of proposals can be recorded. */
  readonly proposal: TaskProposal;
  /** Rows by owner. */
  readonly owners: readonly (readonly SceneRow[])[];
  /** A module to load in every process after the recorder: it plants a fault. */
  readonly plant?: string;
}

export interface Recording {
  readonly id: string;
  readonly task: Task;
  readonly projection: Projection;
  readonly csp: View;
  readonly dataUser: View;
  readonly owners: readonly View[];
  readonly network: View;
  /** Every byte on the wire, which the network's view leaves out: it is ciphertext, and sizes and times are what is looked at. */
  readonly ciphertext: readonly Buffer[];
}

/** Every role's. */
export function viewsOf({ csp, dataUser, owners, network }: Recording): View[] {
  return [csp, dataUser, ...owners, network];
}

const PRELOAD = new URL('./preload.ts', import.meta.url).href;
const KEY_LOG = 'tls-secrets.log';
const POLL_MILLISECONDS = 20;
const HEAD_END = '\r\n\r\n';

/**
 * Records one task, from the start of its processes to their end.
 * @throws ERR_VIEW_UNREADABLE, and Error when the task gives no result
 */
export async function recordTask(
  wanted: TaskToRecord,
  note: (text: string) => void = () => undefined,
): Promise<Recording> {
  let processes = 0;
  let records = '';
  const launch = (): Launch => {
    processes += 1;
    const folder = join(records, `${processes}`);
    const plant = wanted.plant === undefined ? [] : ['--import', wanted.plant];
    return {
      flags: ['--import', PRELOAD, ...plant, `--tls-keylog=${join(folder, KEY_LOG)}`],
      environment: { [TAPE_FOLDER]: folder },
    };
  };
  return withChildren((children, folder) => {
    records = join(folder, 'records');
    return new Recorder(wanted, { children, folder, records, note }).run();
  }, launch);
}

interface Place {
  readonly children: Children;
  /** The folder in which processes keep their data. */
  readonly folder: string;
  /** The folder in which they are recorded. */
  readonly records: string;
  readonly note: (text: string) => void;
}

class Recorder {
  readonly #wanted: TaskToRecord;
  readonly #place: Place;
  readonly #began = performance.timeOrigin + performance.now();
  readonly #directories: ReadonlyMap<Party, WatchedDirectory>;
  readonly #secrets = new Map<Party, OpenedSecrets>();
  #failure: { readonly error: unknown } | undefined;

  constructor(wanted: TaskToRecord, place: Place) {
    this.#wanted = wanted;
    this.#place = place;
    const owners = wanted.owners.map((_, i): [Party, string] => [`owner ${i + 1}`, `owner-${i + 1}`]);
    const folders: [Party, string][] = [['CSP', 'csp'], ['data user', 'data-user'], ...owners];
    this.#directories = new Map(
      folders.map(([party, name]) => [party, new WatchedDirectory(join(place.folder, name))]),
    );
  }

  async run(): Promise<Recording> {
    const turned = () => this.#look();
    const wires = { csp: await Wire.start('CSP', turned), dataUser: await Wire.start('data user', turned) };
    try {
      return await this.#through(wires);
    } finally {
      wires.csp.close();
      wires.dataUser.close();
    }
  }

  async #through(wires: { readonly csp: Wire; readonly dataUser: Wire }): Promise<Recording> {
    const { children, folder, note } = this.#place;
    const { proposal: asked } = this.#wanted;
    const proposal = { ...asked, deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString() };
    const { keyBits, twoParty } = proposal;
    const silent = () => undefined;
    note('starting recorded processes');
    const publicUrls = { csp: wires.csp.url, dataUser: wires.dataUser.url };
    const services = await startServices(children, { folder, keyBits, twoParty, publicUrls }, silent);
    wires.csp.attach(services.csp.listensOn);
    wires.dataUser.attach(services.dataUser.listensOn);
    await this.#watchSecrets();
    const owners = await startOwners(children, this.#wanted.owners.length, silent);
    const pids = new Map<number, Party>([
      [services.csp.pid, 'CSP'],
      [services.dataUser.pid, 'data user'],
      ...owners.pids.map((pid, i): [number, Party] => [pid, `owner ${i + 1}`]),
    ]);
    const { task, projection, reduced } = await this.#runTask(proposal, services, owners);
    this.#look();
    await Promise.all([services.client.close(), owners.end()]);
    await children.stop();
    note('reading what was recorded');
    const { tapes, logs } = await this.#readRecords(pids);
    const traffic = trafficOf([wires.csp, wires.dataUser], logs, this.#began);
    const id = randomUUID();
    const viewOf = (party: Party, more: Partial<View>): View =>
      this.#viewOf(party, { id, task, tapes, traffic }, more);
    const released = { name: 'projection', bytes: Buffer.from(JSON.stringify(projection)) };
    return {
      id,
      task,
      projection,
      csp: viewOf('CSP', this.#openedByCsp(task, traffic)),
      dataUser: viewOf('data user', { ...this.#openedByDataUser(task), outputs: [released] }),
      owners: this.#wanted.owners.map((rows, i) =>
        viewOf(`owner ${i + 1}`, {
          inputs: [taskInput(task), { name: 'rows', bytes: Buffer.from(asCsv(task, rows)) }],
          outputs: reduced[i] === undefined ? [] : [released, { name: 'reduced rows', bytes: reduced[i] }],
        }),
      ),
      network: { ...viewOf('network', { inputs: [] }), passages: traffic.passages },
      ciphertext: traffic.ciphertext,
    };
  }

  /** From the proposal to its end at the CSP and, where it is released, to the owners' reduced rows. */
  async #runTask(proposal: TaskProposal, services: Services, owners: Owners) {
    const { folder, note } = this.#place;
    const silent = () => undefined;
    const policy = demoPolicy(proposal.keyBits, proposal.twoParty);
    const fileOf = (owner: number) => join(folder, `rows-${owner + 1}.csv`);
    const outOf = (owner: number) => join(folder, `reduced-${owner + 1}.csv`);
    await enrolOwners(owners, services, { folder, policy, more: (i) => ({ data: fileOf(i) }) }, silent);
    const { client } = services;
    const { task } = await client.create(proposal);
    await Promise.all(this.#wanted.owners.map((rows, i) => writeFile(fileOf(i), asCsv(task, rows))));
    note('owners encrypt and send');
    await owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore: [] }), silent);
    note('the servers compute');
    await compute(client, task.id, silent, note);
    const projection = await client.result(task.id);
    let reduced: Buffer[] = [];
    if (task.releaseToOwners) {
      await owners.all((i) => ({ kind: 'project', taskId: task.id, out: outOf(i) }), silent);
      reduced = await Promise.all(this.#wanted.owners.map((_, i) => readFile(outOf(i))));
    }
    await this.#untilEnded(task);
    return { task, projection, reduced };
  }

  /** The CSP destroys the task's secrets when the data user reports the end, which happens after the result is there. */
  async #untilEnded({ id }: Task): Promise<void> {
    while (taskState(this.#directories.get('CSP')!.folder, id) !== 'ended') await sleep(POLL_MILLISECONDS);
  }

  async #watchSecrets(): Promise<void> {
    for (const [party, columns] of [
      ['CSP', CSP_SECRETS],
      ['data user', DATA_USER_SECRETS],
    ] as const) {
      this.#secrets.set(party, await OpenedSecrets.of(this.#directories.get(party)!, columns));
    }
  }

  /** Called in the middle of other work, which has no place for an error: the first is thrown in the end. */
  #look(): void {
    try {
      const at = performance.timeOrigin + performance.now() - this.#began;
      const changed = [...this.#directories].filter(([, directory]) => directory.look(at));
      for (const [party] of changed) this.#secrets.get(party)?.look();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #readRecords(pids: ReadonlyMap<number, Party>) {
    if (this.#failure !== undefined) throw this.#failure.error;
    const tapes = new Map<Party, Draw[]>();
    const logs = new Map<Party, KeyLog>();
    for (const name of await readdir(this.#place.records)) {
      const folder = join(this.#place.records, name);
      const { pid, draws } = await readTapes(folder);
      const party = pids.get(pid);
      if (party === undefined)
        throw new CodedError(
          EVALUATION_CODES.ERR_VIEW_UNREADABLE,
          `process ${pid} expected to be of a party`,
        );
      tapes.set(party, draws);
      logs.set(party, readKeyLog(await readFile(join(folder, KEY_LOG), 'utf8')));
    }
    return { tapes, logs };
  }

  #viewOf(
    party: Party,
    recorded: { id: string; task: Task; tapes: ReadonlyMap<Party, Draw[]>; traffic: Traffic },
    more: Partial<View>,
  ): View {
    const { id, task, tapes, traffic } = recorded;
    const draws = tapes.get(party) ?? [];
    const { files, keys } = this.#directories.get(party)?.states() ?? { files: [], keys: [] };
    return {
      ...{ recording: id, party, taskId: task.id, outputs: [], opened: [], passages: [] },
      inputs: [taskInput(task)],
      random: draws.map((draw) => ({ ...draw, at: Math.max(0, draw.at - this.#began) })),
      received: traffic.received.get(party) ?? [],
      files,
      ...more,
      keys: [...keys, ...(more.keys ?? [])],
    };
  }

  #openedByCsp(task: Task, traffic: Traffic): Pick<View, 'keys' | 'opened'> {
    const secrets = this.#secrets.get('CSP')!;
    const stored = secrets.get('Paillier secret key');
    const name = `POST /tasks/${task.id}/unblinding`;
    const request = traffic.received.get('CSP')?.find((message) => message.name === name);
    if (stored === undefined || request === undefined) {
      throw new CodedError(
        EVALUATION_CODES.ERR_VIEW_UNREADABLE,
        'the Paillier key expected to be seen before it is destroyed',
      );
    }
    const key = SecretKey.fromJSON(JSON.parse(stored.toString()), task);
    const packing = layout(task);
    const body = request.bytes.subarray(request.bytes.indexOf(HEAD_END) + HEAD_END.length);
    const plaintexts = decodeCiphertexts(key.publicKey, body, packing.plaintexts.length).map((c) =>
      decrypt(key, c),
    );
    return {
      keys: [{ name: 'Paillier secret key', bytes: stored }, ...seedOf(secrets)],
      opened: [
        { name: 'blinded plaintexts', values: plaintexts },
        { name: 'blinded slots', values: unpackBlinded(packing, plaintexts) },
        { name: 'shares', values: sharesOf(secrets.get('shares'), task) },
      ],
    };
  }

  #openedByDataUser(task: Task): Pick<View, 'keys' | 'opened'> {
    const secrets = this.#secrets.get('data user')!;
    const drawn = secrets.get('drawn');
    if (drawn === undefined)
      throw new CodedError(
        EVALUATION_CODES.ERR_VIEW_UNREADABLE,
        'the blinding expected to be seen before it is destroyed',
      );
    const { blinding, noise } = readDrawn({ task, packing: layout(task) }, drawn);
    return {
      keys: seedOf(secrets),
      opened: [
        { name: 'blinding', values: [...blinding] },
        { name: 'noise', values: [...noise] },
      ],
    };
  }
}

function sharesOf(bytes: Buffer | undefined, task: Task): bigint[] {
  return bytes === undefined ? [] : [...Integers.read(bytes, shareBits(task))];
}

/** The seed from which `rotated` draws everything of an answer. */
function seedOf(secrets: OpenedSecrets): Named[] {
  const bytes = secrets.get('answer seed');
  return bytes === undefined ? [] : [{ name: 'answer seed', bytes }];
}

const taskInput = (task: Task): Named => ({ name: 'task', bytes: Buffer.from(JSON.stringify(task)) });

function asCsv({ features, labellings }: TaskProposal, rows: readonly SceneRow[]): string {
  const columns = labellings.map(({ column }) => column);
  const lines = rows.map(({ values, labels }) =>
    csvLine([...values, ...columns.map((column) => labels[column] ?? '')]),
  );
  return `${[csvLine([...features.map(({ name }) => name), ...columns]), ...lines].join('\n')}\n`;
}
