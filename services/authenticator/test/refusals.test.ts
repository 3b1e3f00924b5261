/**
 * What devices and others may not do: each refusal has its code, and leaves everything as it was.
 *
 * @claims S-194, S-199, S-201
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionId, UserId } from '../src/messages.ts';
import {
  anyDigest,
  COMPONENTS,
  type Device,
  newKey,
  newUserId,
  OTHER_PROJECTION,
  PATHS,
  PROJECTION,
  Site,
  windowsOf,
} from './authenticator.ts';

let site: Site;
let device: Device;
beforeAll(async () => {
  site = await Site.start({ windowsPerMinute: 2000, sessionsPerHour: 100 });
  device = await site.device();
});
afterAll(() => site.close());

const windows = (count: number) => windowsOf(0.5, count);
const row = (first: number) => [first, ...Array.from({ length: COMPONENTS - 1 }, () => 0)];

describe('a batch of windows', () => {
  test('is taken once and in order; the last one again is answered again, and not scored again', async () => {
    await device.openSession();
    const batch = windows(10);
    const answers = [await device.show(batch)];
    answers.push(await device.sendAt(0, batch), await device.sendAt(0, batch));
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
      [204, ''],
    ]);
    for (const [first, what] of [
      [0, windows(10)], // the same numbers, other windows
      [0, batch.slice(0, 5)],
      [5, batch.slice(5)],
      [9, windows(1)],
      [11, windows(1)], // a gap
      [20, windows(1)],
    ] as const) {
      const answer = await device.sendAt(first, what);
      expect(answer).toMatchObject({ status: 409, code: 'ERR_WINDOW_ORDER' });
      expect(answer.json.detail).toContain('expected 10');
    }
    expect((await device.show(windows(1))).status).toBe(204);
    expect((await device.sendAt(0, batch)).code).toBe('ERR_WINDOW_ORDER'); // not the last one any more
  });

  test.each([
    ['a number too few', [[0, 0, 0]], 'ERR_WINDOW_INVALID'],
    ['a number too many', [[0, 0, 0, 0, 0]], 'ERR_WINDOW_INVALID'],
    ['a second window of another width', [row(0), [0]], 'ERR_WINDOW_INVALID'],
    ['a window longer than any row', [row(101)], 'ERR_WINDOW_INVALID'],
    ['an entry whose square overflows', [row(1e200)], 'ERR_WINDOW_INVALID'],
    ['null for a number', [row(0), [null, 0, 0, 0]], 'ERR_BODY_INVALID'],
    ['a string', [['0', 0, 0, 0]], 'ERR_BODY_INVALID'],
    ['no window', [], 'ERR_BODY_INVALID'],
    ['a window of nothing', [[]], 'ERR_BODY_INVALID'],
    ['101 windows', windowsOf(0, 101), 'ERR_BODY_INVALID'],
  ])('with %s is refused, and its number stays free', async (_, bad, code) => {
    await device.openSession();
    await device.behave(3);
    expect((await device.show(bad)).code).toBe(code);
    expect((await device.show(windows(1))).status).toBe(204);
  });

  test.each([
    ['NaN', '{"first":0,"windows":[[NaN,0,0,0]]}', 'ERR_BODY_MALFORMED'],
    ['infinity', '{"first":0,"windows":[[1e999,0,0,0]]}', 'ERR_BODY_INVALID'],
    ['a number before the first', `{"first":-1,"windows":[[0,0,0,0]]}`, 'ERR_BODY_INVALID'],
    ['a half number', `{"first":0.5,"windows":[[0,0,0,0]]}`, 'ERR_BODY_INVALID'],
    ['another member', `{"first":0,"windows":[[0,0,0,0]],"score":1}`, 'ERR_BODY_INVALID'],
    ['too many bytes', `{"first":0,"windows":[[${'0'.repeat(40_000)}]]}`, 'ERR_BODY_TOO_LARGE'],
  ])('with %s in its JSON is refused', async (_, body, code) => {
    const path = PATHS.windows(await device.openSession());
    const answer = await site.send(device.key, 'POST', path, undefined, { body });
    expect(answer.code).toBe(code);
  });

  test("goes to the device's own session alone, and another's is as one that is not there", async () => {
    const other = await site.device();
    const [mine, theirs] = [await device.openSession(), await other.openSession()];
    const fresh = SessionId.parse('A'.repeat(22));
    const answers = [
      await device.sendAt(0, windows(1), theirs),
      await other.sendAt(0, windows(1), mine),
      await device.sendAt(0, windows(1), fresh),
    ];
    for (const answer of answers) expect(answer.code).toBe('ERR_SESSION_UNKNOWN');
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await site.send(device.key, 'DELETE', PATHS.session(theirs))).code).toBe('ERR_SESSION_UNKNOWN');
    for (const it of [device, other]) expect((await it.show(windows(1))).status).toBe(204);
  });

  test('does not come after the session has ended, or another one has begun', async () => {
    const first = await device.openSession();
    const second = await device.openSession();
    expect((await device.sendAt(0, windows(1), first)).code).toBe('ERR_SESSION_UNKNOWN');
    expect((await device.show(windows(1))).status).toBe(204);
    expect((await site.send(device.key, 'DELETE', PATHS.session(second))).status).toBe(204);
    expect((await device.show(windows(1))).code).toBe('ERR_SESSION_UNKNOWN');
  });
});

describe('limits', () => {
  test('of windows are per user, over sessions, and fill up by the monotonic clock', async () => {
    let milliseconds = 0;
    await site.restart({ windowsPerMinute: 100 }, { monotonic: () => milliseconds });
    const [one, other] = [await site.device(), await site.device()];
    await one.openSession();
    await other.openSession();
    expect((await one.show(windows(100))).status).toBe(204);
    await one.openSession();
    const refused = await one.show(windows(1));
    expect(refused).toMatchObject({ status: 429, code: 'ERR_RATE_LIMITED' });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await other.show(windows(100))).status).toBe(204);
    milliseconds += 6000; // a tenth of a minute
    expect((await one.show(windows(11))).code).toBe('ERR_RATE_LIMITED');
    expect((await one.show(windows(10))).status).toBe(204);
    await site.restart();
  });

  test('of sessions are per user', async () => {
    await site.restart({ sessionsPerHour: 2 }, { monotonic: () => 0 });
    const one = await site.device();
    await one.openSession();
    await one.openSession();
    const refused = await site.send(one.key, 'POST', PATHS.sessions);
    expect(refused).toMatchObject({ status: 429, code: 'ERR_RATE_LIMITED' });
    expect(refused.headers['retry-after']).toBe('1800');
    expect((await one.show(windows(1))).status).toBe(204); // the last one goes on
    await site.restart();
  });
});

describe('an enrolment', () => {
  const body = () => ({ projection: PROJECTION, windows: windows(20) });

  test.each([
    [
      'a projection that is not in use',
      () => ({ ...body(), projection: anyDigest() }),
      'ERR_PROJECTION_UNLISTED',
    ],
    [
      'windows of another projection',
      () => ({ ...body(), projection: OTHER_PROJECTION }),
      'ERR_WINDOW_INVALID',
    ],
    ['too few windows', () => ({ ...body(), windows: windows(19) }), 'ERR_WINDOW_INVALID'],
    [
      'a window that is too long',
      () => ({ ...body(), windows: [...windows(20), row(101)] }),
      'ERR_WINDOW_INVALID',
    ],
    ['no windows', () => ({ ...body(), windows: [] }), 'ERR_BODY_INVALID'],
    ['1001 windows', () => ({ ...body(), windows: windows(1001) }), 'ERR_BODY_INVALID'],
  ])('with %s is refused, and the token stays good', async (_, bad, code) => {
    const userId = newUserId();
    const [key, token] = [await newKey(), await site.invite(userId)];
    const refused = await site.enrol(key, token, bad());
    expect(refused.code).toBe(code);
    expect((await site.ask('GET', PATHS.user(userId))).code).toBe('ERR_USER_UNKNOWN');
    expect(await site.enrol(key, token, body())).toMatchObject({ status: 201, json: { userId } });
  });

  test('needs a token with its proof, before any of its body is read', async () => {
    const key = await newKey();
    expect((await site.enrol(key, undefined, body())).code).toBe('ERR_AUTH_REQUIRED');
    expect((await site.enrol(key, 'A'.repeat(43), body())).code).toBe('ERR_ENROLMENT_TOKEN');
    const halfABody = { token: 'A'.repeat(43), headers: { 'content-length': '100000' }, body: '{' };
    expect((await site.send(key, 'POST', PATHS.enrolments, undefined, halfABody)).code).toBe(
      'ERR_ENROLMENT_TOKEN',
    );
    const token = await site.invite(newUserId());
    const proofOfNone = await site.send(key, 'POST', PATHS.enrolments, body(), {
      headers: { authorization: `DPoP ${token}` }, // which the proof does not name
    });
    expect(proofOfNone.code).toBe('ERR_AUTH_REQUIRED');
    expect((await site.enrol(key, token, body())).status).toBe(201);
  });

  test('needs a key that was nobody else’s', async () => {
    const token = await site.invite(newUserId());
    const refused = await site.enrol(device.key, token, body());
    expect(refused).toMatchObject({ status: 409, code: 'ERR_DEVICE_CONFLICT' });
    expect((await site.enrol(await newKey(), token, body())).status).toBe(201);
  });
});

describe('only the relying application', () => {
  test('invites, reads, confirms, unlocks and revokes', async () => {
    const before = await site.status(device.userId);
    const { event } = before;
    const routes = [
      ['POST', PATHS.invitations, { userId: newUserId(), purpose: 'enrol' }],
      ['POST', PATHS.decisions, { after: 0 }],
      ['GET', PATHS.user(device.userId)],
      ['POST', PATHS.stepUps(device.userId), { event }],
      ['POST', PATHS.unlocks(device.userId), { event }],
      ['DELETE', PATHS.user(device.userId)],
    ] as const;
    for (const [method, path, json] of routes)
      for (const key of [device.key, await newKey()])
        expect(await site.send(key, method, path, json)).toMatchObject({
          status: 403,
          code: 'ERR_AUTH_FORBIDDEN',
        });
    expect(await site.status(device.userId)).toEqual(before);
  });

  test('and it is no device', async () => {
    expect((await site.ask('POST', PATHS.sessions)).code).toBe('ERR_AUTH_FORBIDDEN');
    const path = PATHS.windows(await device.openSession());
    expect((await site.ask('POST', path, { first: 0, windows: windows(1) })).code).toBe('ERR_AUTH_FORBIDDEN');
  });

  test('names users who can stand in a path', async () => {
    for (const userId of ['', '..', 'a/b', 'a b', 'ä', 'a'.repeat(65), '%2e']) {
      const answer = await site.ask('POST', PATHS.invitations, { userId, purpose: 'enrol' });
      expect(answer.code).toBe('ERR_BODY_INVALID');
    }
    for (const userId of ['a', 'A-z_0~9.', 'a'.repeat(64)])
      expect(await site.invite(UserId.parse(userId))).toHaveLength(43);
  });

  test.each([
    ['enrol', true, 'ERR_USER_CONFLICT'],
    ['renew', false, 'ERR_USER_UNKNOWN'],
  ] as const)('invites to %s only who can', async (purpose, isEnrolled, code) => {
    const userId = isEnrolled ? device.userId : newUserId();
    expect((await site.ask('POST', PATHS.invitations, { userId, purpose })).code).toBe(code);
  });
});
