/**
 * Who becomes a user's device: invitations are used once, renewals replace what was there, and what is
 * revoked stays so.
 *
 * @claims S-201, S-202, S-203
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { databaseFile, hashOneTimeToken } from '@eigenveil/server';
import { Children } from '@eigenveil/testbed/processes/children';
import { Thumbprint } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UserId } from '../src/messages.ts';
import { SqliteAuthenticatorStore } from '../src/store/sqlite-store.ts';
import { newInvitation } from '../src/store/store.ts';
import {
  type Device,
  newKey,
  newUserId,
  OTHER_PROJECTION,
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

const body = (seed = 0.5) => ({ projection: PROJECTION, windows: windowsOf(seed, 30) });

/** The sealed template as it lies in the database. */
function templateOf(userId: UserId): Uint8Array | null {
  const db = new DatabaseSync(databaseFile(site.config.dataDirectory), { readOnly: true });
  try {
    const row = db.prepare('SELECT sealed_template AS it FROM users WHERE user_id = ?').get(userId);
    return row?.it as Uint8Array | null;
  } finally {
    db.close();
  }
}

/** Whether any file of the service holds these bytes. */
const isInFiles = (bytes: Uint8Array) =>
  readdirSync(site.config.dataDirectory).some((name) =>
    readFileSync(join(site.config.dataDirectory, name)).includes(bytes),
  );

describe('an invitation', () => {
  test('enrols one device, and answers that one again', async () => {
    const userId = newUserId();
    const token = await site.invite(userId);
    const [key, other] = [await newKey(), await newKey()];
    const first = await site.enrol(key, token, body());
    expect(first).toMatchObject({ status: 201, json: { userId } });
    const template = templateOf(userId);
    expect(await site.enrol(key, token, body(0.7))).toMatchObject({ status: 201, json: { userId } });
    expect(templateOf(userId)).toEqual(template); // a repeat changes nothing
    expect((await site.enrol(other, token, body())).code).toBe('ERR_ENROLMENT_TOKEN');
    const elsewhere = {
      projection: OTHER_PROJECTION,
      windows: windowsOf(0.5, 30).map((window) => window.slice(0, 2)),
    };
    expect((await site.enrol(key, token, elsewhere)).code).toBe('ERR_ENROLMENT_TOKEN');
    expect(await site.historyOf(userId)).toEqual(['step-up: enrolled']);
  });

  test('enrols one of many devices that come at once', async () => {
    const token = await site.invite(newUserId());
    const keys = await Promise.all(Array.from({ length: 8 }, newKey));
    const answers = await Promise.all(keys.map((key) => site.enrol(key, token, body())));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 403),
    ]);
  });

  describe('that also another process takes', () => {
    const program = fileURLToPath(new URL('enrol-at-once.ts', import.meta.url));
    const userId = newUserId();
    let database: string;
    let token: string;
    let children: Children;
    beforeEach(() => {
      children = new Children();
      database = join(site.folder, `${newUserId()}.sqlite`);
      const { token: fresh, invitation } = newInvitation(
        { userId, purpose: 'enrol' },
        new Date(Date.now() + 3_600_000),
      );
      token = fresh;
      withStore((store) => store.addInvitation(invitation));
    });
    afterEach(() => children.stop());

    function withStore<T>(work: (store: SqliteAuthenticatorStore) => T): T {
      const store = new SqliteAuthenticatorStore(database);
      try {
        return work(store);
      } finally {
        store.close();
      }
    }

    const thumbprintOf = (letter: string) => Thumbprint.parse(letter.repeat(43));
    const enrolment = () => ({
      tokenHash: hashOneTimeToken(token),
      device: thumbprintOf('B'),
      projection: PROJECTION,
      seal: () => Buffer.alloc(64, 1),
    });

    test('enrols the device that came first, for whose end the other waits', { tags: ['long'] }, async () => {
      await children.start(program, [database, token, 'A'.repeat(43)]); // now in the midst of it
      withStore((store) => {
        expect(() => store.enrol(enrolment(), new Date())).toThrow(
          expect.objectContaining({ code: 'ERR_ENROLMENT_TOKEN' }),
        );
        expect(store.device(thumbprintOf('A'))).toMatchObject({ userId });
        expect(store.device(thumbprintOf('B'))).toBeUndefined();
      });
    });

    test('is not used up by one that is killed in the midst, and nobody is enrolled', async () => {
      const killed = children.start(program, [database, token, 'A'.repeat(43), 'die']);
      await expect(killed).rejects.toThrow('SIGKILL');
      withStore((store) => {
        expect(store.user(userId)).toBeUndefined();
        expect(store.device(thumbprintOf('A'))).toBeUndefined();
        expect(store.eventsAfter(0)).toEqual([]);
        expect(store.enrol(enrolment(), new Date())).toMatchObject({ userId });
      });
    });
  });

  test('is replaced by a later one, ends by time, and is void once the user is revoked', async () => {
    const device = await site.device();
    const first = await site.invite(device.userId, 'renew');
    const second = await site.invite(device.userId, 'renew');
    expect((await site.enrol(device.key, first, body())).code).toBe('ERR_ENROLMENT_TOKEN');
    expect((await site.enrol(device.key, second, body())).status).toBe(201);
    const late = await site.invite(newUserId());
    await site.restart({}, { now: () => new Date(Date.now() + 3_600_000) });
    expect((await site.enrol(await newKey(), late, body())).code).toBe('ERR_ENROLMENT_TOKEN');
    await site.restart();
    const third = await site.invite(device.userId, 'renew');
    await site.ask('DELETE', PATHS.user(device.userId));
    expect((await site.enrol(await newKey(), third, body())).code).toBe('ERR_ENROLMENT_TOKEN');
  });

  test('of who never enrolled can be taken back', async () => {
    const userId = newUserId();
    const token = await site.invite(userId);
    expect((await site.ask('DELETE', PATHS.user(userId))).status).toBe(204);
    expect((await site.enrol(await newKey(), token, body())).code).toBe('ERR_ENROLMENT_TOKEN');
    expect((await site.ask('DELETE', PATHS.user(userId))).code).toBe('ERR_USER_UNKNOWN');
    expect(await site.historyOf(userId)).toEqual([]);
  });

  test('is in no file of the service', async () => {
    const token = await site.invite(newUserId());
    expect(isInFiles(Buffer.from(token))).toBe(false);
  });
});

