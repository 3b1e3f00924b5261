/** What the demo of authentication is made of: its task, what devices agree to, what follows from decisions, and questions to the service. */
import { setImmediate as turn } from 'node:timers/promises';
import { TrustEngine } from '@eigenveil/authentication';
import { type DecisionEvent, UserId } from '@eigenveil/authenticator/relying';
import { checkPolicy, OwnerPolicy } from '@eigenveil/data-owner';
import { checkTask, floorOf, newTaskId, Task, Thumbprint } from '@eigenveil/task';
import { inTime } from '@eigenveil/testbed/recognition/people';
import { digestBytes } from '@eigenveil/wire';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Decisions } from '../../../demo/authentication/decisions.ts';
import { oneProjection } from '../../../demo/authentication/devices.ts';
import { isAnswered, replay } from '../../../demo/authentication/evaluation.ts';
import { loadSet } from '../../../demo/authentication/load.ts';
import { SETS } from '../../../demo/authentication/sets.ts';
import { figuresOf } from '../../../demo/authentication/streams.ts';
import { agreement } from '../../../demo/authentication/summary.ts';
import { authenticationTask, devicePolicy } from '../../../demo/authentication/task.ts';
import { TRUST } from './figures.ts';

const engine = new TrustEngine(TRUST);
const OWN = 1;
const STRANGE = 9;

test('devices agree to the task of the demo by what they name in their policy, and to no more', async () => {
  const people = await loadSet('wisdm_walk_user');
  const proposal = authenticationTask(people, SETS.wisdm_walk_user, 2048);
  checkTask(proposal);
  // With the floor, so that devices consent to no more than it takes; most of the features are counts.
  expect(floorOf(proposal)!.grains.filter((grain) => grain > 0.04)).toHaveLength(30);
  const server = Thumbprint.parse('A'.repeat(43));
  const task = Task.parse({
    ...proposal,
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: server,
    dataUser: server,
  });
  const policy = devicePolicy(proposal);
  checkPolicy(policy, task);
  for (const [name, without] of Object.entries({
    twoParty: OwnerPolicy.parse({ ...policy, twoParty: ['garbled'] }),
    allowSpectrum: OwnerPolicy.parse({ ...policy, allowSpectrum: false }),
    minimumClassRows: OwnerPolicy.parse({ ...policy, minimumClassRows: undefined }),
  }))
    expect(() => checkPolicy(without, task), name).toThrow(expect.objectContaining({ code: 'ERR_POLICY' }));
  for (const other of [
    { components: task.components + 1 },
    { minimumOwners: task.minimumOwners - 1 },
    { keyBits: 1792 },
  ])
    expect(() => checkPolicy(policy, { ...task, ...other }), JSON.stringify(other)).toThrow(
      expect.objectContaining({ code: 'ERR_POLICY' }),
    );
  // So that a device with the fewest rows can take part.
  const fewest = Math.min(...people.people.map(({ rows }) => inTime(rows).early.length));
  expect(fewest).toBeGreaterThanOrEqual(policy.minimumClassRows!);
});

test('a set that is not bundled is read from EIGENVEIL_DATA, and whoever has none is told', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('EIGENVEIL_DATA', undefined);
  await expect(loadSet('meu_keystroke')).rejects.toMatchObject({
    code: 'ERR_CONFIGURATION',
    message: expect.stringMatching(/meu_keystroke\.csv\.gz .* EIGENVEIL_DATA names, which is not set/),
  });
  vi.stubEnv('EIGENVEIL_DATA', '/nowhere');
  await expect(loadSet('meu_keystroke')).rejects.toMatchObject({
    message: expect.stringContaining('got /nowhere'),
  });
});

test('the projection counts only if all devices have verified one, and the CSP has counted all of them', () => {
  const verified = (word: string, verifiedOwners: number) => ({
    milliseconds: 1,
    answer: { digest: digestBytes('test', Buffer.from(word)), verifiedOwners },
  });
  expect(oneProjection([verified('a', 2), verified('a', 2)])).toBe(digestBytes('test', Buffer.from('a')));
  expect(() => oneProjection([verified('a', 2), verified('b', 2)])).toThrow('different projections');
  expect(() => oneProjection([verified('a', 2), verified('a', 1)])).toThrow('of all devices');
  expect(() => oneProjection([verified('a', 1), { milliseconds: 1, answer: { rows: 3 } }])).toThrow();
});

