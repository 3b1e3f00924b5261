/** Means, variances and correlations through running services and command lines: drafted, shown, opened with noise, told, and checked by owners. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { momentsInUnits } from '@eigenveil/projection';
import { ProposalFile } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { partiesOf } from './support/recorded-world.ts';
import { type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
/** The few rows of the file, often enough to stand out of noise. */
const TIMES = 30;
const IRIS = dataFile('iris');
const SHORT = { minimumOwners: 2, keyBits: 1024, allowInsecureKey: true, encryption: 'djn' } as const;

let world: World;
let parties: Parties;
let rows: LabelledRows;
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, { twoParty: ['linear'], maximumEpsilon: 100, totalEpsilon: 200 });
  const { values, classes } = (await exampleOf(IRIS, 'pca')).rows;
  const often = <T>(all: readonly T[]) => Array.from({ length: TIMES }, () => all).flat();
  rows = { values: often(values), classes: often(classes) };
});
afterAll(() => world.close());

const draft = (...flags: string[]) =>
  runInProcess(
    'user',
    ...['--json', 'task', 'draft', 'moments', '--data', IRIS, '--ignore', 'label', '--owners', '5'],
    ...['--range', '[0, 8]', ...flags],
  );

test('sums are opened with noise, and everybody who has the result can say what follows from them', {
  tags: ['long'],
}, async () => {
  const json = jsonOf(await draft('--epsilon', '8', '--releases', '3'));
  const proposal = ProposalFile.parse({
    ...json,
    ...SHORT,
    differentialPrivacy: { ...(json.differentialPrivacy as object), dataIndependentRanges: true },
  });
  expect(proposal).toMatchObject({ twoParty: 'linear', components: 0, outputs: [], releases: 3 });

  const { task, projection } = await runTask(parties, proposal, split(rows, OWNERS));
  const moments = projection.moments!;
  expect(projection).toMatchObject({ vectors: [], eigenvalues: [] });
  const count = rows.values.length;
  // With ε = 8 and so many rows noise is far below these bounds.
  const { from, to, value } = moments.rows;
  expect([from <= count, count <= to, Math.abs(value - count) < 10]).toEqual([true, true, true]);
  const { features, pairs } = momentsInUnits(task.features, { moments });
  const column = (i: number) => rows.values.map((row) => row[i]!);
  const mean = (of: readonly number[]) => of.reduce((sum, x) => sum + x, 0) / of.length;
  const covariance = (i: number, j: number) =>
    mean(column(i).map((x, n) => (x - mean(column(i))) * (column(j)[n]! - mean(column(j)))));
  for (const [i, told] of features.entries()) {
    expect(Math.abs(told.mean.value - mean(column(i)))).toBeLessThan(0.5);
    expect(Math.abs(told.deviation.value - Math.sqrt(covariance(i, i)))).toBeLessThan(0.5);
  }
  const strongest = pairs.find(({ first, second }) => first === 2 && second === 3)!;
  const exact = covariance(2, 3) / Math.sqrt(covariance(2, 2) * covariance(3, 3));
  expect(Math.abs(strongest.correlation!.value - exact)).toBeLessThan(0.2);

  // What an owner reads before it takes part, and keeps of the result.
  const policy = join(world.folder, 'policy.json');
  await writeFile(
    policy,
    JSON.stringify({ minimumKeyBits: 1024, twoParty: ['linear'], maximumEpsilon: 100, totalEpsilon: 200 }),
  );
  const home = ['--home', join(world.folder, 'owner-1'), '--policy', policy];
  const place = ['--user-url', world.dataUserAddress.url, '--user-ca', join(world.folder, 'cert.pem')];
  const shown = await runInProcess('owner', 'show', task.id, ...place, ...home);
  expect(shown.stdout).toContain('means, variances and correlations of 4 features');
  expect(shown.stdout).toContain('rows longer than');
  const saved = join(world.folder, 'moments.json');
  const kept = await runInProcess('owner', '--json', 'project', task.id, ...place, ...home, '--save', saved);
  expect(JSON.parse(kept.stdout)).toMatchObject({ features: 4, rows: moments.rows });
  expect(JSON.parse(await readFile(saved, 'utf8')).moments).toEqual(moments);

  // What the operator reads.
  const asked = ['task', 'result', task.id, '--url', world.dataUserAddress.url];
  const operator = [
    ...['--ca', join(world.folder, 'cert.pem')],
    ...['--data-directory', world.dataUserConfig.dataDirectory],
  ];
  const told = await runInProcess('user', ...asked, ...operator);
  expect(told.stdout).toContain(`about ${value} rows (${from} to ${to})`);
  expect(told.stdout).toContain('correlations of each feature with those before it');
  const table = await runInProcess('user', ...asked, ...operator, '--format', 'csv');
  // A header, the rows, two lines a feature, and one a pair for correlations and covariances.
  expect(table.stdout.trim().split('\n')).toHaveLength(1 + 1 + 8 + 6 + 10);
  const whole = jsonOf(await runInProcess('user', '--json', ...asked, ...operator));
  expect(whole.moments).toEqual(moments);
});

test('drafts say what does not go with moments', async () => {
  const detail = (text: string) => ({ exitCode: 2, detail: expect.stringContaining(text) });
  expect(problemOf(await draft())).toMatchObject(detail('moments is released with noise alone'));
  const noise = ['--epsilon', '1'];
  expect(problemOf(await draft(...noise, '--components', '1'))).toMatchObject(detail('"--components"'));
  expect(problemOf(await draft(...noise, '--exact'))).toMatchObject(detail('"--exact"'));
});
