/**
 * An owner's contribution that has no receipt yet, and one that was withdrawn: nothing is drawn a second
 * time, and no file is passed over.
 *
 * @claims S-71, S-137, S-731, P-42
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnFloorTold } from '@eigenveil/data-owner';
import { DataOwner, type OwnerHome, OwnerPolicy, PaillierPool } from '@eigenveil/data-owner';
import { SKETCH_OUTPUTS } from '@eigenveil/methods';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute as encrypt } from '@eigenveil/protocol/owner';
import { flatten, RowAccumulator } from '@eigenveil/statistics';
import type { Task, TaskProposal } from '@eigenveil/task';
import type { Fault, FaultyProxy } from '@eigenveil/testbed/proxies/proxy';
import type { Receipt, SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { query } from './support/database.ts';
import { runInProcess } from './support/in-process.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const PUT = /^PUT .*\/contribution$/;
const DELETE = /^DELETE .*\/contribution$/;
const LOST = { kind: 'lose answer' } as const;
const UNREACHABLE = expect.objectContaining({ code: 'ERR_PEER_UNREACHABLE' });
const PENDING = expect.objectContaining({ code: 'ERR_CONTRIBUTION_PENDING' });
const WITHDRAWN = expect.objectContaining({ code: 'ERR_CONTRIBUTION_WITHDRAWN' });
const OWNERS_NOISE: TaskProposal['differentialPrivacy'] = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'owners',
  honestOwners: 2,
  dataIndependentRanges: true,
};

const CLOSED = {
  type: 'urn:eigenveil:error:task-closed',
  title: 'The task is closed',
  status: 409,
  code: 'ERR_TASK_CLOSED',
};

let world: World;
let proxy: FaultyProxy;
let proposal: TaskProposal;
let parts: LabelledRows[];
let whole: LabelledRows;
beforeAll(async () => {
  world = await World.start({ proxied: true });
  proxy = world.proxies.dataUser;
  const example = await exampleOf(dataFile('iris'), 'pca', { minimumOwners: 3 });
  proposal = example.proposal;
  whole = example.rows;
  parts = split(whole, 3);
});
afterAll(() => world.close());

let signed: SignedTask;
let owner: DataOwner;
let home: OwnerHome;
/** How many bodies of contributions the data user had been sent before the test. */
let before: number;
const sent = () => proxy.bodies(PUT).slice(before);
beforeEach(async () => {
  ({ owner, home } = await world.enrolledOwner());
  before = proxy.bodies(PUT).length;
});
afterEach(() => proxy.heal());

async function create(differentialPrivacy: TaskProposal['differentialPrivacy'] = null): Promise<void> {
  signed = await (await world.taskClient()).create({ ...proposal, differentialPrivacy });
}

function contribute(part: number, discardPending = false): Promise<Receipt> {
  const summarised = async (task: Task) => summarise(task, parts[part]!);
  return owner.contribute(world.dataUserAddress, signed.task.id, summarised, { discardPending });
}

const withdraw = () => owner.withdraw(world.dataUserAddress, signed.task.id);

// With noise of owners more hangs on it.
describe('a contribution whose answer is lost, where owners add the noise', () => isPending(OWNERS_NOISE));
describe('a contribution whose answer is lost, where servers add it', { tags: ['long'] }, () =>
  isPending(null),
);

function isPending(differentialPrivacy: TaskProposal['differentialPrivacy']): void {
  beforeEach(async () => {
    await create(differentialPrivacy);
    proxy.inject(PUT, LOST);
    await expect(contribute(0)).rejects.toEqual(UNREACHABLE);
  });

  test('comes again byte for byte for the same rows in any order', async () => {
    const { values, classes } = parts[0]!;
    parts[0] = { values: values.toReversed(), classes: classes.toReversed() };
    const receipt = await contribute(0, true);
    expect(sent()).toHaveLength(2);
    expect(sent()[1]!.equals(sent()[0]!)).toBe(true);
    expect(await contribute(1)).toEqual(receipt); // other rows are not read any more
  });

  test('does not stand for other rows: they are refused, and nothing is sent', async () => {
    await expect(contribute(1)).rejects.toMatchObject({
      code: 'ERR_CONTRIBUTION_PENDING',
      message: expect.stringContaining('a contribution of other rows to this task has no receipt yet'),
    });
    expect(sent()).toHaveLength(1);
    await contribute(0);
  });

  test('can be withdrawn, and then nothing is sent any more', async () => {
    await withdraw();
    for (const part of [0, 1]) await expect(contribute(part, true)).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(1);
  });
}

