/**
 * Continuous authentication from a projection that three people compute together by the real services, over enrolment and streams of their own
 * and of others' behaviour, to decisions; and what thieves, liars, lost answers and restarts come to.
 */
import { cp } from 'node:fs/promises';
import { request } from 'node:https';
import { DeviceHome } from '@eigenveil/authenticator/device';
import { type DecisionEvent, UserId } from '@eigenveil/authenticator/relying';
import { openProjection } from '@eigenveil/projection';
import type { SeenRequest } from '@eigenveil/testbed/proxies/proxy';
import { ServiceClient, Thumbprint } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  AuthenticationSite,
  entryOf,
  irises,
  type Person,
  type Projected,
  peopleOf,
  projectedHere,
} from './support/authentication.ts';
import { finishTask } from './support/run-task.ts';
import { World } from './support/world.ts';

let now = () => new Date();
let site: AuthenticationSite;
let setosa: Person;
let versicolor: Person;
beforeAll(async () => {
  site = await AuthenticationSite.start(await projectedByServices(), { now: () => now() });
  [setosa, versicolor] = site.projected.people as [Person, Person, Person];
});
afterEach(() => {
  now = () => new Date();
  site.proxy.heal();
  site.proxy.seen.length = 0;
});
afterAll(() => site.close());

/** Every person is an owner with rows of one class. */
async function projectedByServices(): Promise<Projected> {
  const { proposal, parts } = await irises();
  const world = await World.start();
  try {
    const enrolled = await Promise.all(parts.map(() => world.enrolledOwner()));
    const owners = enrolled.map(({ owner }) => owner);
    const parties = { client: await world.taskClient(), dataUser: world.dataUserAddress, owners };
    const { task } = await finishTask(parties, proposal, parts);
    const { evidence } = await owners[0]!.result(world.dataUserAddress, task.id);
    return { evidence, csp: Thumbprint.parse(world.dataUserConfig.cspThumbprint), people: peopleOf(parts) };
  } finally {
    await world.close();
  }
}

let users = 0;
const newUser = () => {
  users += 1;
  return UserId.parse(`user-${users}`);
};

/** A device of a new user, whose session has been confirmed. */
async function admitted(person: Person, home = site.newHome()) {
  const userId = newUser();
  const device = await site.enrolled(person, userId, home);
  await device.observe(person.later.slice(0, 1));
  await site.confirm(userId);
  return { userId, device, home };
}

