/** Data owners of a whole task, in a browser and by the command line, with their rows. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DataOwner,
  OwnerHome,
  OwnerPolicy,
  PaillierPool,
  readFileBytes,
  statisticsOfCsv,
} from '@eigenveil/data-owner';
import { draftPrivacy, draftTask } from '@eigenveil/data-user';
import { draftedMethod } from '@eigenveil/methods';
import { type TaskId, TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { Children, type Finished } from '@eigenveil/testbed/processes/programs';
import type { SignedTask } from '@eigenveil/wire';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Site } from './site.ts';

export const IRIS = fileURLToPath(new URL('../../../../data/iris.csv', import.meta.url));
/** Which is no feature of a PCA. */
export const LABEL = 'label';

/** A policy that takes the tasks of these tests: keys of 1024 bits, and no privacy. */
export const TEST_POLICY = {
  twoParty: ['simulated', 'garbled', 'linear'],
  minimumKeyBits: 1024,
  allowFullRank: true,
  allowSpectrum: true,
  ...MANY_ANSWERS,
} as const;

/** PCA of iris, quickly. */
export async function irisProposal(changes: Readonly<Record<string, unknown>> = {}): Promise<TaskProposal> {
  const { rows, ...draft } = await draftTask(IRIS, { method: 'pca', labels: [], ignore: [LABEL] });
  return TaskProposal.parse({
    ...draft,
    components: 2,
    minimumOwners: 2,
    maximumOwners: 5,
    maximumSamplesPerOwner: rows,
    keyBits: 1024,
    allowInsecureKey: true,
    twoParty: 'simulated',
    outputs: ['mean', 'trace', 'sampleCount'],
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    ...changes,
  });
}

/** Creates a task over iris at the site's data user. */
export async function irisTask(site: Site, changes?: Readonly<Record<string, unknown>>): Promise<TaskId> {
  return (await site.services.client.create(await irisProposal(changes))).task.id;
}