test('a contribution that did not arrive is given up for another on demand', async () => {
  await create();
  proxy.inject(PUT, { kind: 'lose request' });
  await expect(contribute(0)).rejects.toEqual(UNREACHABLE);
  const { contributionDigest } = await contribute(1, true);
  expect(sent()).toHaveLength(2);
  expect(await contribute(1)).toMatchObject({ contributionDigest });
});

test('a contribution that did arrive is not replaced: the other one is a conflict', async () => {
  await create();
  proxy.inject(PUT, LOST);
  await expect(contribute(0)).rejects.toEqual(UNREACHABLE);
  const conflict = expect.objectContaining({ code: 'ERR_CONTRIBUTION_CONFLICT' });
  await expect(contribute(1, true)).rejects.toEqual(conflict);
});

test('where owners add the noise, what has been drawn is not given up', async () => {
  await create(OWNERS_NOISE);
  proxy.inject(PUT, { kind: 'lose request' });
  await expect(contribute(0)).rejects.toEqual(UNREACHABLE);
  const kept = await home.pending(signed.task.id);
  await expect(contribute(1, true)).rejects.toEqual(PENDING);
  expect(await home.pending(signed.task.id)).toEqual(kept);
  await contribute(0);
  expect(sent()[1]!.equals(sent()[0]!)).toBe(true);
});

describe('a withdrawal', () => {
  beforeEach(() => create(OWNERS_NOISE));

  const isFinal = async (_: string, fault: Fault | undefined) => {
    await contribute(0);
    if (fault !== undefined) {
      proxy.inject(DELETE, fault);
      await expect(withdraw()).rejects.toThrow();
      expect(await home.withdrawal(signed.task.id)).toBe('begun');
    } else await withdraw();
    await expect(contribute(0)).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(1);
    await withdraw();
    expect(await home.withdrawal(signed.task.id)).toBe('confirmed');
    await expect(contribute(0)).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(1);
    expect((await (await world.taskClient()).status(signed.task.id)).contributions).toBe(0);
  };
  const FINAL = 'that %s is final at the owner: no second noise leaves it';
  test.each<[string, Fault]>([['is answered by a data user that lies', { kind: 'answer', json: {} }]])(
    FINAL,
    isFinal,
  );
  test.each<[string, Fault | undefined]>([
    ['is done, but its answer lost', LOST],
    ['is answered', undefined],
    ['does not arrive', { kind: 'lose request' }],
  ])(FINAL, { tags: ['long'] }, isFinal);

  test('without a contribution is final, too', async () => {
    await withdraw();
    await expect(contribute(0)).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(0);
  });

  test('that comes too late leaves the receipt as it was, even if the refusal is a lie', async () => {
    const receipt = await contribute(0);
    proxy.inject(DELETE, { kind: 'answer with', json: async () => CLOSED, status: 409 });
    await expect(withdraw()).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
    expect(await contribute(0)).toEqual(receipt);
    expect(sent()).toHaveLength(1);
  });

  test('that was confirmed stays so, whatever the data user says later', async () => {
    await contribute(0);
    await withdraw();
    proxy.inject(DELETE, { kind: 'answer with', json: async () => CLOSED, status: 409 });
    await expect(withdraw()).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
    proxy.heal();
    proxy.inject(DELETE, { kind: 'lose request' });
    await expect(withdraw()).rejects.toThrow();
    expect(await home.withdrawal(signed.task.id)).toBe('confirmed');
    await expect(contribute(0)).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(1);
  });

  test.each([
    ['refuses', { kind: 'answer with', json: async () => CLOSED, status: 409 } as const],
    ['does not answer', { kind: 'lose request' } as const],
  ])(
    'that the data user %s is told to the CSP by an owner that insists, and stays final',
    async (_, fault) => {
      await contribute(0);
      proxy.inject(DELETE, fault);
      const { id } = signed.task;
      await expect(owner.withdraw(world.dataUserAddress, id, { insist: true })).resolves.toBe(false);
      const withdrawals = 'SELECT count(*) AS withdrawn FROM withdrawals WHERE task_id = ?';
      expect(query(world.cspConfig.dataDirectory, withdrawals, id)).toEqual([{ withdrawn: 1 }]);
      await expect(contribute(0)).rejects.toEqual(WITHDRAWN);
      proxy.heal();
      await expect(owner.withdraw(world.dataUserAddress, id, { insist: true })).resolves.toBe(true);
    },
  );

  test('that overtakes a contribution in the making stops it before it leaves', async () => {
    const { id } = signed.task;
    const attempt = owner.contribute(world.dataUserAddress, id, async (task) => {
      await withdraw();
      return summarise(task, parts[0]!);
    });
    await expect(attempt).rejects.toEqual(WITHDRAWN);
    expect(sent()).toHaveLength(0);
  });
});

