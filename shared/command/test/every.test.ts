import { afterEach, expect, test, vi } from 'vitest';
import { every } from '../src/index.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('so much time passes before it is due, and again after', () => {
  vi.useFakeTimers();
  const isDue = every(1000);
  expect(isDue()).toBe(false);
  vi.advanceTimersByTime(1000);
  expect([isDue(), isDue()]).toEqual([true, false]);
  vi.advanceTimersByTime(999);
  expect(isDue()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isDue()).toBe(true);
});
