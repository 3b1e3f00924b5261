/**
 * Tasks that are refused, by whom and with which code, and tasks that fail for what the rows turn out to be.
 *
 * @claims S-6, S-18, S-103, S-109
 */
import { join } from 'node:path';
import type { TaskProposal } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type SignedTask } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import { RogueDataUser } from './support/rogue.ts';
import { finishTask, type Parties } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const FEATURES = 4;
const OWNERS = 2;
let world: World;
let parties: Parties;
let pca: TaskProposal;
let dca: TaskProposal;
let parts: LabelledRows[];
let labelledParts: LabelledRows[];

beforeAll(async () => {
  world = await World.start();
  const made = await Promise.all(Array.from({ length: OWNERS }, () => world.enrolledOwner()));
  const owners = made.map(({ owner }) => owner);
  parties = { client: await world.taskClient(), dataUser: world.dataUserAddress, owners };
  const unlabelled = await exampleOf(dataFile('iris'), 'pca');
  const labelled = await exampleOf(dataFile('iris'), 'dca');
  const { features } = unlabelled.proposal;
  pca = { ...unlabelled.proposal, features: features.map((it) => ({ ...it, grain: 'cell' })) };
  dca = labelled.proposal;
  parts = split(unlabelled.rows, OWNERS);
  labelledParts = split(labelled.rows, OWNERS);
});
afterAll(() => world.close());

const withCode = (code: string) => expect.objectContaining({ code });

/** Tasks that either service has stored. */
const storedTasks = () =>
  [world.cspConfig, world.dataUserConfig].map(
    ({ dataDirectory }) => query(dataDirectory, 'SELECT task_id FROM tasks').length,
  );

describe('a proposal that breaks a rule', () => {
  const guarded = { exact: false, allowFullRank: false };
  test.each<[what: string, changes: Partial<TaskProposal>, code: string, atCsp?: string]>([
    ['more components than features', { components: FEATURES + 1 }, 'ERR_TOO_MANY_COMPONENTS'],
    ['as many components as features', { ...guarded, components: FEATURES }, 'ERR_FULL_RANK'],
    [
      'one fewer, with the trace',
      { ...guarded, components: FEATURES - 1, outputs: ['trace'] },
      'ERR_FULL_RANK',
    ],
    [
      'one fewer, with the spectrum',
      { ...guarded, components: FEATURES - 1, outputs: ['spectrum'] },
      'ERR_FULL_RANK',
    ],
    ['a short key without opt-in', { allowInsecureKey: false }, 'ERR_KEY_TOO_SHORT'],
    ['a minimum above the maximum of owners', { minimumOwners: 11 }, 'ERR_TASK_INVALID'],
    ['a labelling too many', { labellings: [{ column: 'x', classes: ['0', '1'] }] }, 'ERR_TASK_INVALID'],
    [
      'one name for two features',
      { features: new Array(3).fill({ name: 'x', min: 0, max: 1 }) },
      'ERR_TASK_INVALID',
    ],
    [
      'more samples than can be counted',
      { maximumSamplesPerOwner: 1e9, maximumOwners: 1e7 },
      'ERR_TASK_INVALID',
    ],
    [
      'a deadline that has passed',
      { deadline: '2020-01-01T00:00:00.000Z' },
      'ERR_TASK_INVALID',
      'ERR_TASK_REFUSED',
    ],
  ])(
    'with %s: the data user refuses it and keeps nothing, the CSP as well and makes no key',
    async (_, changes, code, atCsp = code) => {
      const before = storedTasks();
      await expect(parties.client.create({ ...pca, ...changes })).rejects.toEqual(withCode(code));
      const rogue = await RogueDataUser.of(world);
      expect((await rogue.propose(rogue.task({ ...pca, ...changes }))).code).toBe(atCsp);
      expect(storedTasks()).toEqual(before);
    },
  );

  test('that is full rank with consent goes through', async () => {
    const consenting = { ...pca, components: FEATURES, allowFullRank: true };
    const { task, status } = await finishTask(parties, consenting, parts);
    expect(status.state).toBe('done');
    expectReference(await parties.client.result(task.id), task, parts);
  });
});

