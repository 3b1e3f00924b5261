/** The command `check-config` of all services. */
import {
  addSettings,
  COMMAND_CODES,
  type Command,
  type Configuration,
  printResult,
  type Settings,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Finding } from '../start/check.ts';

const MARKS = { good: 'good    ', doubtful: 'doubtful', bad: 'BAD     ' } as const;

/** Adds `check-config`, which takes the settings of `serve`. */
export function addCheckCommand<const S extends Settings>(
  program: Command,
  prefix: string,
  settings: S,
  check: (configuration: Configuration<S>) => Promise<readonly Finding[]>,
): void {
  const command = program
    .command('check-config')
    .description('look whether "serve" would start, and change nothing');
  const configuration = addSettings(command, prefix, settings);
  command.addHelpText(
    'after',
    `
Takes the settings of serve: looks at them, files, keys, database, certificate, port and clock. What is doubtful would not keep the service
from starting. Ends with exit code 2 when anything is bad. Give it as the user that the service runs as; works while the service runs.

Example:
  $ ${program.name()} check-config --config settings.json`,
  );
  command.action(async () => {
    const findings = [
      { check: 'settings', state: 'good', detail: 'all can be used' },
      ...(await check(configuration())),
    ] as const;
    const width = Math.max(...findings.map((it) => it.check.length));
    const text = findings
      .map((it) => `${MARKS[it.state]}  ${it.check.padEnd(width)}  ${it.detail}`)
      .join('\n');
    printResult(command, { json: { findings }, text });
    const bad = findings.filter(({ state }) => state === 'bad').map((it) => it.check);
    if (bad.length > 0)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `the service would not work as it is: ${bad.join(', ')}`,
      );
  });
}
