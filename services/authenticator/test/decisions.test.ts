/**
 * Decisions from the first session to a lock and back: who is told, in which order, and what a restart
 * leaves.
 *
 * @claims S-192, S-195, S-196, S-197, S-198
 */
import { readFileSync } from 'node:fs';
import { databaseFile } from '@eigenveil/server';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  COMPONENTS,
  type Device,
  newUserId,
  PATHS,
  PROJECTION,
  Site,
  strangeWindows,
  windowsOf,
} from './authenticator.ts';

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site.close());

describe('decisions', () => {
  test('go from a new session to allow, by windows to a step-up and a lock, and back by the relying application alone', async () => {
    const device = await site.device();
    await device.openSession();
    await device.behave(60); // which lets nobody in
    expect((await site.status(device.userId)).decision).toBe('step-up');
    await site.confirm(device.userId);
    expect((await site.status(device.userId)).decision).toBe('allow');
    await device.behave(20);
    expect((await device.show(strangeWindows(3))).status).toBe(204);
    expect((await site.status(device.userId)).decision).toBe('step-up');
    await device.behave(60);
    expect((await site.status(device.userId)).decision).toBe('step-up');
    await device.show(strangeWindows(10));
    const locked = await site.status(device.userId);
    expect(locked).toMatchObject({ state: 'locked', decision: 'lock' });
    await device.behave(60);
    await device.openSession();
    await device.behave(60);
    await device.show(strangeWindows(20)); // of a session that is locked already
    expect(await site.status(device.userId)).toMatchObject({ state: 'locked', event: locked.event });
    await site.ask('POST', PATHS.unlocks(device.userId), { event: locked.event });
    await site.confirm(device.userId);
    expect(await site.historyOf(device.userId)).toEqual([
      'step-up: enrolled',
      'step-up: session-opened',
      'allow: confirmed',
      'step-up: behaviour',
      'lock: behaviour',
      'step-up: unlocked',
      'allow: confirmed',
    ]);
  });

  test('are told nobody by the answer to a batch: it is the same at allow, at a step-up, at a lock and when the decision changes', async () => {
    const device = await (await site.device()).admitted();
    const answers = [await device.show(windowsOf(device.seed, 5))];
    for (const batch of [strangeWindows(3), windowsOf(device.seed, 5), strangeWindows(20), strangeWindows(5)])
      answers.push(await device.show(batch));
    expect((await site.status(device.userId)).decision).toBe('lock');
    const without = (name: string) => !['date', 'x-request-id', 'ratelimit'].includes(name);
    const forms = answers.map(({ status, text, headers }) =>
      JSON.stringify([status, text, Object.entries(headers).filter(([name]) => without(name))]),
    );
    expect(answers[0]).toMatchObject({ status: 204, text: '' });
    expect(new Set(forms).size).toBe(1);
    const opened = await site.send(device.key, 'POST', PATHS.sessions);
    expect(opened.status).toBe(201); // of a user who is locked
  });

  test('are told nobody by how much is written when a session opens or ends', async () => {
    const log = () => readFileSync(`${databaseFile(site.config.dataDirectory)}-wal`);
    for (const decision of ['allow', 'step-up', 'lock']) {
      const device = await (await site.device()).admitted();
      if (decision !== 'allow') await device.show(strangeWindows(decision === 'lock' ? 20 : 3));
      expect((await site.status(device.userId)).decision).toBe(decision);
      const before = log();
      expect((await site.send(device.key, 'DELETE', PATHS.session(device.session!))).status).toBe(204);
      const ended = log();
      await device.openSession();
      expect([ended.equals(before), log().equals(ended)]).toEqual([false, false]);
    }
  });

  test('end a stream of everybody’s mean, which is nearer to the user than their own windows are', async () => {
    const random = generator(seedOf('wide'));
    // Deviation 1 about (1.5, 1.5, 1.5, 1.5): to bare distances the origin is one of them.
    const wide = (count: number) =>
      Array.from({ length: count }, () =>
        Array.from({ length: COMPONENTS }, () => 1.5 + Math.sqrt(12) * (random() - 0.5)),
      );
    const device = await (await site.device(0, wide(60))).admitted();
    for (let batch = 0; batch < 10; batch += 1) expect((await device.show(wide(20))).status).toBe(204);
    expect((await site.status(device.userId)).decision).toBe('allow');
    const zeros = (count: number) =>
      Array.from({ length: count }, () => new Array<number>(COMPONENTS).fill(0));
    await device.show(zeros(3));
    expect((await site.status(device.userId)).decision).toBe('step-up');
    await site.confirm(device.userId);
    await device.show(zeros(30));
    expect((await site.status(device.userId)).decision).toBe('lock');
  });

  test('that were made are there after a restart: a lock is one, and allow has become a step-up', async () => {
    const [allowed, locked] = [
      await (await site.device()).admitted(),
      await (await site.device()).admitted(),
    ];
    await locked.show(strangeWindows(20));
    await site.restart();
    expect((await site.historyOf(allowed.userId)).slice(-2)).toEqual([
      'allow: confirmed',
      'step-up: restarted',
    ]);
    expect((await site.historyOf(locked.userId)).at(-1)).toBe('lock: behaviour');
    expect((await site.status(locked.userId)).state).toBe('locked');
    for (const device of [allowed, locked]) expect((await device.show([])).code).toBe('ERR_BODY_INVALID');
    expect((await allowed.show(windowsOf(0, 1))).code).toBe('ERR_SESSION_UNKNOWN');
    const events = (await site.events()).length;
    await site.restart(); // nobody is at allow
    expect(await site.events()).toHaveLength(events);
  });

  test('lock a user who has had too many step-ups in a day, whatever restarts and clocks do', async () => {
    const start = Date.parse('2026-01-01T23:00:00Z');
    let time = start;
    const now = () => new Date(time);
    await site.restart({ stepUpsPerDay: 3 }, { now });
    const device = await (await site.device()).admitted();
    const stepUp = async () => {
      await device.show(strangeWindows(3));
      const { decision } = await site.status(device.userId);
      if (decision === 'step-up') await site.confirm(device.userId);
      return decision;
    };
    expect([await stepUp(), await stepUp()]).toEqual(['step-up', 'step-up']);
    await site.restart({ stepUpsPerDay: 3 }, { now });
    time = start - 5 * 86_400_000; // another day, but an earlier one
    await device.admitted();
    expect(await stepUp()).toBe('lock');
    expect((await site.historyOf(device.userId)).at(-1)).toBe('lock: attempts');
    const { event } = await site.status(device.userId);
    await site.ask('POST', PATHS.unlocks(device.userId), { event });
    await site.confirm(device.userId);
    expect([await stepUp(), await stepUp()]).toEqual(['step-up', 'step-up']); // counted anew
    time = start + 2 * 3_600_000; // the next day
    expect([await stepUp(), await stepUp(), await stepUp()]).toEqual(['step-up', 'step-up', 'lock']);
    await site.restart();
  });
});

