/** Parsers of options that the commands share; what they throw, commander shows with the option's name. */
import { InvalidArgumentError } from 'commander';

/** A whole number in [`least`, `most`]. */
export function wholeNumber(least = 1, most: number = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`Expected a whole number ${range}.`);
    }
    return value;
  };
}

/** Some of `choices`, separated by commas; `read` makes one of them from its text. */
export function someOf<T extends string | number>(
  choices: readonly T[],
  read: (text: string) => unknown = String,
) {
  const isChoice = (value: unknown): value is T => (choices as readonly unknown[]).includes(value);
  return (text: string): T[] => {
    const values = text.split(',').map(read);
    if (!values.every(isChoice)) throw new InvalidArgumentError(`Expected some of ${choices.join(',')}.`);
    return values;
  };
}
