/** What is said of a value that a schema refused. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { explainIssues } from '../src/index.ts';

const schema = z.strictObject({
  count: z.number().min(2).max(9),
  share: z.number().gt(0).lt(1),
  kind: z.enum(['pca', 'dca']),
  version: z.literal(1),
  names: z.array(z.string().min(1).max(3)).max(2),
  whole: z.int(),
  own: z.string().refine((it) => it === 'x', 'expected the letter x'),
});
const right = { count: 2, share: 0.5, kind: 'pca', version: 1, names: ['a'], whole: 3, own: 'x' };

test.each<[string, object, string]>([
  ['a text for a number', { count: 'secret' }, '"count": expected a number, got a text'],
  ['nothing', { count: undefined }, '"count": is missing: expected a number'],
  ['too little', { count: 1 }, '"count": expected at least 2'],
  ['too much', { count: 10 }, '"count": expected at most 9'],
  ['a bound from below', { share: 0 }, '"share": expected more than 0'],
  ['a bound from above', { share: 1 }, '"share": expected less than 1'],
  ['an unknown name', { kind: 'secret' }, '"kind": expected one of "pca", "dca"'],
  ['another constant', { version: 2 }, '"version": expected 1'],
  ['too many items', { names: ['a', 'b', 'c'] }, '"names": expected at most 2 items'],
  ['an empty text', { names: [''] }, '"names[0]": expected at least 1 character'],
  ['a fraction', { whole: 0.5 }, '"whole": expected a whole number, got a fraction'],
  ['what a schema says itself', { own: 'secret' }, '"own": expected the letter x'],
])('%s', (_, wrong, text) => {
  const { error } = schema.safeParse({ ...right, ...wrong });
  expect(explainIssues(error!, 'body')).toBe(text);
});

test('all faults are said at once, and of very many the first twenty', () => {
  const { error } = schema.safeParse({});
  expect(explainIssues(error!, 'body').split('; ')).toEqual(
    Object.keys(right).map((name) => expect.stringMatching(`^"${name}": `)),
  );
  const many = z.array(z.number()).safeParse(new Array(22).fill('secret'));
  const lines = explainIssues(many.error!, 'body').split('; ');
  expect(lines).toHaveLength(21);
  expect(lines.slice(-2)).toEqual(['"body[19]": expected a number, got a text', 'and 2 more']);
});
