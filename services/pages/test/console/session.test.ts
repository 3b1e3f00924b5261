import { CodedError } from '@eigenveil/platform';
import type { ConsoleSession } from '@eigenveil/wire/console';
import { CODES } from '@eigenveil/wire/errors';
import { expect, test } from 'vitest';
import { Session, type SessionClock, type SessionEnd } from '../../src/console/session.ts';

const MINUTE = 60_000;

/** Time passes when it is told to. */
class HandClock implements SessionClock {
  #now = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((it) => it !== timer);
    };
  }

  /** With a turn for what is awaited after each timer. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((it) => it !== next);
      this.#now = next.at;
      next.callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
  }
}

/** A service whose clock is an hour ahead, with sessions of 15 minutes and 8 hours at most. */
function service(clock: HandClock) {
  const start = Date.parse('2030-01-01T01:00:00.000Z');
  const endsAt = start + 480 * MINUTE;
  let issued = 0;
  const issue = (): ConsoleSession => {
    issued += 1;
    const at = start + clock.now();
    return {
      bearer: `bearer ${issued}`,
      at: new Date(at).toISOString(),
      expiresAt: new Date(Math.min(at + 15 * MINUTE, endsAt)).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
    };
  };
  return { issue, issued: () => issued };
}

async function opened(options: {
  renew?: (issue: () => ConsoleSession) => ConsoleSession;
  inUse?: () => boolean;
}) {
  const clock = new HandClock();
  const { issue, issued } = service(clock);
  const ends: SessionEnd[] = [];
  const session = await Session.open({
    exchange: async () => issue(),
    renew: async () => (options.renew ?? ((it) => it()))(issue),
    isInUse: options.inUse ?? (() => true),
    clock,
    onEnd: (reason) => ends.push(reason),
  });
  return { session, clock, ends, issued };
}

test('while the page is in use its bearer is renewed before it ends, for 8 hours and no longer', async () => {
  const { session, clock, ends, issued } = await opened({});
  expect(session.now().toISOString()).toBe('2030-01-01T01:00:00.000Z');
  await clock.pass(11 * MINUTE);
  expect(session.bearer).toBe('bearer 2');
  await clock.pass(468 * MINUTE);
  expect(ends).toEqual([]);
  expect(session.now().toISOString()).toBe('2030-01-01T08:59:00.000Z');
  expect(issued()).toBeLessThan(60);
  await clock.pass(2 * MINUTE);
  expect(ends).toEqual(['limit']);
  expect(session.bearer).toBe('');
});

test('a page that nobody uses lets its bearer end, and one that is used again in time does not', async () => {
  const unused = await opened({ inUse: () => false });
  await unused.clock.pass(14 * MINUTE);
  expect(unused.ends).toEqual([]);
  await unused.clock.pass(2 * MINUTE);
  expect(unused.ends).toEqual(['unused']);

  let isInUse = false;
  const back = await opened({ inUse: () => isInUse });
  await back.clock.pass(14 * MINUTE);
  isInUse = true;
  await back.clock.pass(20 * MINUTE);
  expect(back.ends).toEqual([]);
});

test('a bearer that the service refuses ends at once; a service that is away has as long as the bearer holds', async () => {
  const refused = await opened({
    renew: () => {
      throw new CodedError(CODES.ERR_AUTH_REQUIRED, 'no');
    },
  });
  await refused.clock.pass(11 * MINUTE);
  expect(refused.ends).toEqual(['void']);

  let isAway = true;
  const away = (issue: () => ConsoleSession) => {
    if (isAway) throw new CodedError(CODES.ERR_PEER_UNREACHABLE, 'no');
    return issue();
  };
  const gone = await opened({ renew: away });
  await gone.clock.pass(16 * MINUTE);
  expect(gone.ends).toEqual(['unreachable']);

  const late = await opened({ renew: away });
  await late.clock.pass(14 * MINUTE);
  isAway = false;
  await late.clock.pass(20 * MINUTE);
  expect(late.ends).toEqual([]);
});

test('signing out takes the bearer away, whatever is under way', async () => {
  const { session, clock, ends } = await opened({});
  session.end('signed out');
  session.end('void');
  await clock.pass(600 * MINUTE);
  expect(ends).toEqual(['signed out']);
  expect(session.bearer).toBe('');
});
