/** The title of a task: what it may consist of, and how it stands beside the id. */
import { ACTING } from '@eigenveil/methods/schema';
import { z } from 'zod';

/** The most characters of a title: code points, not units of UTF-16. */
const MOST_CHARACTERS = 80;

/** A character that acts on text, or one of those that show nothing, such as a filler. */
const UNSEEN = new RegExp(String.raw`[${ACTING}\p{Default_Ignorable_Code_Point}]`, 'u');

const codePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * The title of a task. Whoever sees the task sees it, in terminals and in pages, so it has one form alone and
 * nothing that does not meet the eye.
 */
export const Title = z
  .string()
  .refine(
    (title) => title !== '' && [...title].length <= MOST_CHARACTERS,
    `expected 1 to ${MOST_CHARACTERS} characters: shorten the title, or leave it out`,
  )
  .refine((title) => !UNSEEN.test(title), {
    error: ({ input }) =>
      `expected no character that controls, hides or turns text, and no end of a line: remove ${codePoint(UNSEEN.exec(String(input))![0])}, or type the title again`,
  })
  .refine((title) => title.trim() === title, 'expected no blank at either end: remove it')
  .refine(
    (title) => title.normalize('NFC') === title,
    'expected accents in their composed form (Unicode NFC): type the title again',
  )
  .meta({ minLength: 1, maxLength: MOST_CHARACTERS });

/** Returns what somebody has typed in the form that a title has, as far as that changes nothing to be seen. */
export function asTitle(text: string): string {
  return text.normalize('NFC').trim();
}

/**
 * Names a task in a line of text: by its id, and by its title in quotes, within which no blank or quote ends
 * it.
 * @example
 * import { taskInWords } from '@eigenveil/task';
 *
 * taskInWords('AAECAwQFBgcICQoLDA0ODw', 'Heart "study"'); // → 'AAECAwQFBgcICQoLDA0ODw "Heart \\"study\\""'
 */
export function taskInWords(id: string, title: string | undefined): string {
  return title === undefined ? id : `${id} ${JSON.stringify(title)}`;
}

/** Puts the title in quotes before what is said of a task that people have named by its id. */
export function underTitle(title: string | undefined, text: string): string {
  return title === undefined ? text : `${JSON.stringify(title)}: ${text}`;
}
