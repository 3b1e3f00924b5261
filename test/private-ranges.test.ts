/** From private histograms to a projection: ranges that nobody had to know, through running services and the command line. */

import { join } from 'node:path';
import { basisFrom } from '@eigenveil/data-user';
import { type MethodName, releaseNoiseOf, strategyOf } from '@eigenveil/methods';
import { privateRange } from '@eigenveil/release';
import { ProposalFile, type TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { partiesOf } from './support/recorded-world.ts';
import { finishTask, type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const IRIS = dataFile('iris');
const SHORT = { minimumOwners: 2, keyBits: 1024, allowInsecureKey: true, encryption: 'djn' } as const;

let world: World;
let parties: Parties;
let rows: LabelledRows;
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, {
    ...{ maximumEpsilon: 10, totalEpsilon: 25, neighbours: 'add-remove' },
    twoParty: ['linear', 'simulated'],
  });
  rows = (await exampleOf(IRIS, 'pca')).rows;
});
afterAll(() => world.close());

const draft = (method: MethodName, ...flags: string[]) =>
  runInProcess(
    'user',
    ...['--json', 'task', 'draft', method, '--data', IRIS, '--ignore', 'label', '--owners', '5', ...flags],
    ...['--url', world.dataUserAddress.url, '--ca', join(world.folder, 'cert.pem')],
    ...['--data-directory', world.dataUserConfig.dataDirectory],
  );

test('a projection takes its ranges from a histogram, names its result, and both are charged', async () => {
  const counts = jsonOf(await draft('histogram', '--epsilon', '10', '--height', '6', '--range', '[-50, 50]'));
  const histogram = ProposalFile.parse({
    ...counts,
    ...SHORT,
    differentialPrivacy: { ...(counts.differentialPrivacy as object), dataIndependentRanges: true },
  });
  const parts = split(rows, OWNERS);
  const released = await runTask(parties, histogram, parts);

  const flags = ['--components', '2', '--ranges-from', released.task.id, '--epsilon', '5'];
  const drafted = await draft('pca', ...flags, '--two-party', 'simulated');
  const proposal: TaskProposal = ProposalFile.parse({ ...jsonOf(drafted), ...SHORT });
  expect(proposal.rangesFrom).toBe((await basisFrom(parties.client, released.task.id)).digest);
  expect(proposal.differentialPrivacy).toMatchObject({ epsilon: 5, dataIndependentRanges: 'rangesFrom' });
  // What the noise says of each feature, be it near its cells (0.1 to 7.9) or, now and then, far from them.
  const counted = released.task;
  if (counted.method.kind !== 'histogram') throw new TypeError('expected a task of histogram');
  const { histograms = [], privateRows } = released.projection;
  for (const [i, { min, max }] of proposal.features.entries()) {
    const noisy = {
      ...{ strategy: strategyOf(counted.method), noise: releaseNoiseOf(counted), servers: 2 },
      counts: histograms[i]!.counts,
    };
    const { from, to } = privateRange(noisy, { lower: 0.005, upper: 0.995, rows: privateRows!.rows })!;
    const edge = (bin: number) => -50 + (100 * bin) / 64;
    const by = 0.1 * (edge(to) - edge(from));
    expect(min).toBeCloseTo(Math.max(-50, edge(from) - by), 9);
    expect(max).toBeCloseTo(Math.min(50, edge(to) + by), 9);
  }
  const { status, task } = await finishTask(parties, proposal, parts);
  expect(status.state).toBe('done');
  expect(task.rangesFrom).toBe(proposal.rangesFrom);
  const [budget] = await parties.owners[0]!.budget();
  expect(budget).toMatchObject({ tasks: 2 });
  expect(budget!.spent!.epsilon).toBeGreaterThan(10);

  const text = await runInProcess(
    'owner',
    ...['show', task.id, '--user-url', world.dataUserAddress.url, '--home', join(world.folder, 'owner-1')],
    ...['--user-ca', join(world.folder, 'cert.pem')],
  );
  expect(text.stdout).toContain(`ranges follow from the noisy counts with the digest ${proposal.rangesFrom}`);
  // What the operator reads.
  const notes = await runInProcess(
    'user',
    ...['task', 'draft', 'pca', '--data', IRIS, '--ignore', 'label', '--owners', '5', ...flags],
    ...['--url', world.dataUserAddress.url, '--ca', join(world.folder, 'cert.pem')],
    ...['--data-directory', world.dataUserConfig.dataDirectory],
  );
  expect(notes.stderr).toMatch(/ranges come from the noisy counts of task .*widened by 10 %/);
  expect(notes.stderr).toMatch(/has spent epsilon 10 .* comes on top/);

  // It is no histogram itself, and ranges come from one place.
  const refused = problemOf(await draft('pca', '--components', '1', '--ranges-from', task.id));
  expect(refused).toMatchObject({ exitCode: 2, detail: expect.stringContaining('a task of histogram') });
  const both = problemOf(
    await draft('pca', '--components', '1', '--ranges-from', task.id, '--range', '[0, 1]'),
  );
  expect(both).toMatchObject({ exitCode: 2, detail: expect.stringContaining('without --basis') });
});
