/** The commands `serve`, `check-config` and `identity` of all services. */
import {
  addSettings,
  COMMAND_CODES,
  type Command,
  type Configuration,
  onShutdown,
  printResult,
  type Settings,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Finding } from '../start/check.ts';
import { SERVICE_SETTINGS } from './settings.ts';

const MARKS = { good: 'good    ', doubtful: 'doubtful', bad: 'BAD     ' } as const;

/** A service that listens. */
interface Listening<S extends Settings> {
  readonly url: string;
  readonly thumbprint: string;
  /** Takes its settings again, as far as they can change while it runs. */
  reload(read: () => Configuration<S>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Adds `serve`, which starts the service, says where it listens, closes it on SIGTERM and SIGINT, and reads
 * its settings again on SIGHUP. `example` shows the options of a call.
 */
export function addServeCommand<const S extends Settings>(
  program: Command,
  prefix: string,
  settings: S,
  example: string,
  start: (configuration: Configuration<S>) => Promise<Listening<S>>,
): void {
  const name = program.name();
  const command = program.command('serve').description('run the service until it is told to stop');
  const configuration = addSettings(command, prefix, settings);
  command.addHelpText(
    'after',
    `
Every setting can also be given in the environment (${prefix}_PORT=8443) or in a JSON file (--config FILE).

Example:
  $ ${name} serve ${example}`,
  );
  command.action(async () => {
    const service = await start(configuration());
    onShutdown(['SIGTERM', 'SIGINT'], () => service.close());
    process.on('SIGHUP', () => void service.reload(configuration));
    const { url, thumbprint } = service;
    printResult(command, {
      json: { event: 'listening', url, thumbprint },
      text: `${name} listens on ${url}, identity ${thumbprint}`,
    });
  });
}

/** Adds `check-config`, which takes the settings of `serve`. */
export function addCheckCommand<const S extends Settings>(
  program: Command,
  prefix: string,
  settings: S,
  check: (configuration: Configuration<S>) => Promise<readonly Finding[]>,
): void {
  const command = program
    .command('check-config')
    .description('check whether "serve" would start, and change nothing');
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

/** Adds `identity`. */
export function addIdentityCommand(program: Command, prefix: string, description: string): void {
  const command = program.command('identity').description(description);
  const configuration = addSettings(command, prefix, { dataDirectory: SERVICE_SETTINGS.dataDirectory });
  command.action(async () => {
    const { dataDirectory } = configuration();
    const { openSigningKey } = await import('../start/foundation.ts');
    const { thumbprint, publicJwk } = await openSigningKey(dataDirectory);
    printResult(command, { json: { thumbprint, publicKey: publicJwk }, text: thumbprint });
  });
}
