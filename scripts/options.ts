/** The command of what has no study yet. */
import { Command } from 'commander';

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