describe('a session', () => {
  test('ends after silence, by the monotonic clock alone: whoever was at allow is at a step-up', async () => {
    let [milliseconds, years] = [0, 0];
    const now = () => new Date(Date.now() + years * 365 * 86_400_000);
    await site.restart({ idleSeconds: 10 }, { monotonic: () => milliseconds, now });
    const [silent, heard] = [await (await site.device()).admitted(), await (await site.device()).admitted()];
    const { service } = site.running;
    years = 3; // the wall clock jumps
    service.tick();
    years = -3;
    service.tick();
    years = 0;
    milliseconds = 9000;
    await heard.behave(1);
    milliseconds = 10_001;
    expect((await silent.show(windowsOf(silent.seed, 1))).code).toBe('ERR_SESSION_UNKNOWN');
    const { event } = await site.status(silent.userId);
    expect((await site.ask('POST', PATHS.stepUps(silent.userId), { event })).code).toBe('ERR_EVENT_STALE');
    service.tick();
    expect((await site.historyOf(silent.userId)).at(-1)).toBe('step-up: session-ended');
    expect((await site.status(heard.userId)).decision).toBe('allow');
    expect(service.activeSessions).toBe(1);
    await heard.behave(1);
    await site.restart();
  });

  test('of the device heard longest ago ends for another one', async () => {
    await site.restart({ activeSessions: 2 });
    const [first, second] = [await (await site.device()).admitted(), await (await site.device()).admitted()];
    await first.behave(1);
    const third = await (await site.device()).admitted();
    expect((await second.show(windowsOf(0, 1))).code).toBe('ERR_SESSION_UNKNOWN');
    expect((await site.historyOf(second.userId)).at(-1)).toBe('step-up: session-ended');
    for (const device of [first, third]) await device.behave(1);
    expect(site.running.service.activeSessions).toBe(2);
    await third.admitted(); // in the place of its own
    await first.behave(1);
    await site.restart();
  });

  test('begins at a step-up, also in the place of one at allow', async () => {
    const device = await (await site.device()).admitted();
    await device.openSession();
    expect((await site.historyOf(device.userId)).slice(-2)).toEqual([
      'allow: confirmed',
      'step-up: session-opened',
    ]);
    const path = PATHS.session(device.session!);
    await site.confirm(device.userId);
    expect((await site.send(device.key, 'DELETE', path)).status).toBe(204);
    expect((await site.historyOf(device.userId)).at(-1)).toBe('step-up: session-ended');
  });
});

