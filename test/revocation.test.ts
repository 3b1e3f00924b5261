/**
 * Owners whom the CSP's operator revokes by command, beside the running services, while their task is open,
 * closed or computed.
 *
 * @claims S-546, S-547
 */
import type { Fault } from '@eigenveil/testbed/proxies/proxy';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { jsonOf, runInProcess } from './support/in-process.ts';
import { type Enrolled, World } from './support/world.ts';

const LOSE_REQUEST: Fault = { kind: 'lose request' };
const LOSE_ANSWER: Fault = { kind: 'lose answer' };
const ALWAYS = Number.POSITIVE_INFINITY;

let world: World;
let byHand: ByHand;
let owners: Enrolled[];
let signed: SignedTask;

beforeAll(async () => {
  world = await World.start({ proxied: true, dataUser: { cspPatienceSeconds: 1 } });
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  owners = await byHand.owners(3);
});
afterEach(() => world.proxies.csp.heal());

async function contributed(minimumOwners = 2): Promise<void> {
  signed = await byHand.create({ minimumOwners });
  for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
}
async function revoke({ home }: Enrolled): Promise<void> {
  const { ownerId } = (await home.enrolment())!;
  // Behind it, since an id may begin with "-".
  const where = ['--data-directory', world.cspConfig.dataDirectory, '--'];
  const revoked = jsonOf(await runInProcess('csp', '--json', 'owners', 'revoke', ...where, ownerId));
  expect(revoked).toMatchObject({ revoked: [ownerId] });
}
const close = async () => (await world.taskClient()).closeTask(signed.task.id);
const status = () => byHand.status(signed.task.id);
const seen = (pattern: RegExp) =>
  expect.poll(() => world.proxies.csp.bodies(pattern).length).toBeGreaterThan(0);

beforeEach(() => {
  world.proxies.csp.seen.length = 0;
});

test('while the task is open: the contribution is dropped, and another is refused', async () => {
  await contributed();
  await revoke(owners[2]!);
  await byHand.expectResult(signed, [0, 1]);
  const next = await byHand.create();
  const late = await byHand.contribution(owners[2]!, next, 2);
  expect((await byHand.put(owners[2]!, next.task.id, late)).code).toBe('ERR_OWNER_REVOKED');
});

test('so that too few are left while it is open: it stays open, and others can contribute', {
  tags: ['long'],
}, async () => {
  await contributed(3);
  await revoke(owners[0]!);
  await expect(close()).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
  expect(await status()).toMatchObject({ state: 'open', contributions: 2 });
  const [another] = await byHand.owners(1);
  await byHand.contribute(another!, signed, 0);
  await byHand.expectResult(signed, [0, 1, 2]);
});

test('while it is closed and the records are on their way', { tags: ['long'] }, async () => {
  await contributed();
  world.proxies.csp.inject(/records$/, LOSE_REQUEST, ALWAYS);
  await close();
  await expect.poll(async () => (await status()).waiting?.code).toBe('ERR_PEER_UNREACHABLE');
  await revoke(owners[1]!);
  world.proxies.csp.heal();
  await byHand.expectResult(signed, [0, 2]);
});

test('so that too few are left while it is closed: it fails, and says why', { tags: ['long'] }, async () => {
  await contributed(3);
  world.proxies.csp.inject(/fixation$/, LOSE_REQUEST, ALWAYS);
  await close();
  await seen(/fixation$/);
  await revoke(owners[1]!);
  world.proxies.csp.heal();
  await byHand.expectState(signed, 'failed');
  expect((await status()).failure).toMatchObject({
    code: 'ERR_MINIMUM_OWNERS',
    message: expect.stringContaining('without those of owners whom the CSP has revoked'),
  });
});

test('after the CSP has fixed the records, though nobody has heard of it: the contribution stays', async () => {
  await contributed();
  world.proxies.csp.inject(/fixation$/, LOSE_ANSWER, ALWAYS);
  await close();
  await expect.poll(async () => (await status()).waiting?.code).toBe('ERR_PEER_UNREACHABLE');
  await revoke(owners[1]!);
  world.proxies.csp.heal();
  await byHand.expectResult(signed, [0, 1, 2]);
});

test('while it is computed: nothing changes', { tags: ['long'] }, async () => {
  await contributed();
  world.proxies.csp.inject(/two-party$/, LOSE_REQUEST, ALWAYS);
  await close();
  await byHand.expectState(signed, 'unblinded');
  await revoke(owners[1]!);
  world.proxies.csp.heal();
  await byHand.expectResult(signed, [0, 1, 2]);
});