describe('a task is refused by the CSP', () => {
  test('unless it names this CSP and the data user that proposes it', async () => {
    const rogue = await RogueDataUser.of(world);
    const { thumbprint } = await importSigningKey(await generatePrivateJwk());
    expect((await rogue.propose(rogue.task(pca, { csp: thumbprint }))).code).toBe('ERR_TASK_REFUSED');
    expect((await rogue.propose(rogue.task(pca, { dataUser: thumbprint }))).code).toBe('ERR_TASK_REFUSED');
  });

  test('unless its data user is registered', async () => {
    const key = await importSigningKey(await generatePrivateJwk());
    const stranger = await RogueDataUser.of(world, key);
    expect((await stranger.propose(stranger.task(pca))).code).toBe('ERR_AUTH_FORBIDDEN');
  });

  test('under an id that is taken, unless it is the same task, which is answered the same way', async () => {
    const rogue = await RogueDataUser.of(world);
    const task = rogue.task(pca);
    const first = await rogue.propose(task);
    expect(first.status).toBe(200);
    expect((await rogue.propose({ ...task, components: 1 })).code).toBe('ERR_TASK_CONFLICT');
    expect((await rogue.propose(task)).text).toBe(first.text);
    await rogue.end(task.id);
    expect((await rogue.propose(task)).code).toBe('ERR_TASK_CLOSED');
  });

  describe('that is strict, and is not left half open', () => {
    const taken = {
      twoParty: 'garbled',
      keyBits: 2048,
      allowInsecureKey: false,
      minimumOwners: 3,
      exact: false,
      allowFullRank: false,
    } as const;
    let strict: World;
    beforeAll(async () => {
      strict = await World.start({
        csp: { allowSimulated: false, allowInsecureKeys: false, allowFullRank: false, minimumOwners: 3 },
      });
    });
    afterAll(() => strict.close());

    test.each([
      ['takes no simulated tasks', { twoParty: 'simulated' }, 'ERR_SIMULATED_REFUSED'],
      ['takes no short keys', { keyBits: 1024, allowInsecureKey: true }, 'ERR_KEY_TOO_SHORT'],
      ['wants more owners', { minimumOwners: 2 }, 'ERR_TASK_REFUSED'],
      ['takes no exact tasks', { exact: true, allowFullRank: true }, 'ERR_TASK_REFUSED'],
      ['takes no tasks that may tell all', { allowFullRank: true }, 'ERR_TASK_REFUSED'],
    ] as const)('as it %s', async (_, changes, code) => {
      const proposal = { ...pca, ...taken, ...changes };
      await expect((await strict.taskClient()).create(proposal)).rejects.toEqual(withCode(code));
      const sql = 'SELECT state, agreement FROM tasks ORDER BY rowid DESC LIMIT 1';
      expect(query(strict.dataUserConfig.dataDirectory, sql)).toEqual([{ state: 'failed', agreement: null }]);
      expect(query(strict.cspConfig.dataDirectory, 'SELECT task_id FROM tasks')).toEqual([]);
    });

    test('which takes a task that breaks no rule', async () => {
      expect((await (await strict.taskClient()).create({ ...pca, ...taken })).task).toMatchObject(taken);
    });
  });
});

