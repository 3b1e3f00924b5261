/** Data owners by the library, for tests of what a page shows of contributions and results: three of them, each with a third of iris. */
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
import { draftTask, histogramOf } from '@eigenveil/data-user';
import { type TaskId, TaskProposal } from '@eigenveil/task';
import type { SignedTask } from '@eigenveil/wire';
import { expect } from 'vitest';
import type { Site } from './site.ts';

export const IRIS = fileURLToPath(new URL('../../../../data/iris.csv', import.meta.url));
/** Which is no feature of a PCA. */
export const LABEL = 'label';

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

/** Counts of iris's columns, whose noise leaves quantiles. */
export async function countsProposal(): Promise<TaskProposal> {
  const { features } = await irisProposal();
  const wide = features.map(({ name }) => ({ name, min: 0, max: 10 }));
  return TaskProposal.parse({
    ...histogramOf({ features: wide }, { epsilon: 10, delta: 1e-6, height: 7, workload: 'prefixes' }),
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
  const policy = OwnerPolicy.parse({
    twoParty: ['simulated', 'garbled', 'linear'],
    minimumKeyBits: 1024,
    allowFullRank: true,
    allowSpectrum: true,
  });
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
