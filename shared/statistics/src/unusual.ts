/** Characters that look like others, or like nothing, by their names. */

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
/** Blanks, dashes, digits and invisible characters beyond ASCII, and what else stands in for a part of a number. */
const UNUSUAL =
  /(?![\x20-\x7e])[\p{Zs}\p{Pd}\p{Nd}\p{Cf}\p{Cc}\u00b7\u02d9\u066b\u066c\u2019\u201a\u2212\uff0c\uff0e]/u;

/** Names the first character of a text that does not belong into a number: `U+2212 (minus sign)`; undefined where there is none. */
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

/** Texts of one key look alike, but for case. */
export const likeness = (text: string) => visible(text.normalize('NFKC')).toLowerCase();

/** In what two texts of one likeness differ, in words. */
export function differenceOf(one: string, other: string): string {
  if (one.normalize('NFC') === other.normalize('NFC'))
    return 'the normal form of accents (Unicode NFC or NFD)';
  const [a, b] = [one.normalize('NFC'), other.normalize('NFC')];
  if (a.toLowerCase() === b.toLowerCase()) return 'upper and lower case';
  if (visible(a) === visible(b)) {
    const unusual = unusualIn(a) ?? unusualIn(b);
    return unusual === undefined ? 'blanks' : `blanks or invisible characters (${unusual})`;
  }
  return 'case, blanks or the form of characters';
}
