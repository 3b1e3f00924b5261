/**
 * Chains through the running services: PCA, then DCA on its components, against the clear composition; and
 * what owners do not stand on.
 *
 * @claims S-600, S-602, S-604, S-605
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MethodName } from '@eigenveil/methods';
import { decompose, Projector, statisticsThrough } from '@eigenveil/projection';
import { openSigningKey } from '@eigenveil/server';
import { readFileBytes, readRowBatches } from '@eigenveil/statistics';
import { ProposalFile, programOf, type Task, type TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import {
  BasisResponse,
  newSalt,
  PROJECTION,
  type SignedLink,
  type SignedTask,
  signStatement,
} from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { ownerOf, payloadOf, sendAs } from './support/requests.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const IRIS = dataFile('iris');
const OWNERS = 3;
const code = (expected: string) => expect.objectContaining({ code: expected });

let world: World;
let owners: Enrolled[];
/** The rows of each owner, and all of them. */
let files: string[];
let pca: SignedTask;
beforeAll(async () => {
  world = await World.start({ proxied: true });
  owners = await Promise.all(Array.from({ length: OWNERS }, () => world.enrolledOwner({ maximumLinks: 2 })));
  const [header, ...lines] = (await readFile(IRIS, 'utf8')).trim().split('\n');
  files = await Promise.all(
    owners.map(async (_, i) => {
      const file = join(world.folder, `rows-${i}.csv`);
      await writeFile(file, `${[header, ...lines.filter((_, row) => row % OWNERS === i)].join('\n')}\n`);
      return file;
    }),
  );
  pca = await finished(await proposalOf('pca'), ['label'], [0, 1, 2]);
});
afterEach(() => world.proxies.dataUser.heal());
afterAll(() => world.close());

/** PCA of iris to three components, or what a draft makes of it. */
async function proposalOf(method: 'pca', changes: Record<string, unknown> = {}): Promise<TaskProposal> {
  return (await exampleOf(IRIS, method, { outputs: ['mean'], components: 3, ...changes })).proposal;
}

const contribute = (i: number, { task }: SignedTask, ignoredColumns: readonly string[], by = owners[i]!) =>
  by.owner.contribute(world.dataUserAddress, task.id, async (agreed, _signs, basis) => {
    const { statistics } = await statisticsThrough(agreed, basis, { ignoredColumns }, (columns, options) =>
      readRowBatches(readFileBytes(files[i]!), columns, options),
    );
    return statistics;
  });

/** A task that these owners contribute to, computed. */
async function finished(
  proposal: TaskProposal,
  ignored: readonly string[],
  parts: readonly number[],
): Promise<SignedTask> {
  const client = await world.taskClient();
  const signed = await client.create(proposal);
  for (const i of parts) await contribute(i, signed, ignored);
  await client.closeTask(signed.task.id);
  expect(await client.untilFinal(signed.task.id)).toMatchObject({ state: 'done' });
  return signed;
}

/** As the operator drafts it, with what tests need. */
async function drafted(method: MethodName, ...flags: string[]): Promise<TaskProposal> {
  const client = ['--url', world.dataUserAddress.url, '--ca', join(world.folder, 'cert.pem')];
  const draft = await runInProcess(
    'user',
    ...['--json', 'task', 'draft', method, '--data', IRIS, '--basis', pca.task.id, '--owners', '10'],
    ...client,
    ...[
      '--data-directory',
      world.dataUserConfig.dataDirectory,
      '--two-party',
      'simulated',
      '--exact',
      ...flags,
    ],
  );
  return ProposalFile.parse({
    ...jsonOf(draft),
    keyBits: 1024,
    allowInsecureKey: true,
    minimumOwners: 2,
  });
}
const dcaDraft = () => drafted('dca', '--label', 'label', '--components', '1', '--outputs', 'mean');

