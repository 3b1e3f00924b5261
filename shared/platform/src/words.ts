/**
 * Messages that several surfaces show: a command line, a page, an answer over HTTP. A message is text with
 * terms in it, and a term is whatever the surfaces call differently, such as an option that a page has as a
 * field. Nobody takes a message apart to find its terms.
 */

/** Something that surfaces call differently. */
export interface Term {
  /** The name by which a surface finds its own words for it. */
  readonly term: string;
  /** The text in its place where a surface has no words of its own. */
  readonly text: string;
  /** The thing that the words are about: the value of an option, the name of a column. */
  readonly value?: string | undefined;
}

export type Part = string | Term;

/** The words of a surface for terms, by their names. */
export type Vocabulary<Name extends string = string> = Readonly<Record<Name, (value: string) => string>>;

/**
 * A message in parts. As a text it is what every surface says that has no words of its own: that of the
 * command line.
 */
export class Words {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  toString(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
  }

  /** JSON has the message as a text. */
  toJSON(): string {
    return this.toString();
  }

  /** The text in the words of a surface. */
  by(vocabulary: Partial<Vocabulary>): string {
    return this.parts
      .map((part) =>
        typeof part === 'string' ? part : (vocabulary[part.term]?.(part.value ?? '') ?? part.text),
      )
      .join('');
  }
}

/**
 * A message with terms, or with other messages, in it.
 * @example
 * import { option, words } from '@eigenveil/platform';
 *
 * const message = words`blanks stand around the cell: ${option('trim')} passes over them`;
 * String(message); // → 'blanks stand around the cell: --trim passes over them'
 * message.by({ trim: () => '“Pass over blanks”' }); // → 'blanks stand around the cell: “Pass over blanks” passes over them'
 */
export function words(
  strings: TemplateStringsArray,
  ...values: readonly (Words | string | number | bigint)[]
): Words {
  const parts: Part[] = [strings[0]!];
  for (const [i, value] of values.entries())
    parts.push(...(value instanceof Words ? value.parts : [String(value)]), strings[i + 1]!);
  return new Words(parts.filter((part) => part !== ''));
}

/** Several messages in one, with a text between any two. */
export function joined(all: readonly (Words | string)[], between: string): Words {
  return new Words(
    all.flatMap((it, i) => [...(i === 0 ? [] : [between]), ...(it instanceof Words ? it.parts : [it])]),
  );
}

/** A term that is called `text` where a surface has no words of its own. */
export function term(name: string, text: string, value?: string): Words {
  return new Words([{ term: name, text, value }]);
}

/** A setting's name as flags write it: `numeric-labels` of `numericLabels`. */
export function hyphenated(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An option, by its name in settings: `--decimal comma` to the command line, a field to a page. */
export function option<Name extends string>(name: Name, value?: string): Words {
  const flag = `--${hyphenated(name)}`;
  return term(name, value === undefined ? flag : `${flag} ${value}`, value);
}
