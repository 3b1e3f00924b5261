/** One case of a benchmark that fails costs no other case its figures. */
import { afterEach, expect, test, vi } from 'vitest';
import { measureEach } from '../../instrument/cases.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test('a case that fails is named with its reason, the others are measured, and the exit code is 1', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const measure = async (one: number) => {
    if (one === 2) throw Object.assign(new Error('too few dimensions'), { code: 'ERR_FULL_RANK' });
    return one === 3 ? [] : [one, 10 * one];
  };
  expect(await measureEach([1, 2, 3, 4], (one) => `case ${one}`, measure)).toEqual([1, 10, 4, 40]);
  expect(process.exitCode).toBe(1);
  expect(said.mock.calls.flat().filter((line) => !`${line}`.startsWith('measuring'))).toEqual([
    'case 2 failed: ERR_FULL_RANK: too few dimensions\n',
  ]);
});

test('where all cases are measured, the exit code is left alone', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await measureEach([1], String, async (one) => [one])).toEqual([1]);
  expect(process.exitCode).toBeUndefined();
});
