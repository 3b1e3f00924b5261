/** The settings that a study lets its user choose, each with a value for quick and for full runs. */
import { InvalidArgumentError } from 'commander';
import type { Scale, Value } from './tidy.ts';

export interface Setting<T extends Value | readonly Value[] = Value | readonly Value[]> {
  /** The flag, in kebab-case. */
  readonly name: string;
  readonly says: string;
  /** @throws InvalidArgumentError saying what was expected */
  parse(text: string): T;
  readonly quick: T;
  readonly full: T;
}

export function setting<T extends Value | readonly Value[]>(of: Setting<T>): Setting<T> {
  return of;
}

/** The values of a run's settings: those that its user chose, and the usual ones of its scale. */
export class Settings {
  readonly #scale: Scale;
  readonly #chosen: ReadonlyMap<string, Value | readonly Value[]>;

  constructor(scale: Scale, chosen: ReadonlyMap<string, Value | readonly Value[]> = new Map()) {
    this.#scale = scale;
    this.#chosen = chosen;
  }

  of<T extends Value | readonly Value[]>(setting: Setting<T>): T {
    return (this.#chosen.get(setting.name) as T | undefined) ?? setting[this.#scale];
  }
}

/** A whole number in [`least`, `most`]. */
export function wholeNumber(least = 1, most: number = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`Expected a whole number ${range}.`);
    return value;
  };
}

/** Whole numbers of at least 1, separated by commas. */
export const wholeNumbers = (text: string): number[] => text.split(',').map(wholeNumber());

/** A number of bits such as 64k, 100M or 1G. */
export const bits = (text: string): number => {
  const [, count, unit] = /^([1-9][0-9]*)([kMG]?)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Expected a whole number and k, M or G.');
  return Number(count) * { '': 1, k: 1e3, M: 1e6, G: 1e9 }[unit as '' | 'k' | 'M' | 'G'];
};

/** Some of `choices`, separated by commas; `read` makes one of them from its text. */
export function someOf<T extends Value>(choices: readonly T[], read: (text: string) => unknown = String) {
  const isChoice = (value: unknown): value is T => (choices as readonly unknown[]).includes(value);
  return (text: string): T[] => {
    const values = text.split(',').map(read);
    if (!values.every(isChoice)) throw new InvalidArgumentError(`Expected some of ${choices.join(',')}.`);
    return values;
  };
}
