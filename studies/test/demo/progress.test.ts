/** Stages of the demo tell how far they are where there is no terminal. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { Progress } from '../../demo/progress.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a stage that takes long says every few seconds how far it is, and a line when it has ended', async () => {
  vi.useFakeTimers();
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  onTestFinished(() => {
    process.stderr.isTTY = isTTY;
  });
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const end = Promise.withResolvers<void>();
  const stage = new Progress({ quiet: false }).stage('owners encrypt', 3, async (tick, note) => {
    tick();
    note('of many');
    await end.promise;
  });
  vi.advanceTimersByTime(11_000);
  expect(lines).toEqual([
    '  owners encrypt: 1/3 in 5.00 s of many\n',
    '  owners encrypt: 1/3 in 10.00 s of many\n',
  ]);
  end.resolve();
  await stage;
  expect(lines.splice(0)).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([]);
});