describe('everybody’s mean', () => {
  test('is the window of zeros in the frame of every device, and stays at allow for nobody', async () => {
    const { evidence, csp } = site.projected;
    const { task, projection } = await openProjection(evidence, csp);
    const middle = task.features.map(
      ({ min, max }, i) => min + ((1 + projection.mean![i]!) / 2) * (max - min),
    );
    const { userId, device } = await admitted(versicolor);
    await device.observe(versicolor.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.observe(new Array<number[]>(30).fill(middle));
    expect(await site.decisionOf(userId)).not.toBe('allow');
    await device.close();
    const sent = site.proxy.seen.findLast(({ name }) => /^POST .*windows$/.test(name))!;
    const { windows } = z.object({ windows: z.array(z.array(z.number())) }).parse(JSON.parse(`${sent.body}`));
    for (const window of windows)
      expect(Math.hypot(...window)).toBeLessThan(task.features.length * 2 ** -task.fractionBits);
  });

  test('is told by the projection, or no device enrols and nobody calibrates with it', async () => {
    const uncentred = await projectedHere([]);
    await expect(entryOf(uncentred)).rejects.toMatchObject({ code: 'ERR_PROJECTION_INVALID' });
    const { token } = await site.relying.invite({ body: { userId: newUser(), purpose: 'enrol' } });
    const { evidence, csp } = uncentred;
    await expect(
      site.device().enrol({ service: site.service, token, evidence, csp }, setosa.enrolment),
    ).rejects.toMatchObject({ code: 'ERR_PROJECTION_INVALID', message: expect.stringContaining('"mean"') });
    expect(site.proxy.seen.filter(({ name }) => name.includes('enrolments'))).toEqual([]);
  });
});

describe('a user', () => {
  test('goes on by their own behaviour, and is locked by that of another', { tags: ['long'] }, async () => {
    const { userId, device } = await admitted(setosa);
    for (const row of setosa.later) expect(await device.observe([row])).toBeUndefined();
    expect(await site.decisionOf(userId)).toBe('allow');
    for (const row of versicolor.later) expect(await device.observe([row])).toBeUndefined();
    expect(await site.relying.user({ userId })).toMatchObject({ state: 'locked', decision: 'lock' });
    await device.close();
    await device.observe(setosa.later); // another session, which changes nothing
    await expect(site.confirm(userId)).rejects.toMatchObject({ code: 'ERR_EVENT_STALE' });
    await device.close();
    expect(await site.historyOf(userId)).toEqual([
      'step-up: enrolled',
      'step-up: session-opened',
      'allow: confirmed',
      'step-up: behaviour',
      'lock: behaviour',
    ]);
  });

  test('is admitted by no behaviour alone, and unlocked by the relying application alone', async () => {
    const userId = newUser();
    const device = await site.enrolled(setosa, userId);
    for (let i = 0; i < 5; i += 1) await device.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('step-up');
    for (let i = 0; i < 5; i += 1) await device.observe(versicolor.later);
    const { event, decision } = await site.relying.user({ userId });
    expect(decision).toBe('lock');
    await expect(site.relying.confirm({ userId, body: { event } })).rejects.toMatchObject({
      code: 'ERR_EVENT_STALE',
    });
    await site.relying.unlock({ userId, body: { event } });
    expect(await site.decisionOf(userId)).toBe('step-up');
    await device.close();
  });

  test('renews: another frame, another template, and the old device is refused', async () => {
    const { userId, device, home } = await admitted(setosa);
    const before = await new DeviceHome(home).enrolment();
    const { token } = await site.relying.invite({ body: { userId, purpose: 'renew' } });
    await device.renew(token, setosa.enrolment);
    const after = await new DeviceHome(home).enrolment();
    expect(after.frameSeed).not.toBe(before.frameSeed);
    expect(await site.decisionOf(userId)).toBe('step-up');
    await device.observe(setosa.later);
    await site.confirm(userId);
    await device.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    const other = site.device();
    const { token: next } = await site.relying.invite({ body: { userId, purpose: 'renew' } });
    const { evidence, csp } = site.projected;
    await other.enrol({ service: site.service, token: next, evidence, csp }, setosa.enrolment);
    await expect(device.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_DEVICE_REVOKED' });
    await device.close();
    await other.close();
  });

  test('moves to another projection while others use the one before, which then ends', {
    tags: ['long'],
  }, async () => {
    const { userId, device } = await admitted(setosa);
    const stays = await admitted(versicolor);
    const next = await projectedHere();
    const [entry] = site.config.projections;
    const { evidence, csp } = next;
    const second = await entryOf(next);
    await site.restart({ projections: [entry!, second] });
    const { token } = await site.relying.invite({ body: { userId, purpose: 'renew' } });
    await device.renew(token, setosa.enrolment, { evidence, csp });
    await device.observe(setosa.later);
    await stays.device.observe(versicolor.later);
    expect(await site.relying.user({ userId })).toMatchObject({
      projection: second.digest,
      renewalRequired: false,
    });
    await site.restart({ projections: [second] });
    await device.observe(setosa.later);
    await expect(stays.device.observe(versicolor.later)).rejects.toMatchObject({
      code: 'ERR_RENEWAL_REQUIRED',
    });
    expect(await site.relying.user({ userId: stays.userId })).toMatchObject({ renewalRequired: true });
    await site.restart();
    await device.close();
    await stays.device.close();
  });
});

describe('an answer that is lost', () => {
  test('has the very same batch sent again, which is scored once', { tags: ['long'] }, async () => {
    const { userId, device } = await admitted(setosa);
    const path = /^POST \/sessions\/.*\/windows$/;
    site.proxy.seen.length = 0;
    site.proxy.inject(path, { kind: 'lose answer' });
    await expect(device.observe(setosa.later.slice(0, 5))).rejects.toMatchObject({
      code: 'ERR_PEER_UNREACHABLE',
    });
    await device.observe(setosa.later.slice(5, 8));
    const bodies = site.proxy
      .bodies(path)
      .map((body) => JSON.parse(body.toString()) as { first: number; windows: [] });
    expect(bodies[1]).toEqual(bodies[0]);
    // The first window of the session was sent before.
    expect(bodies.map(({ first, windows }) => [first, windows.length])).toEqual([
      [1, 5],
      [1, 5],
      [6, 3],
    ]);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
  });

  test('of an enrolment leaves one device with the frame that it has told', { tags: ['long'] }, async () => {
    const [userId, home] = [newUser(), site.newHome()];
    const { token } = await site.relying.invite({ body: { userId, purpose: 'enrol' } });
    const { evidence, csp } = site.projected;
    const given = { service: site.service, token, evidence, csp };
    site.proxy.inject(/^POST \/enrolments$/, { kind: 'lose answer' });
    const enrolling = site.device(home).enrol(given, setosa.enrolment);
    await expect(enrolling).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    const device = site.device(home); // as after a crash
    await device.enrol(given, setosa.enrolment);
    const [first, second] = site.proxy.bodies(/^POST \/enrolments$/);
    expect(second).toEqual(first);
    await device.enrol(given, setosa.enrolment); // once more, by mistake: the template has that frame and no other
    expect(site.proxy.bodies(/^POST \/enrolments$/)[2]).toEqual(first);
    await device.observe(setosa.later);
    await site.confirm(userId);
    await device.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
  });
});

describe('a renewal', () => {
  test('whose answer is lost has no window sent in the old frame, until it is repeated', async () => {
    const { userId, device, home } = await admitted(setosa);
    const { token } = await site.relying.invite({ body: { userId, purpose: 'renew' } });
    site.proxy.inject(/^POST \/enrolments$/, { kind: 'lose answer' });
    await expect(device.renew(token, setosa.enrolment)).rejects.toMatchObject({
      code: 'ERR_PEER_UNREACHABLE',
    });
    const again = site.device(home); // as after a crash
    for (const it of [device, again])
      await expect(it.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_RENEWAL_REQUIRED' });
    const wrong = again.renew('A'.repeat(43), setosa.enrolment);
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_ENROLMENT_TOKEN' }); // which says nothing of the first
    await expect(again.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_RENEWAL_REQUIRED' });
    await again.renew(token, setosa.enrolment);
    await again.observe(setosa.later);
    await site.confirm(userId);
    await again.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
    await again.close();
  });

  test('that is under way is waited for by windows, which go in the new frame', async () => {
    const { userId, device } = await admitted(setosa);
    const { token } = await site.relying.invite({ body: { userId, purpose: 'renew' } });
    site.proxy.seen.length = 0;
    site.proxy.inject(/^POST \/enrolments$/, { kind: 'hold' });
    const renewing = device.renew(token, setosa.enrolment);
    await expect.poll(() => site.proxy.bodies(/^POST \/enrolments$/)).toHaveLength(1);
    const observing = device.observe(setosa.later);
    site.proxy.heal();
    await Promise.all([renewing, observing]);
    expect(site.proxy.bodies(/^POST \/sessions$/)).toHaveLength(1); // not in that of before
    await site.confirm(userId);
    await device.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
  });

  test('that is refused leaves the device as it was', async () => {
    const { userId, device } = await admitted(setosa);
    const refused = device.renew('A'.repeat(43), setosa.enrolment);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_ENROLMENT_TOKEN' });
    await device.observe(setosa.later);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
  });
});

describe('a service that was restarted', () => {
  test('has everyone at a step-up; a device opens another session by itself, once', async () => {
    const { userId, device } = await admitted(setosa);
    await site.restart();
    expect(await site.decisionOf(userId)).toBe('step-up');
    site.proxy.seen.length = 0;
    await device.observe(setosa.later);
    expect(site.proxy.seen.map(({ name }) => name.replace(/[\w-]{22}/, 'ID'))).toEqual([
      'POST /sessions/ID/windows',
      'POST /sessions',
      'POST /sessions/ID/windows',
    ]);
    expect(await site.decisionOf(userId)).toBe('step-up');
    const unknown = { type: 'x', title: 'x', status: 404, code: 'ERR_SESSION_UNKNOWN' };
    const answer = { kind: 'answer with', status: 404, json: async () => unknown } as const;
    const { hits } = site.proxy.inject(/windows$/, answer, 5);
    expect(hits).toBe(0);
    await expect(device.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_SESSION_UNKNOWN' });
    site.proxy.heal();
    await device.observe([]); // what waited goes now
    expect(await site.historyOf(userId)).toEqual([
      'step-up: enrolled',
      'step-up: session-opened',
      'allow: confirmed',
      'step-up: restarted',
      ...new Array<string>(3).fill('step-up: session-opened'),
    ]);
    await device.close();
  });
});

describe('somebody else', () => {
  test('with all that was ever sent is not admitted, before a restart or after', async () => {
    const { userId, device } = await admitted(setosa);
    await device.observe(setosa.later);
    await device.close();
    const recorded = [...site.proxy.seen];
    expect(recorded.length).toBeGreaterThan(5);
    for (const it of recorded) expect((await replay(it)).code).toBe('ERR_PROOF_REPLAYED');
    await site.restart(); // used proofs are forgotten
    for (const it of recorded) await replay(it);
    for (const it of recorded) await replay(it);
    expect(await site.decisionOf(userId)).toBe('step-up');
    const history = await site.historyOf(userId);
    expect(history.filter((it) => it.startsWith('allow'))).toEqual(['allow: confirmed']);
  });

  test('with a stolen device and not the behaviour is locked, and refused once the user is revoked', async () => {
    const { userId, device, home } = await admitted(setosa);
    const stolen = site.newHome();
    await cp(home, stolen, { recursive: true });
    const thief = site.device(stolen);
    await thief.observe(versicolor.later); // ends the session of the right device
    expect(await site.decisionOf(userId)).not.toBe('allow');
    for (let i = 0; i < 5; i += 1) await thief.observe(versicolor.later);
    expect(await site.decisionOf(userId)).toBe('lock');
    await site.relying.revoke({ userId });
    for (const holder of [thief, device])
      await expect(holder.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_DEVICE_REVOKED' });
    await thief.close();
    await device.close();
  });

  test('with the session of another user is refused, and changes nothing of it', async () => {
    const one = await admitted(setosa);
    const other = await admitted(versicolor);
    site.proxy.seen.length = 0;
    await one.device.observe(setosa.later.slice(0, 3));
    await other.device.observe(versicolor.later.slice(0, 3));
    const [mine, theirs] = site.proxy.seen as [SeenRequest, SeenRequest];
    // Each proof with the other's session: the proof names another address.
    expect((await replay({ ...mine, name: theirs.name })).code).toBe('ERR_AUTH_REQUIRED');
    // And with a proof of its own.
    const key = await new DeviceHome(other.home).signingKey();
    const client = new ServiceClient({ ...site.service, credentials: { kind: 'key', key } });
    const path = mine.name.replace('POST ', '');
    const json = { first: 4, windows: [[0, 0]] };
    const swapped = client.send({ method: 'POST', path, json, response: z.undefined() });
    await expect(swapped).rejects.toMatchObject({ code: 'ERR_SESSION_UNKNOWN' });
    await client.close();
    expect([await site.decisionOf(one.userId), await site.decisionOf(other.userId)]).toEqual([
      'allow',
      'allow',
    ]);
    await one.device.close();
    await other.device.close();
  });

  test('who races for an invitation with its device either gets it or not, and never both', async () => {
    const userId = newUser();
    const { token } = await site.relying.invite({ body: { userId, purpose: 'enrol' } });
    const { evidence, csp } = site.projected;
    const given = { service: site.service, token, evidence, csp };
    const devices = [site.device(), site.device()];
    const raced = await Promise.allSettled(devices.map((it) => it.enrol(given, setosa.enrolment)));
    expect(raced.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const loser = raced.findIndex(({ status }) => status === 'rejected');
    expect(raced[loser]).toMatchObject({ reason: { code: 'ERR_ENROLMENT_TOKEN' } });
    await expect(devices[loser]!.observe(setosa.later)).rejects.toMatchObject({ code: 'ERR_AUTH_REQUIRED' });
    expect(await site.historyOf(userId)).toEqual(['step-up: enrolled']);
    await Promise.all(devices.map((it) => it.close()));
  });
});

const JUMPS = 'a clock that jumps by %d days changes no decision and no order';
test.each([-1])(JUMPS, unmovedBy);
test.each([1])(JUMPS, { tags: ['long'] }, unmovedBy);
async function unmovedBy(days: number): Promise<void> {
  const { userId, device } = await admitted(setosa);
  now = () => new Date(Date.now() + days * 86_400_000);
  await device.observe(setosa.later);
  expect(await site.decisionOf(userId)).toBe('allow');
  for (const row of versicolor.later) await device.observe([row]);
  expect(await site.decisionOf(userId)).toBe('lock');
  const events: DecisionEvent[] = [];
  for await (const event of site.relying.past({ after: 0 })) if (event.userId === userId) events.push(event);
  expect(events.map(({ decision }) => decision)).toEqual(['step-up', 'step-up', 'allow', 'step-up', 'lock']);
  await device.close();
}

describe('a device', () => {
  test('takes no projection of another CSP, and sends nothing then', async () => {
    const { token } = await site.relying.invite({ body: { userId: newUser(), purpose: 'enrol' } });
    const { evidence } = await projectedHere();
    const { csp } = site.projected;
    site.proxy.seen.length = 0;
    const enrolling = site.device().enrol({ service: site.service, token, evidence, csp }, setosa.enrolment);
    await expect(enrolling).rejects.toMatchObject({ code: 'ERR_CSP_IDENTITY' });
    expect(site.proxy.seen).toEqual([]);
  });

  test('shows the service no coordinate of its reduced rows', async () => {
    const { device } = await admitted(setosa);
    const reduced = (await device.projector()).transform(setosa.enrolment);
    const body = site.proxy.bodies(/^POST \/enrolments$/)[0]!.toString();
    const { windows } = JSON.parse(body) as { windows: number[][] };
    const lengths = (rows: number[][]) => rows.map((row) => Math.hypot(...row).toFixed(9));
    expect(lengths(windows)).toEqual(lengths(reduced)); // the frame keeps these
    for (const row of reduced) for (const cell of row) expect(body).not.toContain(String(cell));
    await device.close();
  });

  test('keeps what waits while the service cannot be reached, in order, and up to a bound', {
    tags: ['long'],
  }, async () => {
    const { userId, device } = await admitted(setosa);
    site.proxy.inject(/windows$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
    const lost = { code: 'ERR_PEER_UNREACHABLE' };
    const many = Array.from({ length: 10 }, () => setosa.later).flat();
    for (let i = 0; i < 6; i += 1) await expect(device.observe(many)).rejects.toMatchObject(lost);
    await expect(device.observe(many)).rejects.toMatchObject({ code: 'ERR_BUSY' });
    site.proxy.heal();
    site.proxy.seen.length = 0;
    await device.observe(setosa.later);
    const numbers = site.proxy
      .bodies(/windows$/)
      .map((body) => JSON.parse(body.toString()) as { first: number; windows: [] });
    let next = 1;
    for (const { first, windows } of numbers) {
      expect(first).toBe(next);
      next += windows.length;
    }
    expect(next).toBe(1 + 6 * many.length + setosa.later.length);
    expect(await site.decisionOf(userId)).toBe('allow');
    await device.close();
  });
});

test('a relying application follows from where it was, and others are told nothing', async () => {
  const { userId, device } = await admitted(setosa);
  await device.close();
  const last = (await site.relying.user({ userId })).event;
  const stop = new AbortController();
  const told: string[] = [];
  const following = (async () => {
    const options = { after: last, everyMilliseconds: 1, signal: stop.signal };
    for await (const { decision, reason } of site.relying.follow(options)) {
      told.push(`${decision}: ${reason}`);
      if (told.length === 2) stop.abort();
    }
  })();
  await device.observe(setosa.later);
  await site.confirm(userId);
  await following;
  expect(told).toEqual(['step-up: session-opened', 'allow: confirmed']);
  await device.close();
});

/** The same bytes with the same proof, directly to the service. */
function replay({ name, headers, body }: SeenRequest): Promise<{ status: number; code: unknown }> {
  const [method, path] = name.split(' ') as [string, string];
  return new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${site.config.port}${path}`;
    const outgoing = request(url, { method, headers, ca: site.ca, agent: false });
    outgoing.on('error', reject).on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => {
        const { code } = (text === '' ? {} : JSON.parse(text)) as { code?: unknown };
        resolve({ status: incoming.statusCode!, code });
      });
    });
    outgoing.end(body);
  });
}