describe('an answer of the relying application', () => {
  const confirm = (device: Device, event: number) =>
    site.ask('POST', PATHS.stepUps(device.userId), { event });
  const unlock = (device: Device, event: number) => site.ask('POST', PATHS.unlocks(device.userId), { event });

  test('confirms the step-up that it names and no later one', async () => {
    const device = await site.device();
    const enrolled = (await site.status(device.userId)).event;
    expect((await confirm(device, enrolled)).code).toBe('ERR_EVENT_STALE'); // nobody has a session
    await device.openSession();
    const { event } = await site.status(device.userId);
    for (const stale of [enrolled, event + 1])
      expect((await confirm(device, stale)).code).toBe('ERR_EVENT_STALE');
    expect([(await confirm(device, event)).status, (await confirm(device, event)).status]).toEqual([
      204, 204,
    ]);
    await device.show(strangeWindows(3));
    expect((await confirm(device, event)).code).toBe('ERR_EVENT_STALE');
    expect((await site.status(device.userId)).decision).toBe('step-up');
    await device.openSession(); // perhaps somebody else now
    expect((await confirm(device, event + 2)).code).toBe('ERR_EVENT_STALE');
  });

  test('unlocks the lock that it names, and does not confirm it', async () => {
    const device = await (await site.device()).admitted();
    const { event: before } = await site.status(device.userId);
    expect((await unlock(device, before)).code).toBe('ERR_EVENT_STALE'); // nothing is locked
    await device.show(strangeWindows(20));
    const { event } = await site.status(device.userId);
    expect((await confirm(device, event)).code).toBe('ERR_EVENT_STALE');
    expect((await unlock(device, event - 1)).code).toBe('ERR_EVENT_STALE');
    expect([(await unlock(device, event)).status, (await unlock(device, event)).status]).toEqual([204, 204]);
    expect(await site.status(device.userId)).toMatchObject({ state: 'active', decision: 'step-up' });
    await site.confirm(device.userId);
    await device.show(strangeWindows(20));
    expect((await unlock(device, event)).status).toBe(204); // was answered: changes nothing
    expect((await site.status(device.userId)).state).toBe('locked');
  });

  test('about somebody unknown is refused', async () => {
    const userId = newUserId();
    for (const path of [PATHS.stepUps(userId), PATHS.unlocks(userId)])
      expect((await site.ask('POST', path, { event: 1 })).code).toBe('ERR_USER_UNKNOWN');
    expect((await site.ask('DELETE', PATHS.user(userId))).code).toBe('ERR_USER_UNKNOWN');
  });
});

describe('events', () => {
  test('come in order and in pages, and again to whoever asks again', async () => {
    const device = await site.device();
    const { event: start } = await site.status(device.userId);
    const { service } = site.running;
    for (let i = 0; i < 260; i += 1) {
      service.openSession(device.key.thumbprint);
      service.confirm(device.userId, service.status(device.userId).event);
    }
    const pages = [await site.ask('POST', PATHS.decisions, { after: start })];
    const first = await site.events(start);
    expect(first).toHaveLength(500);
    pages.push(await site.ask('POST', PATHS.decisions, { after: first.at(-1)!.sequence }));
    expect(pages.map(({ json }) => [json.more, json.missed])).toEqual([
      [true, false],
      [false, false],
    ]);
    const all = [...first, ...(await site.events(first.at(-1)!.sequence))];
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 520 }, (_, i) => start + 1 + i));
    expect(all.every((event, i) => event.decision === (i % 2 === 0 ? 'step-up' : 'allow'))).toBe(true);
    expect(await site.events(start)).toEqual(first);
  });

  test('that are not there yet are not asked for', async () => {
    const last = (await site.events()).length + 100_000;
    expect((await site.ask('POST', PATHS.decisions, { after: last })).code).toBe('ERR_EVENT_UNKNOWN');
  });

  test('are kept for so many days, and whoever asks for older ones is told', async () => {
    let days = 0;
    await site.restart({ eventDays: 30 }, { now: () => new Date(Date.now() + days * 86_400_000) });
    const { event: last } = await site.status((await site.device()).userId);
    days = 20;
    const { event: newest } = await site.status((await site.device()).userId);
    days = 40;
    site.running.service.forget();
    expect((await site.events()).map(({ sequence }) => sequence)).toEqual([newest]);
    const missed = async (after: number) => (await site.ask('POST', PATHS.decisions, { after })).json.missed;
    expect([await missed(0), await missed(last - 1), await missed(last)]).toEqual([true, true, false]);
    await site.restart();
  });
});

describe('a projection', () => {
  test('that is not in use any more asks for a renewal, of the device as of the relying application', async () => {
    const device = await site.device();
    const [, other] = site.config.projections;
    await site.restart({ projections: [other!] });
    expect((await site.send(device.key, 'POST', PATHS.sessions)).code).toBe('ERR_RENEWAL_REQUIRED');
    expect((await site.status(device.userId)).renewalRequired).toBe(true);
    const token = await site.invite(device.userId, 'renew');
    const gone = { projection: PROJECTION, windows: windowsOf(0, 20) };
    expect((await site.enrol(device.key, token, gone)).code).toBe('ERR_PROJECTION_UNLISTED');
    const windows = windowsOf(0, 20).map((window) => window.slice(0, 2));
    expect((await site.enrol(device.key, token, { projection: other!.digest, windows })).status).toBe(201);
    await device.openSession();
    expect((await device.show(windows)).status).toBe(204);
    expect((await site.status(device.userId)).renewalRequired).toBe(false);
    await site.restart();
    await device.openSession(); // both are in use side by side
    expect((await device.show(windows)).status).toBe(204);
  });
});
