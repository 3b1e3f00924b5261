/**
 * Where documented commands run: both services in this process, owners with homes, rows and settings under the names that the documents
 * give them, all in one folder, which is the process's own as long as the site stands.
 */

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import type { DataOwner } from '@eigenveil/data-owner';
import { TwoPartyName } from '@eigenveil/methods';
import { ProposalFile, type TaskId, type TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { freePort } from '@eigenveil/testbed/port';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import { expect } from 'vitest';
import { type PROGRAMS, runInProcess } from '../in-process.ts';
import { fill, type Values } from '../reader.ts';
import { finishTask, type Parties } from '../run-task.ts';
import { exampleOf, split } from '../tasks.ts';
import { World } from '../world.ts';
import { parseSimple } from './shell.ts';

const FEATURES = 24;
const ROWS = 120;
/** More features than the columns of a sketch. */
const WIDE = 80;
const OWNERS = 2;
/** What every owner takes: nothing here is anybody's. */
const POLICY = {
  ...{ minimumOwners: 2, minimumKeyBits: 1024, twoParty: TwoPartyName.options },
  ...{ allowFullRank: true, allowSpectrum: true, allowVariances: true, minimumClassRows: 1, maximumLinks: 3 },
  ...MANY_ANSWERS,
  series: { most: 3, shortestIntervalHours: 0 },
} as const;
/** What makes any draft a small task. */
const SMALL = { minimumOwners: 2, keyBits: 1024, allowInsecureKey: true } as const;

export type Columns = 'label' | 'user' | 'price' | 'id' | 'age_group' | 'patient';

export class DocumentSite {
  readonly world: World;
  readonly #parties: Parties;
  readonly #before: { readonly folder: string; readonly environment: NodeJS.ProcessEnv };
  readonly #done = new Map<string, Promise<TaskId>>();
  readonly #closing: (() => unknown)[] = [];
  #copies = 0;

  private constructor(world: World, parties: Parties) {
    this.world = world;
    this.#parties = parties;
    this.#before = { folder: process.cwd(), environment: { ...process.env } };
    process.chdir(world.folder);
    Object.assign(process.env, {
      ...{ EIGENVEIL_USER_CSP_CA: 'cert.pem', EIGENVEIL_USER_CA: 'cert.pem' },
      ...{ EIGENVEIL_OWNER_CSP_CA: 'cert.pem', EIGENVEIL_OWNER_USER_CA: 'cert.pem' },
      ...{ EIGENVEIL_OWNER_HOME: 'owner-1' },
    });
  }

  static async start(): Promise<DocumentSite> {
    const world = await World.start();
    const owners: DataOwner[] = [];
    for (let i = 0; i < OWNERS; i += 1) {
      const { owner } = await world.enrolledOwner(POLICY);
      owners.push(owner);
    }
    const client = await world.taskClient(20_000);
    const site = new DocumentSite(world, { client, dataUser: world.dataUserAddress, owners });
    await site.write('policy.json', POLICY);
    await site.write('csp.json', { ...world.cspConfig, publicUrl: world.cspAddress.url });
    await site.write('user.json', { ...world.dataUserConfig, url: world.dataUserAddress.url });
    await cp('cert.pem', 'fullchain.pem');
    await cp('key.pem', 'privkey.pem');
    return site;
  }

  get client() {
    return this.#parties.client;
  }

  write(name: string, content: unknown): Promise<void> {
    return writeFile(name, typeof content === 'string' ? content : JSON.stringify(content));
  }

  /** What stands for the placeholders of all documents. */
  get values(): Values {
    const { cspConfig, dataUserConfig, cspAddress, dataUserAddress } = this.world;
    return new Map([
      ['https://csp.example.org:8443', cspAddress.url],
      ['https://user.example.org:8444', dataUserAddress.url],
      ['--user-url URL', `--user-url ${dataUserAddress.url}`],
      ['<thumbprint of the CSP>', dataUserConfig.cspThumbprint],
      ['/var/lib/eigenveil-csp', cspConfig.dataDirectory],
      ['/var/lib/eigenveil-user', dataUserConfig.dataDirectory],
      ['/etc/eigenveil/', ''],
      ['/backup/', './'],
    ]);
  }

  /** Gives a documented command with its placeholders filled in, and `more` behind it: in this process, to a good end. */
  async give(command: string, values: Values = new Map(), ...more: readonly string[]): Promise<Finished> {
    const finished = await this.try(command, values, ...more);
    const { exitCode, stderr } = finished;
    expect({ command, exitCode, said: exitCode === 0 ? '' : stderr }).toEqual({
      command,
      exitCode: 0,
      said: '',
    });
    return finished;
  }

  async try(command: string, values: Values = new Map(), ...more: readonly string[]): Promise<Finished> {
    // What a form gives is longer or more apt than what the site has for it.
    const remaining = [...this.values].filter(([placeholder]) => !values.has(placeholder));
    const { variables, words, output } = parseSimple(fill(command, new Map([...values, ...remaining])));
    const [, name] = /^eigenveil-(\w+)$/.exec(words[0]!) ?? [];
    const before = { ...process.env };
    Object.assign(process.env, variables);
    try {
      // What follows "--" is no option any more.
      const end = words.includes('--') ? words.indexOf('--') : words.length;
      const args = [...words.slice(1, end), ...more, ...words.slice(end)];
      const finished = await runInProcess(name as keyof typeof PROGRAMS, ...args);
      if (output !== undefined) await writeFile(output, finished.stdout);
      return finished;
    } finally {
      restore(before);
    }
  }

  /** A file of made-up rows: `features` columns of numbers, and those that a command names. */
  async rows(name: string, columns: readonly Columns[], features = FEATURES): Promise<void> {
    const cells: Readonly<Record<Columns, (row: number) => number | string>> = {
      ...{ label: (row) => row % 7, user: (row) => `u${row % 14}`, price: (row) => 10 + (row % 11) },
      ...{ id: (row) => row, age_group: (row) => `a${row % 3}`, patient: (row) => `p${row % 40}` },
    };
    const header = [...Array.from({ length: features }, (_, i) => `f${i}`), ...columns];
    const lines = Array.from({ length: ROWS }, (_, row) => [
      ...Array.from({ length: features }, (_, i) => (50 + 40 * Math.sin((row + 1) * (i + 1.3))).toFixed(3)),
      ...columns.map((column) => cells[column](row)),
    ]);
    await this.write(name, `${[header, ...lines].map((line) => line.join(',')).join('\n')}\n`);
  }

  /** A proposal over such rows, which is small enough for any test; `rows.csv` fits it. */
  async proposal(changes: Record<string, unknown> = {}, features = FEATURES): Promise<TaskProposal> {
    await this.rows('rows.csv', [], features);
    await this.rows('made-up.csv', ['label'], features);
    const { proposal } = await exampleOf('made-up.csv', 'pca', {
      components: 8,
      outputs: ['mean'],
      ...SMALL,
    });
    return ProposalFile.parse({ ...proposal, ...changes });
  }

  /** A draft, made small: with the protocol that shows everything unless it is of a histogram, which has one alone. */
  small(drafted: Record<string, unknown>): TaskProposal {
    const twoParty = drafted.twoParty === 'linear' ? 'linear' : 'simulated';
    const { differentialPrivacy } = drafted;
    const consents = differentialPrivacy !== undefined &&
      differentialPrivacy !== null && {
        differentialPrivacy: { ...differentialPrivacy, dataIndependentRanges: true },
      };
    return ProposalFile.parse({ ...drafted, ...SMALL, ...consents, twoParty });
  }

  /** An open task, over the features of `rows.csv`. */
  async openTask(changes: Record<string, unknown> = {}): Promise<TaskId> {
    const { task } = await this.client.create(await this.proposal(changes));
    return task.id;
  }

  /** A task with a result, to which the owner of the commands has contributed; each proposal once. */
  doneTask(changes: Record<string, unknown> = {}, features = FEATURES): Promise<TaskId> {
    const key = JSON.stringify([changes, features]);
    const done = this.#done.get(key) ?? this.#runTask(changes, features);
    this.#done.set(key, done);
    return done;
  }

  async #runTask(changes: Record<string, unknown>, features: number): Promise<TaskId> {
    const proposal = await this.proposal(changes, features);
    const { rows } = await exampleOf('made-up.csv', 'pca');
    const { task, status } = await finishTask(this.#parties, proposal, split(rows, OWNERS));
    expect(status).toMatchObject({ state: 'done' });
    return task.id;
  }

  wideSketch(): Promise<TaskId> {
    return this.doneTask({ sketch: { columns: 60 }, components: 20, outputs: ['mean', 'sampleCount'] }, WIDE);
  }

  token(): Promise<string[]> {
    return inviteOwners(this.world.cspConfig.dataDirectory, 1, 3600);
  }

  /** A data directory as it is, copied: for commands that want no service in it. */
  async copyOf(directory: string): Promise<string> {
    this.#copies += 1;
    const copy = join(this.world.folder, `copy-${this.#copies}`);
    await cp(directory, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  /** Settings of a service that does not run, with a copy of the data of the one that does. */
  async stopped(service: 'csp' | 'user'): Promise<{ directory: string; config: string }> {
    const { cspConfig, dataUserConfig } = this.world;
    const settings = service === 'csp' ? cspConfig : dataUserConfig;
    const directory = await this.copyOf(settings.dataDirectory);
    const config = `${directory}.json`;
    await this.write(config, { ...settings, dataDirectory: directory, port: await freePort() });
    return { directory, config };
  }

  async folder(name: string): Promise<string> {
    await mkdir(name, { recursive: true, mode: 0o700 });
    return join(this.world.folder, name);
  }

  text(name: string): Promise<string> {
    return readFile(name, 'utf8');
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await rm(name, { recursive: true, force: true });
  }

  /** Has something end before the site does. */
  onClose(close: () => unknown): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
    process.chdir(this.#before.folder);
    restore(this.#before.environment);
    await this.world.close();
  }
}

function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