test('a policy that has changed since refuses other rows, and neither the same bytes nor what comes of them', async () => {
  await create();
  proxy.inject(PUT, { kind: 'lose request' });
  await expect(contribute(0)).rejects.toEqual(UNREACHABLE);
  const paillier = new PaillierPool({ threads: 0 });
  onTestFinished(() => paillier.close());
  const strict = new DataOwner({ state: home, policy: OwnerPolicy.parse({ minimumOwners: 50 }), paillier });
  const { id } = signed.task;
  const again = (part: number, discardPending: boolean) =>
    strict.contribute(world.dataUserAddress, id, async (task) => summarise(task, parts[part]!), {
      discardPending,
    });
  await expect(again(1, true)).rejects.toMatchObject({ code: 'ERR_POLICY' });
  const receipt = await again(0, false);
  expect(sent()[1]!.equals(sent()[0]!)).toBe(true);
  expect(await again(0, false)).toEqual(receipt);
  for (const part of [1, 2]) {
    const other = await world.enrolledOwner();
    await other.owner.contribute(world.dataUserAddress, id, async (task) => summarise(task, parts[part]!));
  }
  const client = await world.taskClient();
  await client.closeTask(id);
  await client.untilFinal(id);
  expect((await strict.result(world.dataUserAddress, id)).provenance.verifiedOwners).toBe(3);
});

test('a contribution that another process has finished meanwhile is not made a second time', async () => {
  await create(OWNERS_NOISE);
  let first: Receipt | undefined;
  const second = await owner.contribute(world.dataUserAddress, signed.task.id, async (task) => {
    first = await contribute(0);
    return summarise(task, parts[0]!);
  });
  expect(second).toEqual(first);
  expect(sent()).toHaveLength(1);
});

