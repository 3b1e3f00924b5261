/** The title of a task: which texts are one, and what is said of the others. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asTitle, TaskProposal, taskInWords } from '../src/index.ts';

const { title: Title } = TaskProposal.shape;
const isTitle = (text: string) => Title.safeParse(text).success;
const wordsFor = (text: string) => Title.safeParse(text).error?.issues[0]?.message;

test('a title is text of any script, of up to 80 code points', () => {
  for (const text of [
    'Größe und Gewicht, 2031',
    'מחקר לב',
    '心臓の研究',
    '"><b>=1+1',
    '𝛼',
    '❤',
    '🙂'.repeat(80),
  ])
    expect(wordsFor(text)).toBeUndefined();
  expect(isTitle('🙂'.repeat(81))).toBe(false);
  expect(isTitle('')).toBe(false);
});

describe('a text is refused, with words that say what to do', () => {
  test.each([
    ['is too long', 'x'.repeat(81), 'shorten the title'],
    ['is empty', '', 'leave it out'],
    ['has a blank before it', ' a', 'no blank at either end'],
    ['has a blank of another kind behind it', 'a\u3000', 'no blank at either end'],
    ['has accents that are taken apart', 'Gro\u0308ße', 'composed form'],
    ['moves a terminal', 'a\u001b[31m', 'remove U+001B'],
    ['begins another line', 'a\nb', 'remove U+000A'],
    ['has C1’s end of a line', 'a\u0085b', 'remove U+0085'],
    ['ends a line', 'a\u2028b', 'remove U+2028'],
    ['ends a paragraph', 'a\u2029b', 'remove U+2029'],
    ['turns its direction', 'a\u202eb', 'remove U+202E'],
    ['isolates a direction', 'a\u2066b', 'remove U+2066'],
    ['marks a direction', 'a\u200fb', 'remove U+200F'],
    ['has a space of no width', 'a\u200bb', 'remove U+200B'],
    ['joins without width', 'a\u200db', 'remove U+200D'],
    ['has a filler', '\u3164', 'remove U+3164'],
    ['has hidden tags', 'a\u{e0061}', 'remove U+E0061'],
    ['has half of a character', 'a\ud83d', 'remove U+D83D'],
  ])('that %s', (_, text, words) => {
    expect(wordsFor(text)).toContain(words);
    // The words are shown where the text may not be.
    expect(wordsFor(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});

test('whatever is a title has one form, shows all that it is made of, and stands on one line', () => {
  const hidden = /[\p{C}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/u;
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const piece = fc.constantFrom(
    '',
    ' ',
    '\u00a0',
    '\u200b',
    '\u202e',
    '\u2028',
    '\u0301',
    '\ufe0f',
    '\n',
    '\ud83d',
  );
  let taken = 0;
  fc.assert(
    fc.property(text, piece, text, (...parts) => {
      const title = asTitle(parts.join(''));
      expect(asTitle(title)).toBe(title);
      if (isTitle(title)) taken += 1;
      // A text is refused for one of these, and for nothing else.
      expect(isTitle(title)).toBe(title !== '' && !hidden.test(title));
    }),
  );
  expect(taken).toBeGreaterThan(5);
});

test('asTitle keeps what is typed, but for blanks at its ends and the form of accents', () => {
  expect(asTitle('\u2003Gro\u0308ße  und mehr\n')).toBe('Größe  und mehr');
  expect(asTitle('a\u202eb')).toBe('a\u202eb'); // for the schema to refuse
});

test('beside an id it cannot pass for anything but a title', () => {
  expect(taskInWords('id', undefined)).toBe('id');
  expect(taskInWords('id', 'a" open \\')).toBe(String.raw`id "a\" open \\"`);
});