describe('PCA, then DCA on its components', () => {
  let dca: SignedTask;

  test('is drafted on the first result, whose numbers it does not tell', async () => {
    const draft = await dcaDraft();
    expect(draft.features).toEqual(
      [1, 2, 3].map((c) => ({
        ...{ name: `component_${c}`, min: -4, max: 4, twoValued: false },
        // The coarsest of the four columns: 0.1 on a range of 2.4.
        grain: expect.closeTo(0.2 / 2.4, 12),
      })),
    );
    expect(draft.method).toMatchObject({ kind: 'dca', ridge: 0.0625 });
    const { provenance } = await (await world.taskClient()).resultWithProvenance(pca.task.id);
    expect(payloadOf(provenance!.countersignature)).toMatchObject({ projectionDigest: draft.basis });
    const wrong = await runInProcess(
      'user',
      ...[
        '--json',
        'task',
        'draft',
        'pca',
        '--data',
        IRIS,
        '--basis',
        pca.task.id,
        '--owners',
        '10',
        '--components',
        '1',
      ],
      ...['--url', world.dataUserAddress.url, '--ca', join(world.folder, 'cert.pem')],
      ...['--data-directory', world.dataUserConfig.dataDirectory, '--ignore', 'label,sepal_length'],
    );
    expect(problemOf(wrong)).toMatchObject({
      exitCode: 2,
      detail: expect.stringMatching(/4 features .* 1 are missing/),
    });
  });

  test('gives the clear composition, also to an owner who was not in the first task', async () => {
    dca = await (await world.taskClient()).create(await dcaDraft());
    const late = await world.enrolledOwner({ maximumLinks: 2 });
    await contribute(0, dca, [], late);
    await contribute(1, dca, []);
    // And by the command line.
    const policy = { twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true, ...MANY_ANSWERS };
    const at = (name: string) => join(world.folder, name);
    await writeFile(at('policy.json'), JSON.stringify({ ...policy, maximumLinks: 2 }));
    const asOwner = [
      ...['--home', at('owner-3'), '--user-url', world.dataUserAddress.url],
      ...['--user-ca', at('cert.pem'), '--policy', at('policy.json')],
    ];
    const shown = jsonOf(await runInProcess('owner', '--json', 'show', dca.task.id, ...asOwner));
    expect(shown).toMatchObject({ basis: [{ taskId: pca.task.id }], policy: { takes: true } });
    const sent = await runInProcess(
      'owner',
      '--json',
      'contribute',
      dca.task.id,
      ...asOwner,
      '--data',
      files[2]!,
    );
    expect(jsonOf(sent)).toMatchObject({ rows: 50, clipped: {} });
    const sql = await runInProcess(
      'owner',
      ...['--json', 'sql', dca.task.id, ...asOwner, '--dialect', 'duckdb', '--from', 'rows'],
    );
    expect(problemOf(sql)).toMatchObject({ exitCode: 2, detail: expect.stringContaining('--data') });

    const client = await world.taskClient();
    await client.closeTask(dca.task.id);
    expect(await client.untilFinal(dca.task.id)).toMatchObject({ state: 'done' });

    // In the clear: the pooled rows, decomposed, reduced by that, and decomposed again.
    const clearly = async (task: Task, basis: Parameters<typeof statisticsThrough>[1]) => {
      const { statistics } = await statisticsThrough(
        task,
        basis,
        { ignoredColumns: 'others' },
        (columns, all) => readRowBatches(readFileBytes(IRIS), columns, all),
      );
      const decomposition = decompose({ ...programOf(task), minimumOwners: 1 }, statistics);
      return { task, projection: { ...task, ...decomposition } };
    };
    const first = await clearly(pca.task, []);
    const second = await clearly(dca.task, [first]);
    const clear = new Projector(second.task, second.projection, [first]);

    const result = await late.owner.result(world.dataUserAddress, dca.task.id);
    expect(result.projection.basis).toBe(dca.task.basis);
    const projector = new Projector(result.task, result.projection, result.basis);
    const rows = [
      [5.1, 3.5, 1.4, 0.2],
      [6.3, 2.8, 5.1, 1.5],
      [5.9, 3.0, 4.2, 1.5],
    ];
    const expected = clear.transform(rows).map(([value]) => value!);
    expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(0.1);
    for (const [r, [value]] of projector.transform(rows).entries())
      expect(value).toBeCloseTo(expected[r]!, 6);
    expect(result.projection.eigenvalues[0]).toBeCloseTo(second.projection.eigenvalues[0]!, 9);
    // Another program needs the evidence alone.
    const opened = await Projector.open(JSON.parse(JSON.stringify(result.evidence)), result.task.csp);
    expect(opened.transform(rows)).toEqual(projector.transform(rows));
    expect((await late.owner.verify(JSON.parse(JSON.stringify(result.evidence)))).basis).toHaveLength(1);
    const out = at('reduced.csv');
    const reduced = await runInProcess(
      'owner',
      '--json',
      'project',
      dca.task.id,
      ...asOwner,
      '--data',
      IRIS,
      '--out',
      out,
    );
    expect(jsonOf(reduced)).toMatchObject({ rows: 150, components: 1 });
    const [header, line] = (await readFile(out, 'utf8')).split('\n');
    expect(header).toBe('component_1');
    expect(Number(line)).toBe(projector.transform(rows.slice(0, 1))[0]![0]);
  });

  test('has its first link in the result, without which no owner takes it', async () => {
    const { evidence } = await owners[1]!.owner.result(world.dataUserAddress, dca.task.id);
    const { basis, ...bare } = evidence;
    expect(basis).toHaveLength(1);
    await expect(owners[1]!.owner.verify(bare)).rejects.toEqual(code('ERR_BASIS_INVALID'));
    const path = `/tasks/${dca.task.id}/projection`;
    const answer = await sendAs(world.dataUserAddress, await ownerOf(owners[1]!.home), {
      method: 'GET',
      path,
    });
    const { basis: _, ...without } = answer.json as { basis: unknown };
    world.proxies.dataUser.inject(/projection$/, { kind: 'answer', json: without });
    await expect(owners[1]!.owner.result(world.dataUserAddress, dca.task.id)).rejects.toEqual(
      code('ERR_BASIS_INVALID'),
    );
  });
});

