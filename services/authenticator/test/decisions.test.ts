/** Decisions from the first session to a lock and back: who is told, in which order, and what a restart leaves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATHS } from '../src/messages.ts';
import { Site, strangeWindows } from './authenticator.ts';

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
});
