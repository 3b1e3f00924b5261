/** Text that somebody else wrote, made fit to be shown: it moves no cursor, hides nothing and stays short. */

/** The limit of what a peer says about an error; its own messages are far shorter. */
const LONGEST_TEXT = 1000;

/**
 * Characters that a terminal acts on instead of showing them (C0, DEL, C1), that hide text or change its
 * direction (Cf), or that end a line or a paragraph. All are in the basic plane except tags and shorthand
 * controls, which show nothing and are Cf, too.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text on one line: white space becomes one blank, what cannot be shown U+FFFD; cut off with an ellipsis
 * where it is longer.
 */
export function printable(text: string, longest = LONGEST_TEXT): string {
  // Cut first, so that megabytes cost nothing; a surrogate that loses its half becomes U+FFFD.
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replaceAll(/\s+/gu, ' ').replaceAll(UNPRINTABLE, '\u{fffd}');
}

/** Several lines of any length, as a command prints its result; tabs stay, too. */
export function printableLines(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => (/[\n\t]/.test(character) ? character : '\u{fffd}'));
}

/**
 * JSON of the same value that holds nothing unprintable: JSON.stringify alone leaves DEL, C1 and hidden
 * characters as they are.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNPRINTABLE, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
