/**
 * Histograms through running services and command lines: drafted, consented to, counted, released once, and
 * checked by owners.
 *
 * @claims S-662, S-664
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseNoiseOf } from '@eigenveil/methods';
import { ProposalFile, type Task, type TaskProposal } from '@eigenveil/task';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { Children } from '@eigenveil/testbed/processes/programs';
import { readFrames } from '@eigenveil/testbed/proxies/http-messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { partiesOf } from './support/recorded-world.ts';
import { beginTask, finishTask, type Parties, runTask, untilEnded } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
/** Of a task whose answer is long enough to break off in its midst. */
const FEW_OWNERS = 2;
const HEIGHT = '10';
/** The answer is one frame of 29 kB: the line breaks in its midst, after the first of its pieces. */
const MIDST = 20_000;
const COMPUTATION = /^GET \/tasks\/[^/]+\/two-party$/;
const IRIS = dataFile('iris');
const POLICY = { maximumEpsilon: 10, totalEpsilon: 25, neighbours: 'add-remove' } as const;

let rows: LabelledRows;
beforeAll(async () => {
  rows = (await exampleOf(IRIS, 'pca')).rows;
});

const draft = (...flags: string[]) =>
  runInProcess(
    'user',
    ...['--json', 'task', 'draft', 'histogram', '--data', IRIS, '--ignore', 'label'],
    ...['--range', '[0, 8]', '--owners', '5', ...flags],
  );

/** As the operator drafts it, with short keys and consent to its ranges. */
async function drafted(...flags: string[]): Promise<TaskProposal> {
  const json = jsonOf(await draft('--epsilon', '10', ...flags));
  return ProposalFile.parse({
    ...json,
    differentialPrivacy: { ...(json.differentialPrivacy as object), dataIndependentRanges: true },
    minimumOwners: 2,
    keyBits: 1024,
    allowInsecureKey: true,
    encryption: 'djn',
  });
}

// The database holds one thing alone, what a data user draws.
describe('with SQLite', () => interrupted('SQLite'));
describe('with PostgreSQL', { tags: ['long'] }, () => interrupted('PostgreSQL'));