/** Counts of iris's columns, whose noise leaves quantiles. */
export async function countsProposal(): Promise<TaskProposal> {
  const { features } = await irisProposal();
  const wide = features.map(({ name }) => ({ name, min: 0, max: 10 }));
  const wanted = { features: wide, epsilon: 10, delta: 1e-6 };
  return TaskProposal.parse({
    ...(await draftedMethod('histogram', { height: 7 }, { ...wanted, components: 0, ridge: 1 })),
    ...draftPrivacy({ ...wanted, clippingNorm: () => null }, false),
    ...{ labellings: [], components: 0, twoParty: 'linear' },
    minimumOwners: 2,
    maximumOwners: 5,
    maximumSamplesPerOwner: 150,
    keyBits: 1024,
    allowInsecureKey: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
}

/** Writes the rows of `count` owners to files in `folder`, which have the header, too. */
export async function splitRows(folder: string, count: number): Promise<string[]> {
  const [header, ...lines] = (await readFile(IRIS, 'utf8')).trim().split('\n');
  return Promise.all(
    Array.from({ length: count }, async (_, owner) => {
      const file = join(folder, `rows-${owner}.csv`);
      const mine = lines.filter((_line, i) => i % count === owner);
      await writeFile(file, `${[header, ...mine].join('\n')}\n`);
      return file;
    }),
  );
}

/** Enrols as many owners as there are files, and has each contribute its own. */
export async function contribute(
  site: Site,
  taskId: TaskId,
  files: readonly string[],
  ignoredColumns: readonly string[] = [LABEL],
): Promise<void> {
  const { csp, dataUser, caFile } = site.services;
  const ca = await readFile(caFile, 'utf8');
  const paillier = new PaillierPool({ threads: 0 });
  const policy = OwnerPolicy.parse(TEST_POLICY);
  const tokens = await site.invite(files.length);
  for (const [i, file] of files.entries()) {
    const home = await mkdtemp(join(site.folder, 'owner-'));
    const owner = new DataOwner({ state: new OwnerHome(home), policy, paillier });
    await owner.enrol({ url: csp.url, ca }, tokens[i]!, csp.thumbprint);
    await owner.contribute({ url: dataUser.url, ca }, taskId, async (task) => {
      const { statistics } = await statisticsOfCsv(readFileBytes(file), task, { ignoredColumns });
      return statistics;
    });
  }
  await paillier.close();
}

/** A task with a result, of three owners' rows. */
export async function finishedTask(site: Site, proposal: TaskProposal): Promise<SignedTask> {
  const signed = await site.services.client.create(proposal);
  await contribute(site, signed.task.id, await splitRows(site.folder, 3));
  await finish(site, signed.task.id);
  return signed;
}

/** Closes a task, and waits for its result. */
export async function finish(site: Site, taskId: TaskId): Promise<void> {
  await site.services.client.closeTask(taskId);
  expect(await site.services.client.untilFinal(taskId)).toMatchObject({ state: 'done' });
}

/** A data owner in a browser, with a device of its own. */
export class PageOwner {
  readonly page: Page;
  readonly file: string;

  private constructor(page: Page, file: string) {
    this.page = page;
    this.file = file;
  }

  /** Comes by a link, makes a key without a backup, and enrols: then it is at the task that the link names. */
  static async arrive(site: Site, link: string, file: string): Promise<PageOwner> {
    const { page } = await site.open(link);
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    await page.getByRole('button', { name: 'Make the key without a backup' }).click();
    await page.getByRole('button', { name: 'Make it without a backup' }).click();
    await page.getByRole('heading', { name: 'What your policy says' }).waitFor();
    return new PageOwner(page, file);
  }

  /** Takes shorter keys and exact results, and comes back to the task. */
  async allow(keyBits: number): Promise<void> {
    await this.page.getByText('Your policy refuses this task').waitFor();
    await this.page.getByRole('link', { name: 'Change your policy' }).click();
    await this.page.getByLabel('Shortest Paillier key, in bits').fill(String(keyBits));
    await this.page.getByLabel('The whole scatter matrix may be revealed').check();
    await this.page.getByRole('button', { name: 'Save policy' }).click();
    await this.page.getByText('The policy is saved').waitFor();
    await this.page.goBack();
    await this.page.getByText('Your policy allows this task').waitFor();
  }

  /** Until the receipt is there. */
  async contribute(): Promise<void> {
    await this.page.getByRole('button', { name: 'Your file of rows' }).setInputFiles(this.file);
    await this.page.getByLabel(LABEL, { exact: true }).check();
    await this.page.getByRole('button', { name: 'Read the file' }).click();
    await this.page.getByRole('button', { name: 'Encrypt and send' }).click();
    await this.page.getByText('You have contributed').waitFor();
  }

  /** Checks the result and reduces its rows; returns what it saves. */
  async reduce(): Promise<string> {
    await this.page.getByRole('button', { name: 'Get the result' }).click();
    await this.page.getByText('The result is checked').waitFor();
    await this.page.getByRole('button', { name: 'File of rows to reduce' }).setInputFiles(this.file);
    await this.page.getByRole('button', { name: 'Reduce the rows' }).click();
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      this.page.getByRole('button', { name: 'Save the reduced rows' }).click(),
    ]);
    return readFile(await download.path(), 'utf8');
  }
}

/** A data owner who works by the command line, with a home and a file of rows. */
export class CommandOwner {
  readonly file: string;
  readonly #site: Site;
  readonly #home: string;
  readonly #policy: string;
  readonly #children = new Children();

  /** @param policy a file */
  constructor(site: Site, name: string, file: string, policy: string) {
    this.#site = site;
    this.#home = join(site.folder, name);
    this.file = file;
    this.#policy = policy;
  }

  enrol(token: string): Promise<Finished> {
    const { csp, caFile } = this.#site.services;
    return this.#run(
      'enrol',
      ['--csp-url', csp.url, '--csp-ca', caFile, '--csp-thumbprint', csp.thumbprint],
      token,
    );
  }

  contribute(taskId: TaskId): Promise<Finished> {
    return this.#run('contribute', [taskId, ...this.#taking(), '--data', this.file, '--ignore', LABEL]);
  }

  /** Writes rows of a file, reduced, to `out`. */
  project(taskId: TaskId, data: string, out: string): Promise<Finished> {
    return this.#run('project', [taskId, ...this.#taking(), '--data', data, '--out', out]);
  }

  #taking(): readonly string[] {
    const { dataUser, caFile } = this.#site.services;
    return ['--user-url', dataUser.url, '--user-ca', caFile, '--policy', this.#policy];
  }

  #run(what: string, flags: readonly string[], token?: string): Promise<Finished> {
    const environment: Record<string, string> = token === undefined ? {} : { EIGENVEIL_OWNER_TOKEN: token };
    return this.#children.run('owner', ['--json', what, '--home', this.#home, ...flags], environment);
  }
}