describe('a task on a basis', () => {
  let dca: SignedTask;
  /** Another result of the same kind, which owners do not get. */
  let kept: SignedTask;
  beforeAll(async () => {
    dca = await (await world.taskClient()).create(await dcaDraft());
    kept = await finished(await proposalOf('pca', { releaseToOwners: false }), ['label'], [1, 2]);
  });

  test('is refused by an owner who has not agreed to chains, or not to as long ones', async () => {
    const careful = await world.enrolledOwner();
    await expect(contribute(0, dca, [], careful)).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('"maximumLinks"'),
    });
    const { broken } = await careful.owner.inspect(world.dataUserAddress, dca.task.id);
    expect(broken.map(({ change }) => change)).toEqual([{ maximumLinks: 2 }]);
    const proposal = await drafted('pca', '--ignore', 'label', '--components', '2', '--outputs', 'mean');
    const second = await finished(proposal, ['label'], [0, 1]);
    const client = await world.taskClient();
    const { basisFrom, draftOn, draftTask } = await import('@eigenveil/data-user');
    const draft = draftOn(
      await basisFrom(client, second.task.id),
      await draftTask(IRIS, { method: 'pca', labels: [], ignore: ['label'] }),
    );
    const { basis, features } = draft;
    const third = await client.create({ ...proposal, basis, features: [...features], components: 1 });
    await expect(contribute(0, third, ['label'])).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('has 3 tasks, but your policy allows at most 2'),
    });
    await contribute(0, third, ['label'], await world.enrolledOwner({ maximumLinks: 3 }));
  });

  test('is an answer of its own over the same rows', { tags: ['long'] }, async () => {
    const one = await world.enrolledOwner({ maximumLinks: 2, answers: { rotated: 1, wholes: 1 } });
    const first = await (await world.taskClient()).create(await proposalOf('pca'));
    await contribute(0, first, ['label'], one);
    await expect(contribute(0, dca, [], one)).rejects.toEqual(code('ERR_BUDGET_EXHAUSTED'));
    const two = await world.enrolledOwner({ maximumLinks: 2, answers: { rotated: 0, wholes: 2 } });
    await contribute(0, first, ['label'], two);
    await contribute(0, dca, [], two);
    const [{ answers } = { answers: undefined }] = await two.owner.budget();
    expect(answers).toMatchObject({ wholes: { of: 2, left: '0' } });
  });

  test('is reduced by nothing that the CSP has not countersigned, and then no row is read', async () => {
    const owner = await world.enrolledOwner({ maximumLinks: 2 });
    const path = `/tasks/${dca.task.id}/basis`;
    const answer = await sendAs(world.dataUserAddress, await ownerOf(owner.home), { method: 'GET', path });
    const [link] = BasisResponse.parse(answer.json).basis as [SignedLink];
    const dataUser = await openSigningKey(world.dataUserConfig.dataDirectory);
    // One of its own making: of the same task, with other vectors that it may have.
    const claims = payloadOf(link.projection) as { vectors: number[][] };
    const vectors = claims.vectors.map((vector, j) => vector.map((_, i) => (i === j ? 1 : 0)));
    const made = await signStatement(PROJECTION, dataUser, { ...claims, vectors } as never);
    const client = await world.taskClient();
    const genuine = { ...kept, ...(await client.signedResult(kept.task.id)) } as SignedLink;
    const { provenance } = link;
    for (const [basis, expected] of [
      [[{ ...link, projection: made }], 'ERR_PROVENANCE_INVALID'],
      [[{ ...link, provenance: { ...provenance, salt: newSalt() } }], 'ERR_PROVENANCE_INVALID'],
      [[genuine], 'ERR_BASIS_INVALID'],
      [[link, link], 'ERR_BASIS_INVALID'],
      [[{ ...link, task: { ...link.task, components: 2 } }], 'ERR_AGREEMENT_INVALID'],
      [[], 'ERR_PEER_PROTOCOL'],
    ] as const) {
      world.proxies.dataUser.inject(/basis$/, { kind: 'answer', json: { basis } });
      const sent = owner.owner.contribute(world.dataUserAddress, dca.task.id, async () => {
        throw new Error('a row was read');
      });
      await expect(sent).rejects.toEqual(code(expected));
    }
    expect(await owner.home.pending(dca.task.id)).toBeUndefined();
    expect(await owner.owner.budget()).toEqual([]);
    await contribute(0, dca, [], owner);
  });

  test('is not opened on what there is not, or on a result that is kept from owners', async () => {
    const client = await world.taskClient();
    const draft = await dcaDraft();
    await expect(client.create({ ...draft, basis: 'x'.repeat(43) })).rejects.toEqual(
      code('ERR_TASK_INVALID'),
    );
    const { basis: _, ...bare } = draft;
    await client.create(bare as TaskProposal); // features that are only named so: of columns, as any
    const { basisFrom } = await import('@eigenveil/data-user');
    const { digest } = await basisFrom(client, kept.task.id);
    await expect(client.create({ ...draft, basis: digest })).rejects.toMatchObject({
      code: 'ERR_TASK_INVALID',
      message: expect.stringContaining('released to owners'),
    });
    const owner = await ownerOf(owners[0]!.home);
    const path = `/tasks/${pca.task.id}/basis`;
    expect((await sendAs(world.dataUserAddress, owner, { method: 'GET', path })).code).toBe(
      'ERR_TASK_INVALID',
    );
  });
});