function interrupted(database: 'SQLite' | 'PostgreSQL'): void {
  let world: World;
  let postgres: Postgres | undefined;
  let parties: Parties;
  beforeAll(async () => {
    postgres = database === 'PostgreSQL' ? await Postgres.launch() : undefined;
    const databaseUrl = await postgres?.database();
    world = await World.start({ proxied: true, dataUser: { databaseUrl }, csp: { allowSimulated: false } });
    parties = await partiesOf(world, FEW_OWNERS, { ...POLICY, totalEpsilon: 100, twoParty: ['linear'] });
  });
  afterAll(async () => {
    await world.close();
    await postgres?.close();
  });

  /** What the CSP has sent over each connection that it answered, as far as it was passed on. */
  const sentByCsp = () =>
    world.proxies.csp.streams
      .filter((stream) => stream.length > 0)
      .map((stream) => stream.subarray(stream.indexOf('\r\n\r\n') + 4));

  /** What each server has drawn its noise into, as far as it lies in a file. */
  const sealedDraws = (taskId: string) => {
    const at = (directory: string, column: string) =>
      query(directory, `SELECT ${column} AS sealed FROM tasks WHERE task_id = ?`, taskId)[0]!.sealed;
    return [
      at(world.cspConfig.dataDirectory, 'sealed_shares'),
      ...(postgres === undefined ? [at(world.dataUserConfig.dataDirectory, 'sealed_blinding')] : []),
    ];
  };

  /** That the task ends, and that its two lines had the same bytes, the second one all of them. */
  const expectSameAnswer = async (task: Task) => {
    expect(await untilEnded(parties, task)).toMatchObject({ state: 'done' });
    const { projection } = await parties.owners[0]!.result(parties.dataUser, task.id);
    const [first, second, ...others] = sentByCsp();
    expect(others).toEqual([]);
    expect(first!.length).toBeGreaterThan(10_000);
    expect(second!.subarray(0, first!.length).equals(first!)).toBe(true);
    const [frame] = readFrames(second!, 0);
    expect(frame!.payload.length).toBe(7 * 4 * (projection.histograms![0]!.coefficients.length + 1));
    const operations = query(
      world.cspConfig.dataDirectory,
      "SELECT operation FROM audit WHERE task_id = ? AND operation LIKE 'computation%' ORDER BY sequence",
      task.id,
    ).map(({ operation }) => operation);
    expect(operations.filter((it) => it !== 'computation started')).toEqual([
      'computation answered',
      'computation resumed',
    ]);
  };

  /** Done between the two lines of a computation, the first of which broke in the midst of the answer. */
  const csp = async () => {
    await world.stopCsp();
    await world.startCsp();
  };
  const dataUser = async () => {
    await world.stopDataUser();
    await world.startDataUser();
  };
  const broken = async (_: string, happens: readonly (() => Promise<void>)[]) => {
    const proposal = await drafted('--height', HEIGHT);
    const parts = split(rows, FEW_OWNERS);
    const proxy = world.proxies.csp;
    proxy.streams.length = 0;
    proxy.inject(COMPUTATION, { kind: 'cut', atByte: MIDST });
    const held = proxy.inject(COMPUTATION, { kind: 'hold' });
    const { task } = await beginTask(parties, proposal, parts);
    await expect.poll(() => held.hits).toBe(1);
    const drawn = sealedDraws(task.id);
    expect(drawn).not.toContain(null);
    for (const happen of happens) await happen();
    expect(sealedDraws(task.id)).toEqual(drawn);
    proxy.heal();
    await expectSameAnswer(task);
  };
  const BROKEN = 'a broken line brings the same bytes again, and no second draw: %s';
  test.each([['services that were started again', [csp, dataUser]]] as const)(
    BROKEN,
    { tags: ['long'] },
    broken,
  );
  test.each([
    ['the same services', []],
    ['a CSP that was started again', [csp]],
    ['a data user that was started again', [dataUser]],
  ] as const)(BROKEN, { tags: ['long'] }, broken);

  if (database === 'PostgreSQL') return;
  test.each(['csp', 'user'] as const)(
    'killed in the midst of the answer, and followed by another process, it gives the same: %s',
    { tags: ['long'] },
    async (name) => {
      const children = new Children();
      const { csp } = world.proxies;
      const config = join(world.folder, `${name}.json`);
      const serve = () => children.serve(name, ['--config', config]);
      await writeFile(config, JSON.stringify(name === 'csp' ? world.cspConfig : world.dataUserConfig));
      await (name === 'csp' ? world.stopCsp() : world.stopDataUser());
      try {
        const child = await serve();
        csp.streams.length = 0;
        csp.streamBytes.length = 0;
        csp.inject(COMPUTATION, { kind: 'stall', atByte: MIDST });
        const { task } = await beginTask(parties, await drafted('--height', HEIGHT), split(rows, FEW_OWNERS));
        await expect.poll(() => csp.streamBytes[0] ?? 0).toBeGreaterThan(MIDST);
        const drawn = sealedDraws(task.id);
        expect(drawn).not.toContain(null);
        expect(await child.end('SIGKILL')).toBeNull();
        expect(sealedDraws(task.id)).toEqual(drawn);
        await serve();
        await expectSameAnswer(task);
      } finally {
        await children.stop();
        csp.heal();
        await (name === 'csp' ? world.startCsp() : world.startDataUser());
      }
    },
  );
}