describe("a task that breaks the owner's policy is refused before a row is read", () => {
  let signed: SignedTask;
  beforeAll(async () => {
    const revealing = { components: FEATURES, outputs: ['spectrum' as const], allowFullRank: true };
    signed = await parties.client.create({ ...pca, ...revealing });
  });

  test.each([
    ['minimum of owners', { minimumOwners: 3 }, '"minimumOwners" is 2, but your policy asks for at least 3'],
    ['key length', { minimumKeyBits: 2048 }, '"keyBits" is 1024, but your policy asks for at least 2048'],
    ['two-party protocol', { twoParty: [] }, '"twoParty" is simulated, which is NOT private'],
    ['number of components', { maximumComponents: 3 }, '"components" is 4, but your policy allows at most 3'],
    ['whole spectrum', { allowSpectrum: false }, '"outputs" includes the spectrum'],
    ['full rank', { allowFullRank: false }, '"exact" expected false'],
    ['privacy', { allowWithoutDifferentialPrivacy: false }, '"differentialPrivacy" is missing'],
  ])('%s', async (_, policy, rule) => {
    const { owner, home } = world.ownerAt(join(world.folder, 'owner-1'), policy);
    const summary = vi.fn();
    const { id } = signed.task;
    await expect(owner.contribute(world.dataUserAddress, id, summary)).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining(rule),
    });
    expect(summary).not.toHaveBeenCalled();
    expect(await home.pending(id)).toBeUndefined();
    expect((await parties.client.status(id)).contributions).toBe(0);
  });
});

describe('a task that its rows make impossible fails for that reason', () => {
  type Change = (part: LabelledRows) => LabelledRows;
  // In every row, which no task can know.
  const constant =
    (feature: number, value: number): Change =>
    (part) => ({
      ...part,
      values: part.values.map((row) => row.with(feature, value)),
    });
  const oneClass: Change = ({ values, classes }) => ({ values, classes: classes.map(() => [1]) });
  const standard = { kind: 'dca', form: 'standard', ridge: 0, signalRidge: 0 } as const;
  const book = { kind: 'dca', form: 'book', ridge: 0, signalRidge: -0.05 } as const;

  // The programs of each method have tests of their own: two cases show what becomes of a task.
  for (const [what, method, change, code, tags] of [
    [
      'B is not positive definite: a constant feature and no ridge',
      standard,
      constant(1, 3),
      'ERR_NOT_POSITIVE_DEFINITE',
      [],
    ],
    [
      'nor in the form of the book, whose B is S_W',
      book,
      constant(2, 4),
      'ERR_NOT_POSITIVE_DEFINITE',
      ['long'],
    ],
    ['all samples are in one class', { ...standard, ridge: 1 }, oneClass, 'ERR_SINGLE_CLASS', []],
    ['and for LDA', { kind: 'lda', ridge: 1 }, oneClass, 'ERR_SINGLE_CLASS', ['long']],
  ] as const)
    test(what, { tags: [...tags] }, () => expectFailure({ ...dca, method }, labelledParts.map(change), code));

  async function expectFailure(proposal: TaskProposal, rows: readonly LabelledRows[], code: string) {
    const { task, status } = await finishTask(parties, proposal, rows);
    expect(status).toMatchObject({ state: 'failed', failure: { code }, contributions: OWNERS });
    await expect(parties.client.result(task.id)).rejects.toEqual(withCode(code));
    const result = parties.owners[0]!.result(world.dataUserAddress, task.id);
    await expect(result).rejects.toEqual(withCode(code));
    // It is over at both services: nothing secret is left.
    const atCsp = () => query(world.cspConfig.dataDirectory, CSP_SECRETS, task.id);
    await expect
      .poll(atCsp)
      .toEqual([{ state: 'ended', sealed_secret_key: null, sealed_shares: null, records: 0 }]);
    const atDataUser = query(world.dataUserConfig.dataDirectory, DATA_USER_SECRETS, task.id);
    expect(atDataUser).toEqual([{ sealed_blinding: null, blinded: null, contributions: 0 }]);
  }

  const CSP_SECRETS = `SELECT state, sealed_secret_key, sealed_shares,
    (SELECT count(*) FROM records WHERE records.task_id = tasks.task_id) AS records FROM tasks WHERE task_id = ?`;
  const DATA_USER_SECRETS = `SELECT sealed_blinding, blinded,
    (SELECT count(*) FROM contribution_bodies WHERE contribution_bodies.task_id = tasks.task_id) AS contributions
    FROM tasks WHERE task_id = ?`;
});
