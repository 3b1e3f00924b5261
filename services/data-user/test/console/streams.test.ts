/** When a stream of the console says what, how often it looks for that, and how it ends. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConsoleStreams, type Line, type StreamTimes } from '../../src/console/streams.ts';

const now = () => new Date('2026-01-01T00:00:00.000Z');
/** Nothing here waits for a look for longer than it must. */
const QUICK = { lookMilliseconds: 5 };

function streams(times: StreamTimes = QUICK) {
  const made = new ConsoleStreams(now, times);
  onTestFinished(() => made.close());
  return made;
}

interface Update {
  readonly at: string;
  readonly value: number;
}

/** Something that is looked at, and streams of it. */
function watch(made: ConsoleStreams) {
  const state = { value: 0, isAllowed: true, isBroken: false };
  const look = vi.fn(async (): Promise<Update> => {
    if (state.isBroken) throw new Error('the database is away');
    return { at: `${look.mock.calls.length}`, value: state.value };
  });
  const open = async () => {
    const gone = new AbortController();
    const lines = await made.open<Update>({
      name: 'it',
      look,
      isFinal: ({ value }) => value === 99,
      admit: async () => {
        if (!state.isAllowed) throw new Error('no longer');
      },
      signal: gone.signal,
    });
    const iterator = lines[Symbol.asyncIterator]();
    const next = async () => (await iterator.next()).value as Line<Update> | undefined;
    return { next, leave: () => gone.abort() };
  };
  return { state, look, open };
}

const update = (value: number) => ({ kind: 'update', update: { at: expect.any(String), value } });

test('what is now comes at once, then each change and nothing else, and the end', async () => {
  const { state, open } = watch(streams());
  const { next } = await open();
  expect(await next()).toEqual(update(0));
  state.value = 1;
  expect(await next()).toEqual(update(1));
  const third = next();
  state.value = 99;
  expect(await third).toEqual(update(99));
  expect(await next()).toEqual({ kind: 'end', reason: 'final' });
  expect(await next()).toBeUndefined();
});

test('where nothing changes there is a heartbeat', async () => {
  const { look, open } = watch(streams({ ...QUICK, heartbeatMilliseconds: 20 }));
  const { next } = await open();
  await next();
  const heartbeat = { kind: 'heartbeat', at: '2026-01-01T00:00:00.000Z' };
  expect([await next(), await next()]).toEqual([heartbeat, heartbeat]);
  expect(look.mock.calls.length).toBeGreaterThan(1);
});

test('however many streams there are, one look serves all of them', async () => {
  const { look, open } = watch(streams({ lookMilliseconds: 1e6 }));
  const opened = await Promise.all(Array.from({ length: 50 }, open));
  expect(await Promise.all(opened.map(({ next }) => next()))).toEqual(
    opened.map(() => ({ kind: 'update', update: { at: '1', value: 0 } })),
  );
  expect(look).toHaveBeenCalledOnce();
});

test.each([
  ['who asked may not any more', 'session', (state: { isAllowed: boolean }) => (state.isAllowed = false)],
  ['the store fails', 'failed', (state: { isBroken: boolean }) => (state.isBroken = true)],
])('a stream ends when %s', async (_, reason, spoil) => {
  const { state, open } = watch(streams());
  const { next } = await open();
  await next();
  spoil(state as never);
  expect(await next()).toEqual({ kind: 'end', reason });
  expect(await next()).toBeUndefined();
});

test('a stream ends when it has lasted as long as a bearer would', async () => {
  const { next } = await watch(streams({ ...QUICK, longestMilliseconds: 20 })).open();
  await next();
  expect(await next()).toEqual({ kind: 'end', reason: 'session' });
});

test('all streams end at once when the service stops, also those that are waiting', async () => {
  const made = streams({ lookMilliseconds: 1e6 });
  const { next } = await watch(made).open();
  await next();
  const end = next();
  made.close();
  expect(await end).toEqual({ kind: 'end', reason: 'closing' });
});

test('what cannot be looked at is told before a stream begins', async () => {
  const { state, open } = watch(streams());
  state.isBroken = true;
  await expect(open()).rejects.toThrow('the database is away');
});

test('there are so many streams and no more; one that is left makes room', async () => {
  const { open } = watch(streams());
  const opened = await Promise.all(Array.from({ length: 100 }, open));
  const full = { code: 'ERR_BUSY', parameters: { retryAfterSeconds: 5 } };
  await expect(open()).rejects.toMatchObject(full);
  opened[0]!.leave();
  const { leave } = await open();
  await expect(open()).rejects.toMatchObject(full);
  leave();
  opened[1]!.leave();
  await Promise.all([open(), open()]);
});
