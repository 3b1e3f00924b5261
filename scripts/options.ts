/** Options that the commands share, and their parsers; what these throw, commander shows with the option's name. */
import { relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { ROOT } from './rooms.ts';

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

/** Whole numbers of at least 1, separated by commas. */
export const wholeNumbers = (text: string): number[] => text.split(',').map(wholeNumber());

/** A number of bits such as 64k, 100M or 1G. */
export const bits = (text: string): number => {
  const [, count, unit] = /^([1-9][0-9]*)([kMG]?)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Expected a whole number and k, M or G.');
  return Number(count) * { '': 1, k: 1e3, M: 1e6, G: 1e9 }[unit as '' | 'k' | 'M' | 'G'];
};

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

/** The command of a benchmark: beside its own options it takes `--json`, and its help says how to read what it prints. */
export function benchmark({
  name,
  description,
  explanation,
  example,
}: {
  /** As in `npm run <name>`. */
  readonly name: string;
  readonly description: string;
  readonly explanation: string;
  /** Options, as one would give them. */
  readonly example: string;
}): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .option('--json', 'print one JSON object instead of tables')
    .addHelpText('after', `\n${explanation}\n\nExample:\n  npm run ${name} -- ${example}`);
}

const { scripts } = packageJson as { readonly scripts: Readonly<Record<string, string>> };

/** Prints what was measured as one JSON object, which says of which run it is: so it can be kept for `npm run figures`. */
export async function printJson(measured: object): Promise<void> {
  const { describeEnvironment } = await import('@eigenveil/studies/instrument/environment');
  const program = `node ${relative(ROOT, process.argv[1]!)}`;
  const script = Object.keys(scripts).find((name) => scripts[name] === program);
  const options = process.argv.slice(2).filter((word) => word !== '--json');
  const dashes = script === undefined || options.length === 0 ? [] : ['--'];
  const run = {
    command: [script === undefined ? program : `npm run ${script}`, ...dashes, ...options].join(' '),
    finishedAt: new Date().toISOString(),
    environment: await describeEnvironment(),
  };
  process.stdout.write(`${JSON.stringify({ run, ...measured })}\n`);
}
