/**
 * Another round of a sketch through running services: Ω begins with the vectors of an earlier result, which
 * nobody but the CSP can have let pass.
 *
 * @claims S-640, S-642
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flatResult } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { signsOf } from '@eigenveil/protocol/owner';
import { openSigningKey } from '@eigenveil/server';
import { addStatistics } from '@eigenveil/statistics';
import { ProposalFile, programOf, type TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import {
  AGREEMENT,
  BasisResponse,
  claimedSigner,
  newSalt,
  PROJECTION,
  type Projection,
  type SignedLink,
  signStatement,
  verifyStatement,
} from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { partiesOf } from './support/recorded-world.ts';
import { ownerOf, payloadOf, sendAs } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { type FinishedTask, finishTask, type Parties, runTask } from './support/run-task.ts';
import { expectNear } from './support/sketches.ts';
import { dataFile, type Example, exampleOf, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const code = (expected: string) => expect.objectContaining({ code: expected });

let world: World;
let parties: Parties;
let example: Example;
let first: FinishedTask & { projection: Projection };
let refining: TaskProposal;
let folder: string;
/** The first features and rows of a data set: more features than columns, and no more. */
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-refined-'));
  const lines = (await readFile(dataFile('ionosphere'), 'utf8')).trim().split('\n').slice(0, 121);
  file = join(folder, 'rows.csv');
  const fewer = lines.map((line) => line.split(',').toSpliced(16, 18).join(','));
  await writeFile(file, `${fewer.join('\n')}\n`);
  world = await World.start({ proxied: true });
  parties = await partiesOf(world, OWNERS, {
    maximumLinks: 2,
    twoParty: ['rotated', 'simulated'],
    allowSpectrum: true,
  });
  example = await exampleOf(file, 'pca', {
    components: 2,
    sketch: { columns: 12 },
    outputs: ['mean', 'sampleCount'],
  });
  first = await runTask(parties, example.proposal, split(example.rows, OWNERS));
  refining = await drafted();
});
afterEach(() => {
  world.proxies.dataUser.heal();
  world.proxies.csp.heal();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const draft = (...flags: string[]) => draftIn(['--json'], ...flags);
const draftIn = (form: readonly string[], ...flags: string[]) =>
  runInProcess(
    'user',
    ...[...form, 'task', 'draft', 'sketch', '--data', file, '--ignore', 'label', '--components', '2'],
    ...['--refine', first.task.id, '--url', world.dataUserAddress.url, '--owners', '10'],
    ...['--ca', join(world.folder, 'cert.pem'), '--two-party', 'simulated', '--exact'],
    ...['--data-directory', world.dataUserConfig.dataDirectory, ...flags],
  );

/** As the operator drafts it, with what tests need. */
async function drafted(...flags: string[]): Promise<TaskProposal> {
  return ProposalFile.parse({
    ...jsonOf(await draft('--sketch-columns', '12', ...flags)),
    keyBits: 1024,
    allowInsecureKey: true,
    minimumOwners: 2,
  });
}

/** Of the first task, with all that was signed about it. */
async function linkOf({ task }: FinishedTask): Promise<SignedLink> {
  const { client } = parties;
  return { ...(await client.signed(task.id)), ...(await client.signedResult(task.id)) } as SignedLink;
}

/** The same with other vectors, signed by the data user: those that would read columns of the scatter matrix. */
async function forged(link: SignedLink): Promise<SignedLink> {
  const claims = payloadOf(link.projection) as unknown as Projection;
  const vectors = claims.vectors.map((vector, j) => vector.map((_, i) => (i === j ? 1 : 0)));
  const dataUser = await openSigningKey(world.dataUserConfig.dataDirectory);
  return { ...link, projection: await signStatement(PROJECTION, dataUser, { ...claims, vectors }) };
}

describe('a second round', () => {
  test('is drafted with the features of the first, and names its result', { tags: ['long'] }, async () => {
    const { provenance } = await parties.client.resultWithProvenance(first.task.id);
    const projectionDigest = digestIn({ provenance });
    expect(refining.sketch).toEqual({ columns: 12, refine: projectionDigest });
    // Exact ones have no floor, for which grains are declared.
    expect(refining.features).toEqual(first.task.features.map(({ grain: _, ...feature }) => feature));
    expect(refining.outputs).toEqual(['mean', 'sampleCount']);
    const { stderr } = await draftIn([], '--sketch-columns', '12');
    expect(stderr).toMatch(/components of a sketch of \d+ columns capture .* of that is lost/);
    const few = await draft('--sketch-columns', '11');
    expect(problemOf(few)).toMatchObject({
      exitCode: 2,
      detail: expect.stringMatching(/at least 12, the 2 vectors/),
    });
    const other = await draft('--ignore', 'label,V5');
    expect(problemOf(other)).toMatchObject({ exitCode: 2, detail: expect.stringContaining('1 are missing') });
    const two = await draft('--basis', first.task.id);
    expect(problemOf(two)).toMatchObject({ exitCode: 2, detail: expect.stringContaining('--basis') });
  });

  test('is that of the clear reference to the bit', async () => {
    const parts = split(example.rows, OWNERS);
    const { task, projection } = await runTask(parties, refining, parts);
    const { agreement } = await parties.client.signed(task.id);
    const agreed = await verifyStatement(AGREEMENT, agreement, claimedSigner(AGREEMENT, agreement));
    const signs = signsOf({ task, agreement: agreed }, first.projection);
    const pooled = parts.map((rows) => summarise(task, rows, signs)).reduce(addStatistics);
    const expected = decompose(programOf(task), pooled, signs);
    expect(projection).toMatchObject({ ...flatResult(expected), sketch: refining.sketch });

    // Its link comes with the result, and no owner takes it without.
    const { evidence } = await parties.owners[0]!.result(parties.dataUser, task.id);
    expect(evidence.basis).toEqual([await linkOf(first)]);
    const { basis: _, ...bare } = evidence;
    await expect(parties.owners[0]!.verify(bare)).rejects.toEqual(code('ERR_BASIS_INVALID'));
    expect((await parties.owners[0]!.verify(evidence)).basis).toEqual([]);
    // And a third round may begin with it.
    const third = await parties.client.create({
      ...refining,
      sketch: { columns: 12, refine: digestIn(evidence) },
    });
    await parties.client.cancelTask(third.task.id);
  });

  test('by rotated is the same but for its noise, also at a CSP and a data user that were started anew', {
    tags: ['long'],
  }, async () => {
    const parts = split(example.rows, OWNERS);
    const { task, agreement } = await parties.client.create({ ...refining, twoParty: 'rotated' });
    for (const [i, owner] of parties.owners.entries())
      await owner.contribute(parties.dataUser, task.id, async (t, own) => summarise(t, parts[i]!, own));
    await Promise.all([world.stopCsp(), world.stopDataUser()]);
    await Promise.all([world.startCsp(), world.startDataUser()]);
    const client = await world.taskClient(20_000);
    await client.closeTask(task.id);
    expect(await client.untilFinal(task.id)).toMatchObject({ state: 'done' });
    const projection = await client.result(task.id);
    const agreed = await verifyStatement(AGREEMENT, agreement, claimedSigner(AGREEMENT, agreement));
    const signs = signsOf({ task, agreement: agreed }, first.projection);
    const pooled = parts.map((rows) => summarise(task, rows, signs)).reduce(addStatistics);
    expectNear(projection, { task, pooled, signs });
  });
});

describe('the columns of the matrix', () => {
  /** Another result of the same kind, which owners do not get. */
  let kept: FinishedTask;
  beforeAll(async () => {
    const proposal = { ...example.proposal, releaseToOwners: false };
    kept = await finishTask(parties, proposal, split(example.rows, OWNERS));
    expect(kept.status.state).toBe('done');
  });

  test('are no others than a countersigned result has: an owner reads no row', async () => {
    const { task } = await parties.client.create(refining);
    const { owner, home } = await world.enrolledOwner({ maximumLinks: 2 });
    const link = await linkOf(first);
    const another = await linkOf(kept);
    const { provenance } = link;
    for (const [basis, expected] of [
      [[await forged(link)], 'ERR_PROVENANCE_INVALID'],
      [[{ ...link, provenance: { ...provenance, salt: newSalt() } }], 'ERR_PROVENANCE_INVALID'],
      [[another], 'ERR_BASIS_INVALID'],
      [[link, link], 'ERR_BASIS_INVALID'],
      [[], 'ERR_PEER_PROTOCOL'],
    ] as const) {
      world.proxies.dataUser.inject(/basis$/, { kind: 'answer', json: { basis } });
      const sent = owner.contribute(world.dataUserAddress, task.id, async () => {
        throw new Error('a row was read');
      });
      await expect(sent).rejects.toEqual(code(expected));
    }
    expect(await home.pending(task.id)).toBeUndefined();
    expect(await owner.budget()).toEqual([]);
    const path = `/tasks/${task.id}/basis`;
    const answer = await sendAs(world.dataUserAddress, await ownerOf(home), { method: 'GET', path });
    expect(BasisResponse.parse(answer.json).basis).toEqual([link]);
    await owner.contribute(world.dataUserAddress, task.id, async (t, signs) =>
      summarise(t, example.rows, signs),
    );
    await parties.client.cancelTask(task.id);
  });

  test('are no others at the CSP, which makes no key', async () => {
    const rogue = await RogueDataUser.of(world);
    const link = await linkOf(first);
    const propose = async (refined: SignedLink | undefined, proposal = refining) => {
      const json = { task: rogue.task(proposal), ...(refined && { refined }) };
      return (await sendAs(world.cspAddress, rogue, { method: 'POST', path: '/tasks', json })).code;
    };
    const made = await forged(link);
    expect(await propose(made)).toBe('ERR_PROVENANCE_INVALID');
    expect(await propose(undefined)).toBe('ERR_BASIS_INVALID');
    const unknown = { ...refining, sketch: { columns: 12, refine: 'x'.repeat(43) } };
    expect(await propose(made, unknown)).toBe('ERR_TASK_REFUSED');
    expect(await propose(link, example.proposal)).toBe('ERR_TASK_INVALID');
    const features = refining.features.map((feature, i) => (i === 3 ? { ...feature, max: 9 } : feature));
    expect(await propose(link, { ...refining, features })).toBe('ERR_TASK_INVALID');
    expect(await propose(link)).toBeUndefined();
  });

  test('are no others at the data user either, which asks nobody then', async () => {
    const { client } = parties;
    await expect(
      client.create({ ...refining, sketch: { columns: 12, refine: 'x'.repeat(43) } }),
    ).rejects.toEqual(code('ERR_TASK_INVALID'));
    const { provenance } = await client.resultWithProvenance(kept.task.id);
    const refine = digestIn({ provenance });
    await expect(client.create({ ...refining, sketch: { columns: 12, refine } })).rejects.toMatchObject({
      code: 'ERR_TASK_INVALID',
      message: expect.stringContaining('released to owners'),
    });
  });
});

describe('an owner', () => {
  test('takes no part unless the policy says so, and sees in words what that would be', {
    tags: ['long'],
  }, async () => {
    const { task } = await parties.client.create(refining);
    const careful = await world.enrolledOwner();
    const contribution = careful.owner.contribute(world.dataUserAddress, task.id, async () => {
      throw new Error('a row was read');
    });
    await expect(contribution).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('"sketch.refine" is not allowed'),
    });
    const home = join(world.folder, `owner-${world.owners}`);
    const policy = join(folder, 'policy.json');
    const lenient = {
      twoParty: ['simulated'],
      minimumKeyBits: 1024,
      allowFullRank: true,
      allowSpectrum: true,
      ...MANY_ANSWERS,
    };
    await writeFile(policy, JSON.stringify(lenient));
    const show = (...flags: string[]) =>
      runInProcess(
        'owner',
        ...[...flags, 'show', task.id, '--home', home, '--user-url', world.dataUserAddress.url],
        ...['--user-ca', join(world.folder, 'cert.pem'), '--policy', policy],
      );
    expect(jsonOf(await show('--json'))).toMatchObject({
      refines: { taskId: first.task.id, vectors: 2 },
      basis: [],
      policy: { takes: false, broken: [{ change: { maximumLinks: 2 } }] },
    });
    const { stdout: out } = await show();
    expect(out).toContain(`refines: the 2 vectors of task ${first.task.id}`);
    expect(out).toMatch(/whole earlier result that this task refines/);
    expect(out).toMatch(/one more answer over these rows/);
    await parties.client.cancelTask(task.id);
  });

  test('gives two answers over the same rows, and no second one unless the budget has it', {
    tags: ['long'],
  }, async () => {
    const rows = example.rows;
    const once = await world.enrolledOwner({ maximumLinks: 2, answers: { rotated: 1, wholes: 1 } });
    const twice = await world.enrolledOwner({ maximumLinks: 2, answers: { rotated: 0, wholes: 2 } });
    const round = async (proposal: TaskProposal) => (await parties.client.create(proposal)).task.id;
    const [one, two] = [await round(example.proposal), await round(refining)];
    const contribute = (by: typeof once, id: typeof one) =>
      by.owner.contribute(world.dataUserAddress, id, async (t, signs) => summarise(t, rows, signs));
    await contribute(once, one);
    await expect(contribute(once, two)).rejects.toEqual(code('ERR_BUDGET_EXHAUSTED'));
    await contribute(twice, one);
    await contribute(twice, two);
    const [{ answers } = { answers: undefined }] = await twice.owner.budget();
    expect(answers).toMatchObject({ wholes: { given: '2', of: 2, left: '0' } });
  });
});

function digestIn({
  provenance,
}: {
  readonly provenance: { readonly countersignature: string } | null;
}): string {
  return (payloadOf(provenance!.countersignature) as { projectionDigest: string }).projectionDigest;
}
