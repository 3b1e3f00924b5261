import { setImmediate } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { HEARTBEAT_MILLISECONDS } from '@eigenveil/wire/console';
import { CODES } from '@eigenveil/wire/errors';
import { describe, expect, test } from 'vitest';
import { type Change, follow, followWhileSeen, type Line } from '../../src/console/follow.ts';

/** Each time it is asked it says the next of these lines, and breaks with an error that stands at their end. */
async function told(
  ...streams: readonly (readonly (Line<number> | Error)[])[]
): Promise<{ changes: Change<number>[]; pauses: number[] }> {
  const left = [...streams];
  const changes: Change<number>[] = [];
  const pauses: number[] = [];
  const control = new AbortController();
  await follow<number>({
    signal: control.signal,
    tell: (change) => changes.push(change),
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    after: () => () => undefined,
    async *open() {
      const lines = left.shift();
      if (lines === undefined) {
        control.abort();
        return;
      }
      for (const line of lines) {
        if (line instanceof Error) throw line;
        yield line;
      }
    },
  });
  return { changes, pauses };
}

const update = (it: number) => ({ kind: 'update', update: it }) as const;
const end = (reason: 'final' | 'session' | 'closing' | 'failed') => ({ kind: 'end', reason }) as const;
const gone = new CodedError(CODES.ERR_PEER_UNREACHABLE, 'gone');

test('what comes is told until it is final', async () => {
  const { changes } = await told([update(1), { kind: 'heartbeat' }, update(2), end('final')], [update(3)]);
  expect(changes).toEqual([update(1), { kind: 'live' }, update(2), { kind: 'final' }]);
});

test('a line that breaks, or just ends, is told as such and asked for again', async () => {
  const { changes } = await told([update(1), gone], [update(2)], [update(3), end('closing')]);
  expect(changes.map(({ kind }) => kind)).toEqual([
    'update',
    'broken',
    'update',
    'broken',
    'update',
    'broken',
  ]);
  expect(changes[1]).toMatchObject({ error: gone });
});

test('pauses grow to half a minute while nothing comes, and are short again once something has', async () => {
  const { pauses } = await told(...Array.from({ length: 10 }, () => [gone]), [update(1), gone], [gone]);
  for (const [i, pause] of pauses.entries()) {
    const full = i < 10 ? Math.min(1000 * 2 ** i, 30_000) : 1000 * 2 ** (i - 10);
    expect(pause).toBeGreaterThanOrEqual(full / 2);
    expect(pause).toBeLessThanOrEqual(full);
  }
  expect(pauses).toHaveLength(12);
});

test('silence for more than two heartbeats is told, until the service is heard again or nobody listens', async () => {
  const alarms = new Map<() => void, number>();
  const changes: Change<number>[] = [];
  const control = new AbortController();
  const says: (() => void)[] = [];
  const over = follow<number>({
    signal: control.signal,
    tell: (change) => changes.push(change),
    sleep: async () => undefined,
    after(milliseconds, callback) {
      alarms.set(callback, milliseconds);
      return () => alarms.delete(callback);
    },
    async *open(signal) {
      yield update(1);
      await new Promise<void>((resolve) => says.push(resolve));
      yield { kind: 'heartbeat' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  });
  await setImmediate();
  // A frozen service: the line stands, and nothing comes.
  const [[ring, milliseconds]] = [...alarms] as [[() => void, number]];
  expect(milliseconds).toBeGreaterThan(HEARTBEAT_MILLISECONDS);
  expect(milliseconds).toBeLessThanOrEqual(10_000);
  ring();
  expect(changes).toEqual([update(1), { kind: 'quiet' }]);
  says[0]!();
  await setImmediate();
  expect(changes.at(-1)).toEqual({ kind: 'live' });
  expect(alarms.has(ring)).toBe(false);
  control.abort();
  await over;
  expect(alarms.size).toBe(0);
});

test('a bearer that is over is no broken line', async () => {
  const { changes } = await told([update(1), end('session')], [update(2), end('final')]);
  expect(changes).toEqual([update(1), update(2), { kind: 'final' }]);
});

test('what the service refuses for good is not asked again', async () => {
  const unknown = new CodedError(CODES.ERR_TASK_UNKNOWN, 'no');
  expect((await told([unknown], [update(1)])).changes).toEqual([{ kind: 'failed', error: unknown }]);
  const busy = new CodedError(CODES.ERR_RATE_LIMITED, 'later');
  expect((await told([busy], [update(1), end('final')])).changes.at(-1)).toEqual({ kind: 'final' });
});

describe('a page that is seen and hidden', () => {
  /** Its streams never end by themselves. */
  function looking(isSeenAtFirst: boolean) {
    let isSeen = isSeenAtFirst;
    const looks = new Set<() => void>();
    const control = new AbortController();
    const changes: Change<number>[] = [];
    let [open, opened] = [0, 0];
    const over = followWhileSeen<number>(
      {
        isSeen: () => isSeen,
        onChange(callback) {
          looks.add(callback);
          return () => looks.delete(callback);
        },
      },
      {
        signal: control.signal,
        tell: (change) => changes.push(change),
        sleep: async () => undefined,
        after: () => () => undefined,
        async *open(signal) {
          opened += 1;
          open += 1;
          yield update(opened);
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          open -= 1;
        },
      },
    );
    return {
      changes,
      over,
      control,
      looks,
      counts: () => ({ open, opened }),
      see: async (now: boolean) => {
        isSeen = now;
        for (const look of [...looks]) look();
        await setImmediate();
      },
    };
  }

  test('closes its stream while it is hidden, and opens another when it is seen again', async () => {
    const page = looking(true);
    await setImmediate();
    expect(page.counts()).toEqual({ open: 1, opened: 1 });
    await page.see(false);
    expect(page.counts()).toEqual({ open: 0, opened: 1 });
    await page.see(false);
    expect(page.counts()).toEqual({ open: 0, opened: 1 });
    await page.see(true);
    expect(page.counts()).toEqual({ open: 1, opened: 2 });
    expect(page.changes).toEqual([update(1), { kind: 'connecting' }, update(2)]);
    page.control.abort();
    await page.over;
    expect([page.counts().open, page.looks.size]).toEqual([0, 0]);
  });

  test('opens none before it is seen, and ends though it never is', async () => {
    const page = looking(false);
    await setImmediate();
    expect(page.counts()).toEqual({ open: 0, opened: 0 });
    page.control.abort();
    await page.over;
    expect(page.looks.size).toBe(0);
  });

  test('asks nothing again once all is final', async () => {
    const looks = new Set<() => void>();
    let opened = 0;
    await followWhileSeen<number>(
      {
        isSeen: () => true,
        onChange(callback) {
          looks.add(callback);
          return () => looks.delete(callback);
        },
      },
      {
        signal: new AbortController().signal,
        tell: () => undefined,
        sleep: async () => undefined,
        after: () => () => undefined,
        async *open() {
          opened += 1;
          yield end('final');
        },
      },
    );
    expect([opened, looks.size]).toEqual([1, 0]);
  });
});
