/** `--quick` and `--full` are taken by every command, whichever it is without either; and what is at work is told where there is no terminal. */
import { Command } from 'commander';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { showProgress } from '../../instrument/progress.ts';
import { addScale, scaleOf } from '../../instrument/scale.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each(['quick', 'full'] as const)('a command that is %s by itself takes both, and says so', (usual) => {
  const scale = (...flags: string[]) => {
    const command = addScale(new Command('x').exitOverride(), usual, { quick: 'few', full: 'all' });
    command.configureOutput({ writeErr: () => {} }).parse(flags, { from: 'user' });
    return scaleOf(command.opts(), usual);
  };
  expect([scale(), scale('--quick'), scale('--full')]).toEqual([usual, 'quick', 'full']);
  expect(() => scale('--quick', '--full')).toThrow(/cannot be used with/);
  const help = addScale(new Command('x'), usual, { quick: 'few', full: 'all' }).helpInformation();
  expect(help).toContain(usual === 'quick' ? 'few (default)' : 'all (default)');
});

test('a unit that takes long says so every few seconds where there is no terminal, and no longer than it lasts', () => {
  vi.useFakeTimers();
  const { isTTY } = process.stderr;
  process.stderr.isTTY = false;
  onTestFinished(() => {
    process.stderr.isTTY = isTTY;
  });
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const unit = { title: 'long one', expectedSeconds: 20 };
  const progress = showProgress([unit], { resumed: 0 });
  progress.begin(unit);
  vi.advanceTimersByTime(11_000);
  expect(lines).toEqual(['[0/1] long one: at it for 5 s\n', '[0/1] long one: at it for 10 s\n']);
  progress.done(unit, 11);
  expect(lines.splice(0)).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  progress.stop();
  expect(lines).toEqual([]);
});
