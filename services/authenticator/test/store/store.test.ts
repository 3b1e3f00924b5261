/**
 * The store by itself: what is sealed where, what a restored backup allows, and what old events leave.
 *
 * @claims S-204, S-207, S-209
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate } from '@eigenveil/authentication';
import { requireKeys, Sealer } from '@eigenveil/server';
import { digestBytes, Thumbprint } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AUTHENTICATOR_BACKUP } from '../../src/backup.ts';
import { EVENTS_PER_PAGE, UserId } from '../../src/messages.ts';
import { SqliteAuthenticatorStore } from '../../src/store/sqlite-store.ts';
import { newInvitation, openTemplate, sealTemplate } from '../../src/store/store.ts';
import { windowsOf } from '../authenticator.ts';

const START = new Date('2026-01-01T00:00:00Z');
const LATER = new Date(START.getTime() + 3_600_000);
const projection = digestBytes('test', Buffer.from('a projection'));
const template = makeTemplate(windowsOf(0, 30).map((window) => Float64Array.from(window)));
const key = randomBytes(32);
const sealer = new Sealer(key);
const thumbprint = (letter: string) => Thumbprint.parse(letter.repeat(43));
const [anna, bert] = [UserId.parse('anna'), UserId.parse('bert')];

let folder: string;
let path: string;
let store: SqliteAuthenticatorStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-store-'));
  path = join(folder, 'database.sqlite');
  store = new SqliteAuthenticatorStore(path);
});
afterEach(async () => {
  store.close();
  await rm(folder, { recursive: true });
});

function enrol(userId: UserId, letter: string, purpose: 'enrol' | 'renew' = 'enrol'): void {
  const { invitation } = newInvitation({ userId, purpose }, LATER);
  store.addInvitation(invitation);
  const { tokenHash } = invitation;
  const seal = (place: string) => sealTemplate(sealer, place, template);
  store.enrol({ tokenHash, device: thumbprint(letter), projection, seal }, START);
}
const history = () =>
  store.eventsAfter(0).map(({ userId, decision, reason }) => `${userId} ${decision}: ${reason}`);

describe('a template', () => {
  test('opens for its own user alone', () => {
    enrol(anna, 'A');
    enrol(bert, 'B');
    const [a, b] = [store.user(anna)!, store.user(bert)!];
    expect(openTemplate(sealer, a)).toEqual(template);
    expect(() => openTemplate(sealer, { ...a, sealedTemplate: b.sealedTemplate })).toThrow(
      expect.objectContaining({ code: 'ERR_SEAL_BROKEN' }),
    );
  });

  test('is sealed anew under another key, and needs the old one no longer', async () => {
    enrol(anna, 'A');
    const fresh = randomBytes(32);
    const both = new Sealer(fresh, key);
    expect(await store.reseal((place, sealed) => both.reseal(place, sealed))).toBe(1);
    await requireKeys(store, new Sealer(fresh));
    await expect(requireKeys(store, sealer)).rejects.toMatchObject({ code: 'ERR_SEAL_BROKEN' });
    expect(openTemplate(new Sealer(fresh), store.user(anna)!)).toEqual(template);
  });

  test('that was learnt for a device is not put in the place of another one’s', () => {
    enrol(anna, 'A');
    const { device, enrolledAt } = store.user(anna)!;
    enrol(anna, 'B', 'renew');
    const before = store.user(anna)!.sealedTemplate;
    const sealedTemplate = Uint8Array.of(1, 2, 3);
    const learnt = { userId: anna, device, enrolledAt, sealedTemplate, looks: 1, drifting: false };
    store.replaceTemplates([learnt]);
    expect(store.user(anna)!.sealedTemplate).toEqual(before);
    store.replaceTemplates([{ ...learnt, device: thumbprint('B') }]);
    expect(store.user(anna)!.sealedTemplate).toEqual(sealedTemplate);
    store.revoke(anna, START);
    store.replaceTemplates([{ ...learnt, device: thumbprint('B') }]);
    expect(store.user(anna)!.sealedTemplate).toBeNull();
  });
});

describe('a restored backup', () => {
  test('locks everybody, since whoever was revoked after it is not known to it', async () => {
    const began = Date.now();
    enrol(anna, 'A');
    enrol(bert, 'B');
    store.decide({ userId: bert, decision: 'allow', reason: 'confirmed' }, START);
    const { invitation } = newInvitation({ userId: anna, purpose: 'renew' }, LATER);
    store.addInvitation(invitation);
    store.revoke(anna, START);
    const known = store.marks().last;
    await AUTHENTICATOR_BACKUP.finish(path, projection);
    expect(history().slice(-1)).toEqual(['bert lock: restored']);
    expect(store.user(anna)).toMatchObject({ state: 'revoked', sealedTemplate: null }); // as it was
    expect(store.user(bert)).toMatchObject({ state: 'locked', decision: 'lock' });
    // Whatever came after the backup, its sequences do not come again.
    const { last, forgotten } = store.marks();
    expect(last).toBeGreaterThanOrEqual(began);
    expect(forgotten).toBeGreaterThan(known);
    expect(forgotten).toBeLessThan(last);
    store.unlock(bert, last, START);
    expect(store.user(bert)).toMatchObject({ state: 'active', decision: 'step-up' });
    expect(openTemplate(sealer, store.user(bert)!)).toEqual(template);
  });

  test('has no invitation that was open', async () => {
    const { invitation } = newInvitation({ userId: anna, purpose: 'enrol' }, LATER);
    for (const made of ['prepare', 'finish'] as const) {
      store.addInvitation(invitation);
      const look = () => store.invitation(invitation.tokenHash, thumbprint('A'), START);
      expect(look()).toMatchObject({ used: false });
      await AUTHENTICATOR_BACKUP[made](path, projection);
      expect(look).toThrow(expect.objectContaining({ code: 'ERR_ENROLMENT_TOKEN' }));
    }
  });

  test('of a service that had no events yet gives no sequence again that it gave later', async () => {
    const began = Date.now();
    await AUTHENTICATOR_BACKUP.finish(path, projection);
    expect(history()).toEqual([]);
    enrol(anna, 'A');
    const [{ sequence } = { sequence: 0 }] = store.eventsAfter(0);
    expect(sequence).toBeGreaterThanOrEqual(began);
    expect(store.marks().forgotten).toBe(sequence - 1);
  });
});

describe('events', () => {
  const at = (days: number) => new Date(START.getTime() + days * 86_400_000);
  const make = (days: number) =>
    store.decide({ userId: anna, decision: 'step-up', reason: 'behaviour' }, at(days));
  const kept = () => store.eventsAfter(0).map(({ sequence }) => sequence);

  test('are forgotten from the oldest on, and never past one that is fresh', () => {
    enrol(anna, 'A'); // sequence 1
    for (const day of [1, 2, 40, 3, 41]) make(day); // the clock went back once
    store.forget(at(1.5), at(41));
    expect(kept()).toEqual([3, 4, 5, 6]);
    store.forget(at(30), at(41));
    expect(kept()).toEqual([4, 5, 6]); // 5 is old and lies behind 4
    expect(store.marks().forgotten).toBe(3);
    store.forget(at(100), at(41));
    expect(kept()).toEqual([]);
    expect(store.marks()).toMatchObject({ last: 6, forgotten: 6 });
    expect(make(50).sequence).toBe(7); // none is given twice
  });

  test('come in pages, in order', () => {
    store.close();
    store = new SqliteAuthenticatorStore(':memory:'); // these are many, and no disk is to wait for
    enrol(anna, 'A');
    for (let i = 1; i < EVENTS_PER_PAGE + 10; i += 1) make(i);
    expect(kept()).toEqual(Array.from({ length: EVENTS_PER_PAGE }, (_, i) => i + 1));
    expect(store.eventsAfter(EVENTS_PER_PAGE)).toHaveLength(10);
    expect(store.eventsWaiting()).toBe(EVENTS_PER_PAGE + 10);
    store.markDelivered(EVENTS_PER_PAGE);
    store.markDelivered(3); // marks do not go back
    expect(store.eventsWaiting()).toBe(10);
  });
});
