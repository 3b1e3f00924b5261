/** Characters that look like others, or like nothing, by their names. */
import { type Words, words } from '@eigenveil/platform';
import { BLANKS } from './reading-terms.ts';

const NAMES: Readonly<Record<string, string>> = {
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u00b7': 'middle dot',
  '\u02d9': 'dot above',
  '\u066b': 'Arabic decimal separator',
  '\u066c': 'Arabic thousands separator',
  '\u2007': 'figure space',
  '\u2009': 'thin space',
  '\u200b': 'zero width space',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2010': 'hyphen',
  '\u2011': 'no-break hyphen',
  '\u2012': 'figure dash',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u2019': 'right single quotation mark',
  '\u201a': 'single low quotation mark',
  '\u202f': 'narrow no-break space',
  '\u2060': 'word joiner',
  '\u2212': 'minus sign',
  '\u3000': 'ideographic space',
  '\ufeff': 'byte order mark',
  '\uff0c': 'fullwidth comma',
  '\uff0d': 'fullwidth hyphen-minus',
  '\uff0e': 'fullwidth full stop',
};
/**
 * Blanks, dashes, digits and invisible characters beyond ASCII, and what else stands in for a part of a
 * number.
 */
const UNUSUAL =
  /(?![\x20-\x7e])[\p{Zs}\p{Pd}\p{Nd}\p{Cf}\p{Cc}\u00b7\u02d9\u066b\u066c\u2019\u201a\u2212\uff0c\uff0e]/u;

/**
 * Names the first character of a text that does not belong into a number: `U+2212 (minus sign)`; undefined
 * where there is none.
 */
export function unusualIn(text: string): string | undefined {
  const found = UNUSUAL.exec(text)?.[0];
  if (found === undefined) return undefined;
  const code = `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES[found] ?? (/\p{Nd}/u.test(found) ? 'a digit of another script' : undefined);
  return name === undefined ? code : `${code} (${name})`;
}

/** A text without what does not meet the eye. */
const visible = (text: string) =>
  text
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim();

/** Texts of one key look alike, except for case. */
export const likeness = (text: string) => visible(text.normalize('NFKC')).toLowerCase();

/**
 * Signs between words and quotes around them, for which programs have others: `sepal.length` for
 * `sepal_length`.
 */
const BETWEEN_WORDS = /(?<=[\p{L}\p{N}])[\s_.-]+(?=[\p{L}\p{N}])|^["'`]+|["'`]+$/gu;

/**
 * Texts of one key are words in different spellings, with accents or without; a text without letters is none.
 */
function spelling(text: string): string | undefined {
  const words = likeness(text).normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(BETWEEN_WORDS, '');
  return /\p{L}/u.test(words) ? words : undefined;
}

/**
 * The one among other texts that looks like a text, or else one that is the same words in another spelling.
 */
export function nearTo(text: string, others: readonly string[]): string | undefined {
  const alike = others.find((other) => other !== text && likeness(other) === likeness(text));
  if (alike !== undefined) return alike;
  const own = spelling(text);
  return own === undefined ? undefined : others.find((other) => other !== text && spelling(other) === own);
}

/** Says in words in what two texts differ that are near to each other. */
export function differenceOf(one: string, other: string): Words | string {
  if (one.normalize('NFC') === other.normalize('NFC'))
    return 'the normal form of accents (Unicode NFC or NFD)';
  const [a, b] = [one.normalize('NFC'), other.normalize('NFC')];
  if (a.toLowerCase() === b.toLowerCase()) return 'upper and lower case';
  if (visible(a) === visible(b)) {
    const unusual = unusualIn(a) ?? unusualIn(b);
    return unusual === undefined ? BLANKS : words`${BLANKS} or invisible characters (${unusual})`;
  }
  if (likeness(a) === likeness(b)) return words`case, ${BLANKS} or the form of characters`;
  return 'accents, quotes or what stands between words';
}
