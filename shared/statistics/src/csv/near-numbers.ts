/** What people write in the place of a number, which no option reads: told by its kind, so that the cell need not be shown. */

const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^[+-]?inf(inity)?$/i, 'an infinite number'],
  [/^[+-]?\d*[.,]?\d*e[+-]?\d+$/i, 'a number beyond those of 64 bits'],
  [/^\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)/, 'a date, which is no number'],
  [/^\d{1,2}:\d{2}/, 'a time of day, which is no number'],
  [/^0[xob][\da-f]+$/i, 'a number to another base than ten'],
  [/^\(\D*\d.*\)$/, 'a number in brackets, as accounts write what is below 0: write a minus sign'],
  [/^[+-]?\d{1,3}(['’]\d{3})+(\D|$)/u, 'one with an apostrophe between thousands: write it without'],
  [/^[+-]?[\d.,]+d[+-]?\d+$/i, 'one with a D before its exponent: write an E'],
  [/^[+-]?\d[\d.,]*\s*[^\s\d]+$/u, 'a number with a sign or a unit behind it: write the number alone'],
  [/^[^\s\d.,+-]+\s*[+-]?\d[\d.,]*$/u, 'a number behind a sign or a word: write the number alone'],
];

/** Says what a cell without blanks around it holds, which is no number by any option; undefined where it is like none. */
export function nearNumber(text: string): string | undefined {
  return KINDS.find(([pattern]) => pattern.test(text))?.[1];
}
