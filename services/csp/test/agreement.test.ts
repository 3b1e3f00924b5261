/** A proposal has one key, however often and however close together it comes, and tells nobody what others have proposed. */
import { PaillierPool } from '@eigenveil/paillier';
import { basisFeatures, type Task } from '@eigenveil/task';
import {
  AGREEMENT,
  Digest,
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
  verifyStatement,
} from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CspDependencies, CspService } from '../src/service/service.ts';
import { cspWith, taskOf } from './csp.ts';

class CountingPool extends PaillierPool {
  keys = 0;
  fails = false;

  override async generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    if (this.fails) throw new Error('no key');
    this.keys += 1;
    return super.generateKeyPair(...input);
  }
}

let csp: CspDependencies & { readonly paillier: CountingPool };
let service: CspService;

beforeEach(async () => {
  csp = await cspWith(new CountingPool({ threads: 0 }));
  service = new CspService(csp);
});
afterEach(async () => {
  await csp.paillier.close();
  csp.store.close();
});

const dataUser = async () => importSigningKey(await generatePrivateJwk());
const taskBy = ({ thumbprint }: SigningKey): Task => taskOf(csp.key.thumbprint, thumbprint);

test('the same proposal three times at once has one key and one agreement', async () => {
  const key = await dataUser();
  const task = taskBy(key);
  const agreements = await Promise.all([1, 2, 3].map(() => service.agree(task, key.publicJwk)));
  expect(new Set(agreements).size).toBe(1);
  expect(csp.paillier.keys).toBe(1);
});

test('a sketched task has a nonce of its own, drawn once and kept; no other task has one', async () => {
  const key = await dataUser();
  const sketched = (): Task => ({
    ...taskBy(key),
    features: Array.from({ length: 9 }, (_, i) => ({ name: `f${i}`, min: -1, max: 1, twoValued: false })),
    sketch: { columns: 4 },
    outputs: ['mean', 'sampleCount'],
  });
  const nonceOf = async (task: Task) => {
    const agreement = await service.agree(task, key.publicJwk);
    return (await verifyStatement(AGREEMENT, agreement, csp.key.publicJwk)).sketchNonce;
  };
  const [one, other] = [sketched(), sketched()];
  const nonces = [await nonceOf(one), await nonceOf(other)];
  expect(new Set(nonces).size).toBe(2);
  expect(Buffer.from(nonces[0]!, 'base64url')).toHaveLength(32);
  expect(await nonceOf(one)).toBe(nonces[0]);
  expect(await nonceOf(taskBy(key))).toBeUndefined();
});

test.each([{ openTasks: 2 }, { tasksPerDay: 2 }])(
  'of many proposals at once no more have a key than the quota %o has room for',
  async (quota) => {
    const [key, other] = [await dataUser(), await dataUser()];
    service = new CspService({ ...csp, policy: { ...csp.policy, ...quota } });
    const propose = (by: SigningKey) => service.agree(taskBy(by), by.publicJwk);
    const together = await Promise.allSettled([
      ...Array.from({ length: 6 }, () => propose(key)),
      propose(other), // whose quota is its own
    ]);
    expect(together.map(({ status }) => status).filter((it) => it === 'fulfilled')).toHaveLength(3);
    expect(together.at(-1)!.status).toBe('fulfilled');
    for (const it of together)
      if (it.status === 'rejected') expect(it.reason).toMatchObject({ code: 'ERR_QUOTA' });
    expect(csp.paillier.keys).toBe(3);
    // What failed leaves its place to others.
    const free = await dataUser();
    csp.paillier.fails = true;
    await Promise.allSettled([propose(free), propose(free)]);
    csp.paillier.fails = false;
    await Promise.all([propose(free), propose(free)]);
  },
);

test('who guesses an id of another data user hears what it would of its own, and no agreement', async () => {
  const [key, other] = [await dataUser(), await dataUser()];
  const task = taskBy(key);
  const refusalOf = (proposal: Task, by: SigningKey) =>
    service.agree(proposal, by.publicJwk).then(
      () => 'agreed',
      ({ code, message }) => `${code} ${message}`,
    );
  const wrong = { ...taskBy(other), id: task.id, csp: other.thumbprint };
  const before = await Promise.all([refusalOf(wrong, other), refusalOf(task, other)]);
  await service.agree(task, key.publicJwk);
  expect(await Promise.all([refusalOf(wrong, other), refusalOf(task, other)])).toEqual(before);
  const conflict = await refusalOf({ ...task, components: 1, maximumOwners: 9 }, key);
  expect(conflict).toMatch(/^ERR_TASK_CONFLICT /);
  const theirs = { ...taskBy(other), id: task.id };
  expect(await refusalOf(theirs, other)).toBe(conflict);
  await service.end(task.id, key.thumbprint);
  expect(await refusalOf(theirs, other)).toBe(conflict);
});