test('the first step-up of a session is confirmed, and later ones of the user alone', () => {
  const decisions = (scores: number[], isGenuine: boolean) =>
    replay(engine, scores, isGenuine).map(({ decision }) => decision);
  // From 100 it takes three strange windows to fall below 75, and eight to fall below 25.
  const scores = [OWN, STRANGE, STRANGE, STRANGE, OWN, STRANGE];
  expect(decisions(scores, true)).toEqual(['step-up', 'allow', 'allow', 'step-up', 'allow', 'allow']);
  expect(decisions(scores, false)).toEqual([
    ...['step-up', 'allow', 'allow', 'step-up'],
    ...['step-up', 'step-up'],
  ]);
  const thief = decisions([OWN, ...new Array<number>(20).fill(STRANGE)], false);
  expect(thief).toHaveLength(9);
  expect(thief.at(-1)).toBe('lock');
  expect(isAnswered('lock', 0, true)).toBe(false);
});

test('what stopped a session is counted once: a step-up that nobody confirms lasts', () => {
  const stream = (target: number, source: number, scores: number[]) => ({
    target,
    source,
    decisions: replay(engine, scores, target === source).map(({ decision }) => decision),
  });
  const strange = (count: number) => new Array<number>(count).fill(STRANGE);
  const own = figuresOf([
    stream(0, 0, [OWN, ...strange(6), OWN]),
    stream(1, 1, [OWN, OWN, OWN]),
    stream(2, 2, [OWN, OWN, ...strange(3)]),
  ]);
  expect(own).toEqual({ streams: 3, windows: 16, stops: 3, locks: 0, stopped: 2, medianWindows: 5 });
  const others = figuresOf([stream(0, 1, [OWN, ...strange(20)]), stream(1, 2, [OWN, OWN])]);
  expect(others).toEqual({ streams: 2, windows: 11, stops: 1, locks: 1, stopped: 1, medianWindows: 4 });
  expect(figuresOf([]).medianWindows).toBeUndefined();
});

test('a decision that is missing, or one too many, is no agreement', () => {
  const moments = replay(engine, [OWN, STRANGE, OWN], true);
  const decisions = moments.map(({ decision }) => decision);
  const of = (told: typeof decisions) =>
    agreement({ streams: [{ target: 0, source: 0, decisions: told }], replays: [moments] });
  expect(of(decisions)).toEqual({ all: 3, differing: [] });
  expect(of(decisions.slice(1)).differing.map(({ window }) => window)).toEqual([1, 3]);
  expect(of([...decisions, 'allow'])).toEqual({
    all: 4,
    differing: [{ target: 0, source: 0, window: 4, service: 'allow', library: undefined }],
  });
});

test('a question that is under way does not answer whoever asks after it, and those who wait share the next', async () => {
  const user = UserId.parse('user-1');
  const event = (sequence: number): DecisionEvent => ({
    sequence,
    userId: user,
    decision: 'step-up',
    reason: 'session-opened',
    time: '2031-01-01T00:00:00Z',
  });
  let written = [event(1)];
  const asked: { after: number; answer: () => void }[] = [];
  const told = new Decisions({
    async *past({ after }: { after: number }) {
      const events = written.filter(({ sequence }) => sequence > after); // as the service sees them when it is asked
      await new Promise<void>((answer) => asked.push({ after, answer }));
      yield* events;
    },
  });
  const first = told.lastOf(user);
  await turn();
  written = [event(1), event(2)];
  const [second, third] = [told.lastOf(user), told.lastOf(user)];
  asked[0]!.answer();
  await turn();
  asked[1]!.answer();
  expect(await Promise.all([first, second, third])).toMatchObject([
    { sequence: expect.any(Number) },
    { sequence: 2 },
    { sequence: 2 },
  ]);
  expect(asked.map(({ after }) => after)).toEqual([0, 1]);
  expect(told.events.map(({ sequence }) => sequence)).toEqual([1, 2]);
});
