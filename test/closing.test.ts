/**
 * Tasks that close by themselves, as they say: when they are full, at the deadline, also after a restart;
 * and never below their minimum.
 *
 * @claims S-555
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { World } from './support/world.ts';

const HOUR = 3_600_000;

let world: World;
let byHand: ByHand;
/** How far the clocks of both are ahead, milliseconds. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);

beforeAll(async () => {
  world = await World.start({
    cspOverrides: { now },
    dataUserOverrides: { now },
    dataUser: { retentionDays: 1 },
  });
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());

const deadlineIn = (milliseconds: number) => new Date(Date.now() + ahead + milliseconds).toISOString();

test('a task that closes when it is full is computed once the last owner has contributed, and not before', async () => {
  const bounds = { minimumOwners: 2, maximumOwners: 3 };
  const signed = await byHand.create({ ...bounds, closes: ['full'] });
  const owners = await byHand.owners(3);
  for (const part of [0, 1]) await byHand.contribute(owners[part]!, signed, part);
  expect(await byHand.status(signed.task.id)).toMatchObject({
    state: 'open',
    waitsFor: { who: 'owners', code: 'end' },
  });
  await byHand.contribute(owners[2]!, signed, 2);
  await byHand.expectState(signed, 'done');
  await byHand.expectResult(signed, [0, 1, 2]);
});

test('a deadline that passes while no process runs closes a task at the next start; below its minimum it stays open, says so, and is kept for no longer', async () => {
  const bounds = { minimumOwners: 2, maximumOwners: 3, deadline: deadlineIn(HOUR) };
  const [enough, tooFew, byOperator] = [
    await byHand.create({ ...bounds, closes: ['deadline'] }),
    await byHand.create({ ...bounds, closes: ['deadline', 'full'] }),
    await byHand.create(bounds),
  ];
  const owners = await byHand.owners(2);
  for (const [part, owner] of owners.entries()) {
    await byHand.contribute(owner, enough, part);
    await byHand.contribute(owner, byOperator, part);
  }
  await byHand.contribute(owners[0]!, tooFew, 0);

  await world.stopDataUser();
  ahead += HOUR + 1;
  await world.startDataUser();
  await byHand.expectState(enough, 'done');
  await byHand.expectResult(enough, [0, 1]);
  expect(await byHand.status(tooFew.task.id)).toMatchObject({
    state: 'open',
    contributions: 1,
    waitsFor: { who: 'operator', code: 'cancel' },
  });
  expect(await byHand.status(byOperator.task.id)).toMatchObject({
    state: 'open',
    waitsFor: { who: 'operator', code: 'close overdue' },
  });

  await world.stopDataUser();
  ahead += 25 * HOUR;
  await world.startDataUser();
  await byHand.expectState(tooFew, 'cancelled');
});