describe('a histogram', () => {
  let world: World;
  let parties: Parties;
  beforeAll(async () => {
    world = await World.start({ csp: { allowSimulated: false } });
    parties = await partiesOf(world, OWNERS, { ...POLICY, twoParty: ['linear'] });
    await world.enrolledOwner({}); // the one whose policy names no histograms
  });
  afterAll(() => world.close());

  const userFlags = () => [
    ...['--url', world.dataUserAddress.url, '--ca', join(world.folder, 'cert.pem')],
    ...['--data-directory', world.dataUserConfig.dataDirectory],
  ];

  test('is drafted with the strategy of the least error, and a draft without noise is refused', async () => {
    const proposal = await drafted('--height', '4');
    expect(proposal).toMatchObject({
      method: { kind: 'histogram', height: 4 },
      components: 0,
      twoParty: 'linear',
      differentialPrivacy: { epsilon: 10, clippingNorm: null },
    });
    expect((await drafted('--height', '4', '--workload', 'counts')).method).toMatchObject({
      strategy: 'flat',
    });
    expect((await drafted('--height', '10')).method).toMatchObject({ strategy: 'privelet' });
    const { stderr } = await runInProcess(
      'user',
      ...['task', 'draft', 'histogram', '--data', IRIS, '--ignore', 'label', '--owners', '5'],
      ...['--epsilon', '1', '--delta', '0', '--logarithmic', '0.01'],
    );
    expect(stderr).toMatch(/each server adds discrete Laplace noise of deviation/);
    expect(stderr).toMatch(/the noise of both makes counts deviate/);
    expect(stderr).toMatch(/linear takes about .* between the servers/);
    expect(problemOf(await draft())).toMatchObject({
      exitCode: 2,
      detail: expect.stringContaining('"epsilon" expected'),
    });
    expect(problemOf(await draft('--epsilon', '1', '--components', '2'))).toMatchObject({ exitCode: 2 });
  });

  test('is what rows are, up to the noise of both servers; the operator and an owner see the same', async () => {
    const proposal = await drafted('--height', '4');
    const parts = split(rows, OWNERS);
    const { projection, task } = await runTask(parties, proposal, parts);
    const noise = releaseNoiseOf(task);
    if (noise.kind !== 'gaussian') throw new Error('expected Gaussian noise');
    const deviation = Math.sqrt(
      (2 * Number(noise.sigmaSquared.numerator)) / Number(noise.sigmaSquared.denominator),
    );
    expect(projection.histograms!.map(({ name }) => name)).toEqual(task.features.map(({ name }) => name));
    let differs = false;
    for (const [i, { counts, unreadable }] of projection.histograms!.entries()) {
      const exact = new Array<number>(16).fill(0);
      for (const row of rows.values) exact[Math.min(15, Math.floor(2 * row[i]!))]! += 1;
      // Eight deviations: once in 10^13 cases.
      for (const [bin, count] of counts.entries()) {
        expect(Math.abs(count - exact[bin]!)).toBeLessThan(8 * deviation);
        differs ||= count !== exact[bin];
      }
      expect(Math.abs(unreadable)).toBeLessThan(8 * deviation);
    }
    expect(differs).toBe(true);
    const { rows: about, deviation: of } = projection.privateRows!;
    expect(Math.abs(about - rows.values.length)).toBeLessThan(8 * of);

    const { stdout } = await runInProcess('user', 'task', 'result', task.id, ...userFlags());
    expect(stdout).toMatch(/about \d+ rows, with noise of deviation/);
    expect(stdout).toMatch(/0\.5 +[\d.]+ +\[[\d.]+, [\d.]+\]/);
    const file = join(world.folder, 'bins.csv');
    jsonOf(
      await runInProcess(
        'user',
        ...['--json', 'task', 'result', task.id, '--format', 'csv', '--out', file],
        ...userFlags(),
      ),
    );
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(1 + 4 * 17);
    expect(lines[0]).toBe('histogram,from,to,count');
  });

  test('is shown with what it reveals, and taken only by a policy that names it', async () => {
    const signed = await parties.client.create(await drafted('--height', '4'));
    const { task } = signed;
    const policy = join(world.folder, 'cautious.json');
    await writeFile(policy, JSON.stringify({ minimumOwners: 2, minimumKeyBits: 1024 }));
    const shown = await runInProcess(
      'owner',
      ...[
        'show',
        task.id,
        '--user-url',
        world.dataUserAddress.url,
        '--home',
        join(world.folder, `owner-${OWNERS + 1}`),
      ],
      ...['--user-ca', join(world.folder, 'cert.pem'), '--policy', policy],
    );
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/histogram, 4 features, 16 bins, by linear/);
    expect(shown.stdout).toMatch(/counts with the noise of both servers: of 16 bins of each of 4 histograms/);
    expect(shown.stdout).toMatch(/\(ε, δ\) = \(10, 0\.000001\) for one row more or less/);
    expect(shown.stdout).toMatch(/Your policy refuses this task/);
    expect(shown.stdout).toMatch(/to take it: "twoParty": \["garbled","linear"\]/);
    await parties.client.cancelTask(task.id);
  });

  test('over the same rows is counted, and refused once their budget is spent: another strategy, too', async () => {
    const parts = split(rows, OWNERS);
    const again = await drafted('--height', '5', '--workload', 'counts');
    await expect(finishTask(parties, { ...again, maximumOwners: 4 }, parts)).resolves.toMatchObject({
      status: { state: 'done' },
    });
    const [budget] = await parties.owners[0]!.budget();
    expect(budget).toMatchObject({ tasks: 2, totalEpsilon: 25 });
    expect(budget!.spent!.epsilon).toBeGreaterThan(10);
    const other = await drafted('--height', '6', '--delta', '0');
    await expect(finishTask(parties, other, parts)).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_(BUDGET_EXHAUSTED|POLICY)$/),
    });
  });

  test('cannot be proposed to the CSP as what the data user likes: one that leaves noise out is refused', async () => {
    const proposal = await drafted('--height', '4');
    for (const changes of [
      { differentialPrivacy: null },
      { twoParty: 'rotated' },
      { differentialPrivacy: { ...proposal.differentialPrivacy!, noise: 'csp' } },
    ])
      await expect(parties.client.create({ ...proposal, ...changes } as TaskProposal)).rejects.toMatchObject({
        code: 'ERR_TASK_INVALID',
      });
  });
});
