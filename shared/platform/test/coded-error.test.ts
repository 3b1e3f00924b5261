/** Errors with codes: what they carry, and how surfaces word them. */
import { expect, test } from 'vitest';
import { CodedError, checkAll, codes, faulty, isOf, joined, option, term, words } from '../src/node.ts';

const CODES = codes({
  ERR_CELL: { title: 'A cell is wrong', status: 422 },
  ERR_FILE_LOST: { title: 'There is no file', exit: 'usage' },
});

test('an error carries its code, the status of its table, its cause and what programs may know', () => {
  const cause = new Error('why');
  const error = new CodedError(CODES.ERR_CELL, 'row 1', { cause, retryAfterSeconds: 3 });
  expect(error).toMatchObject({ name: 'CodedError', code: 'ERR_CELL', status: 422, message: 'row 1', cause });
  expect(error.parameters).toEqual({ retryAfterSeconds: 3 });
  expect(new CodedError(CODES.ERR_FILE_LOST, 'gone').status).toBeUndefined();
  expect([isOf(CODES, error), isOf(codes({ ERR_OTHER: { title: 'Other' } }), error)]).toEqual([true, false]);
  expect(isOf(CODES, Object.assign(new Error('row 1'), { code: 'ERR_CELL' }))).toBe(false);
});

test('a message is the command line’s where a surface has no words of its own, and the surface’s where it has some', () => {
  const cell = words`got ${words`blanks, which ${option('trim')} passes over`}`;
  const { words: all, message } = new CodedError(CODES.ERR_CELL, words`row ${7}: ${cell}`);
  expect(message).toBe('row 7: got blanks, which --trim passes over');
  expect(all.by({ trim: () => '“Pass over blanks”' })).toBe(
    'row 7: got blanks, which “Pass over blanks” passes over',
  );
  expect(all.by({})).toBe(message);
  expect(JSON.stringify({ all })).toBe(JSON.stringify({ all: message }));
});

test('what somebody wrote is never taken for a term', () => {
  const hostile = words`column ${'--trim {trim}'} and ${term('name', 'the name', 'x')}`;
  expect(hostile.by({ trim: () => 'A', name: (value) => `“${value}”` })).toBe('column --trim {trim} and “x”');
});

test('options are written as flags', () => {
  expect(String(option('numericLabels'))).toBe('--numeric-labels');
  expect(String(option('decimal', 'comma'))).toBe('--decimal comma');
});

test('many faults are told at once, each with its place', () => {
  const error = faulty(CODES.ERR_CELL, [
    { path: ['a', 0], words: words`use ${option('trim')}` },
    { path: ['b'], words: 'too long' },
  ]);
  expect(error.message).toBe('use --trim; too long');
  expect(error.faults.map(({ path, words: it }) => [path.join('.'), String(it)])).toEqual([
    ['a.0', 'use --trim'],
    ['b', 'too long'],
  ]);
  expect(new CodedError(CODES.ERR_CELL, 'one').faults).toEqual([{ path: [], words: joined(['one'], '') }]);
});

test('checks that do not rest on each other refuse together, with the code of the first', () => {
  const refuse = (info: (typeof CODES)['ERR_CELL' | 'ERR_FILE_LOST'], why: string) => () => {
    throw new CodedError(info, why);
  };
  const passes = () => {};
  const [cell, file] = [refuse(CODES.ERR_CELL, 'row 1'), refuse(CODES.ERR_FILE_LOST, 'gone')];
  expect(() => checkAll(passes, passes)).not.toThrow();
  expect(() => checkAll(passes, file)).toThrow(
    expect.objectContaining({ code: 'ERR_FILE_LOST', message: 'gone' }),
  );
  expect(() => checkAll(cell, passes, file)).toThrow(
    expect.objectContaining({ code: 'ERR_CELL', message: 'row 1; gone' }),
  );
  const broken = () => {
    throw new TypeError('a mistake of ours');
  };
  expect(() => checkAll(cell, broken)).toThrow(TypeError);
});