test.each([
  ['a negative ridge on the signal', -0.05, 1, 'ERR_PROGRAM_INVALID', 'garbled computes others'],
  ['components that would leave nothing unknown', 0, 2, 'ERR_FULL_RANK', 'garbled computes them'],
])(
  '%s by rotated has no key, whatever its data user checks',
  async (_, signalRidge, components, code, message) => {
    const key = await dataUser();
    const task: Task = {
      ...taskBy(key),
      method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge },
      features: Array.from({ length: 4 }, (_unused, i) => ({
        name: `f${i}`,
        min: -1,
        max: 1,
        grain: 'cell' as const,
      })),
      labellings: [{ column: 'label', classes: ['a', 'b', 'c'] }],
      outputs: ['sampleCount', 'spectrum', 'classCounts'],
      components,
      exact: false,
      allowFullRank: false,
      twoParty: 'rotated',
    };
    await expect(service.agree(task, key.publicJwk)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(csp.paillier.keys).toBe(0);
  },
);

test('a task stands on a projection that this CSP has countersigned for the same data user, or has no key', async () => {
  const [key, other] = [await dataUser(), await dataUser()];
  const own = taskBy(key);
  const countersigned = new Map([
    [Digest.parse('a'.repeat(43)), own],
    [Digest.parse('b'.repeat(43)), taskBy(other)],
    [Digest.parse('c'.repeat(43)), { ...own, releaseToOwners: false }],
    [Digest.parse('d'.repeat(43)), { ...own, basis: 'd'.repeat(43) }],
  ]);
  csp.store.taskOfProjection = async (digest) => countersigned.get(digest);
  const on = (basis: string, changes: Partial<Task> = {}): Task => ({
    ...taskBy(key),
    features: [...basisFeatures(own)],
    basis: basis.repeat(43),
    ...changes,
  });
  const wider = basisFeatures(own).map((it) => ({ ...it, max: it.max + 1 }));
  for (const [task, code, message] of [
    [on('x'), 'ERR_TASK_REFUSED', 'that this CSP has countersigned'],
    [on('b'), 'ERR_TASK_REFUSED', 'for this data user'],
    [on('c'), 'ERR_TASK_INVALID', 'released to owners'],
    [on('d'), 'ERR_TASK_INVALID', 'a chain of at most 4'],
    [on('a', { features: wider }), 'ERR_TASK_INVALID', 'components of the basis'],
  ] as const)
    await expect(service.agree(task, key.publicJwk)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  expect(csp.paillier.keys).toBe(0);
  await service.agree(on('a'), key.publicJwk);
  expect(csp.paillier.keys).toBe(1);
});

test('ranges follow from a histogram that this CSP has countersigned for the same data user, of all features, or there is no key', async () => {
  const [key, other] = [await dataUser(), await dataUser()];
  const own = taskBy(key);
  const { features } = own;
  const counts = { ...own, method: { kind: 'histogram', height: 2, strategy: 'flat' } } as const;
  const countersigned = new Map<Digest, Task>([
    [Digest.parse('a'.repeat(43)), counts],
    [Digest.parse('b'.repeat(43)), { ...counts, dataUser: other.thumbprint }],
    [Digest.parse('c'.repeat(43)), own],
    [Digest.parse('d'.repeat(43)), { ...counts, features: features.slice(1) }],
    [
      Digest.parse('e'.repeat(43)),
      { ...counts, features: features.map((it) => ({ ...it, max: it.max - 1 })) },
    ],
  ]);
  csp.store.taskOfProjection = async (digest) => countersigned.get(digest);
  const from = (rangesFrom: string): Task => ({
    ...taskBy(key),
    features,
    rangesFrom: rangesFrom.repeat(43),
  });
  for (const [task, code, message] of [
    [from('x'), 'ERR_TASK_REFUSED', 'that this CSP has countersigned'],
    [from('b'), 'ERR_TASK_REFUSED', 'for this data user'],
    [from('c'), 'ERR_TASK_INVALID', 'the result of a histogram'],
    [from('d'), 'ERR_TASK_INVALID', 'a histogram of every feature'],
    [from('e'), 'ERR_TASK_INVALID', 'as the histogram has it'],
  ] as const)
    await expect(service.agree(task, key.publicJwk)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  expect(csp.paillier.keys).toBe(0);
  await service.agree(from('a'), key.publicJwk);
  expect(csp.paillier.keys).toBe(1);
});