describe('a renewal', () => {
  test('ends the session of the old device at once, and admits its key no more', async () => {
    const device = await (await site.device()).admitted();
    const key = await newKey();
    const token = await site.invite(device.userId, 'renew');
    await device.behave(1); // an invitation alone changes nothing
    expect((await site.enrol(key, token, body())).status).toBe(201);
    for (const answer of [
      await device.show(windowsOf(device.seed, 1)),
      await site.send(device.key, 'POST', PATHS.sessions),
      await site.send(device.key, 'DELETE', PATHS.session(device.session!)),
    ])
      expect(answer).toMatchObject({ status: 403, code: 'ERR_DEVICE_REVOKED' });
    expect((await site.historyOf(device.userId)).slice(-2)).toEqual(['allow: confirmed', 'step-up: renewed']);
    expect(await site.status(device.userId)).toMatchObject({ device: key.thumbprint, decision: 'step-up' });
    const again = await site.invite(device.userId, 'renew');
    expect((await site.enrol(device.key, again, body())).code).toBe('ERR_DEVICE_CONFLICT'); // given up for good
    expect((await site.enrol(key, again, body())).status).toBe(201); // the key may stay as it is
  });

  test('leaves nothing of the old template in any file, and windows are scored by the new one', async () => {
    const device = await site.device(0.1);
    const old = templateOf(device.userId)!;
    expect(isInFiles(old)).toBe(true);
    const token = await site.invite(device.userId, 'renew');
    await site.enrol(device.key, token, body(0.9));
    expect(isInFiles(old)).toBe(false);
    await device.admitted();
    await device.show(windowsOf(0.1, 20));
    expect((await site.status(device.userId)).decision).toBe('lock');
    const moved = await site.device(0.1);
    await site.enrol(moved.key, await site.invite(moved.userId, 'renew'), body(0.9));
    await moved.admitted();
    await moved.show(windowsOf(0.9, 20));
    expect((await site.status(moved.userId)).decision).toBe('allow');
  });

  test('of a user who is locked does not unlock', async () => {
    const device = await (await site.device()).admitted();
    await device.show(strangeWindows(20));
    await site.enrol(device.key, await site.invite(device.userId, 'renew'), body());
    const { state, decision, event } = await site.status(device.userId);
    expect({ state, decision }).toEqual({ state: 'locked', decision: 'lock' });
    expect((await site.ask('POST', PATHS.unlocks(device.userId), { event })).status).toBe(204);
  });
});

describe('a revoked user', () => {
  let device: Device;
  let template: Uint8Array;
  beforeAll(async () => {
    device = await (await site.device()).admitted();
    template = templateOf(device.userId)!;
    expect((await site.ask('DELETE', PATHS.user(device.userId))).status).toBe(204);
  });

  test('has no session and no template, and the device is told no more than that', async () => {
    expect(isInFiles(template)).toBe(false);
    expect(templateOf(device.userId)).toBeNull();
    const answer = await device.show(windowsOf(device.seed, 1));
    expect(answer).toMatchObject({ status: 403, code: 'ERR_DEVICE_REVOKED' });
    expect((await site.historyOf(device.userId)).at(-1)).toBe('lock: revoked');
    expect((await site.status(device.userId)).state).toBe('revoked');
  });

  test('stays so: by a second word, a restart, an unlock, a confirmation or a renewal', async () => {
    const { event } = await site.status(device.userId);
    expect((await site.ask('DELETE', PATHS.user(device.userId))).status).toBe(204);
    await site.restart();
    for (const path of [PATHS.stepUps(device.userId), PATHS.unlocks(device.userId)])
      expect((await site.ask('POST', path, { event })).code).toBe('ERR_EVENT_STALE');
    const renewal = await site.ask('POST', PATHS.invitations, { userId: device.userId, purpose: 'renew' });
    expect(renewal.code).toBe('ERR_USER_CONFLICT');
    expect((await site.send(device.key, 'POST', PATHS.sessions)).code).toBe('ERR_DEVICE_REVOKED');
    expect((await site.status(device.userId)).event).toBe(event);
  });

  test('opens no session with a proof that was checked before the revocation', async () => {
    const late = await site.device();
    const { service } = site.running;
    const opening = service.userOf(late.key.thumbprint); // as its request was authenticated
    service.revoke(opening);
    expect(() => service.openSession(late.key.thumbprint)).toThrow(
      expect.objectContaining({ code: 'ERR_DEVICE_REVOKED' }),
    );
    expect((await site.historyOf(late.userId)).at(-1)).toBe('lock: revoked');
  });

  test('can be enrolled anew with another key alone', async () => {
    const token = await site.invite(device.userId);
    expect((await site.enrol(device.key, token, body())).code).toBe('ERR_DEVICE_CONFLICT');
    expect((await site.enrol(await newKey(), token, body())).status).toBe(201);
    expect((await site.status(device.userId)).state).toBe('active');
    expect((await site.send(device.key, 'POST', PATHS.sessions)).code).toBe('ERR_DEVICE_REVOKED');
  });
});