describe("noise for an owner's own rows, which are coarser than the task says", () => {
  /** What was to be encrypted, with the noise. */
  let encrypted: (readonly bigint[])[];
  let told: OwnFloorTold[];
  let signs: Int32Array | undefined;
  const exact = (task: Task, rows = whole) => flatten(task, summarise(task, rows, signs));
  const pool = new PaillierPool({ threads: 0 });
  afterAll(() => pool.close());

  const contributeAll = (
    policy: Partial<OwnerPolicy>,
    { rows = whole, discardPending = false }: { rows?: LabelledRows; discardPending?: boolean } = {},
  ) =>
    new DataOwner({
      state: home,
      policy: OwnerPolicy.parse({
        twoParty: ['simulated'],
        minimumKeyBits: 1024,
        allowFullRank: true,
        ...policy,
      }),
      paillier: {
        contribution: (agreed, values) => {
          encrypted.push(values);
          return encrypt(agreed, values, { paillier: pool, randomness: systemRandomness });
        },
      },
    }).contribute(
      world.dataUserAddress,
      signed.task.id,
      async (task, given) => {
        signs = given;
        const accumulator = new RowAccumulator(task, signs);
        for (const row of rows.values) accumulator.add(row);
        return { ...accumulator.statistics(), grains: accumulator.grains() };
      },
      { onOwnFloor: (it) => told.push(it), discardPending },
    );

  const createFine = async () => {
    const features = proposal.features.map((feature) => ({ ...feature, grain: 'cell' as const }));
    signed = await (await world.taskClient()).create({ ...proposal, exact: false, features });
  };
  beforeEach(async () => {
    [encrypted, told] = [[], []];
    await createFine();
  });

  test('is drawn once, however often it is sent', async () => {
    proxy.inject(PUT, LOST);
    await expect(contributeAll({})).rejects.toEqual(UNREACHABLE);
    proxy.heal();
    await contributeAll({});
    expect(encrypted).toHaveLength(1);
    expect(sent()).toHaveLength(2);
    expect(sent()[1]).toEqual(sent()[0]);
    const noise = exact(signed.task).map((value, i) => encrypted[0]![i]! - value);
    // All entries of R and sums, whose deviations are thousands of cells, and neither of both counts.
    expect(noise.map((it) => it !== 0n)).toEqual(noise.map((_, i) => i < noise.length - 2));
    expect(told[0]).toMatchObject({ deviation: Math.SQRT1_2, isChecked: true });
    expect(told[0]!.coarser.map(({ own }) => own)).toEqual(
      proposal.features.map(() => expect.closeTo(0.1, 9)),
    );
    expect((await home.ledger()).map(({ event }) => event)).toMatchObject([{ part: '1/2' }]);
    // Of another task over the same rows another noise.
    await createFine();
    await contributeAll({});
    expect(exact(signed.task).map((value, i) => encrypted[1]![i]! - value)).not.toEqual(noise);
  });

  test('is on a sketch, too, and the same whenever its owner comes back to the rows', async () => {
    const features = proposal.features.map((feature) => ({
      ...feature,
      ...{ grain: 'cell' as const, twoValued: false },
    }));
    signed = await (await world.taskClient()).create({
      ...proposal,
      ...{ exact: false, allowFullRank: false, features, components: 1, outputs: [...SKETCH_OUTPUTS] },
      sketch: { columns: 3 },
    });
    for (let times = 0; times < 2; times += 1) {
      proxy.inject(PUT, { kind: 'lose request' });
      await expect(contributeAll({ allowSpectrum: true }, { discardPending: true })).rejects.toEqual(
        UNREACHABLE,
      );
      proxy.heal();
      await home.discardPending(signed.task.id);
    }
    await contributeAll({ allowSpectrum: true });
    expect(encrypted).toHaveLength(3);
    for (const again of encrypted.slice(1)) expect(again).toEqual(encrypted[0]);
    const noise = exact(signed.task).map((value, i) => encrypted[0]![i]! - value);
    expect(noise.map((it) => it !== 0n)).toEqual(noise.map((_, i) => i < noise.length - 2));
    expect(told[0]).toMatchObject({ deviation: Math.SQRT1_2, isChecked: true });
  });

  test('is that of the rows: whoever comes back to them has no other, and other rows have', async () => {
    const fewer = { ...whole, values: whole.values.slice(1), classes: whole.classes.slice(1) };
    for (const rows of [whole, fewer, whole]) {
      proxy.inject(PUT, { kind: 'lose request' });
      await expect(contributeAll({}, { rows, discardPending: true })).rejects.toEqual(UNREACHABLE);
      proxy.heal();
    }
    expect(encrypted).toHaveLength(3);
    expect(encrypted[2]).toEqual(encrypted[0]);
    const noises = [whole, fewer].map((rows, n) =>
      exact(signed.task, rows).map((value, i) => encrypted[n]![i]! - value),
    );
    // Three of the four on sums of rows, each of a deviation of hundreds, would be the same by chance in one of 10^9 cases.
    expect(noises[0]!.filter((it, i) => it !== 0n && it === noises[1]![i]).length).toBeLessThan(3);
  });

  test('is told to the owner by the command, before and when it is sent', async () => {
    const at = (name: string) => join(world.folder, name);
    const { url, ca } = world.dataUserAddress;
    await writeFile(at('ca.pem'), ca!);
    const policy = { twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true };
    await writeFile(at('policy.json'), JSON.stringify(policy));
    const flags = [
      ...['--home', at(`owner-${world.owners}`), '--user-url', url, '--user-ca', at('ca.pem')],
      ...['--policy', at('policy.json'), '--data', dataFile('iris'), '--ignore', 'label'],
    ];
    const words = /"sepal_length" \(0\.1 instead of 0\.00\d+\).*deviation of 0\.707 .*nobody else is told/;
    const dry = await runInProcess('owner', 'contribute', signed.task.id, ...flags, '--dry-run');
    expect(dry.stdout).toMatch(words);
    expect(dry.stdout).toContain('1/2 of a whole');
    const sending = await runInProcess('owner', 'contribute', signed.task.id, ...flags);
    expect(sending).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(words) });
    expect(sent()).toHaveLength(1);
  });

  test('is added by nobody whose policy wants none: then such a task is too much for the rows', async () => {
    await expect(contributeAll({ ownFloor: false })).rejects.toMatchObject({ code: 'ERR_BUDGET_EXHAUSTED' });
    expect(encrypted).toEqual([]);
    await contributeAll({ grains: Object.fromEntries(proposal.features.map(({ name }) => [name, 'cell'])) });
    expect(encrypted).toEqual([exact(signed.task)]);
  });
});
