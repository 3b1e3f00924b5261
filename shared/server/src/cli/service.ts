/** The commands `serve` and `identity` of all services. */
import {
  addSettings,
  type Command,
  type Configuration,
  onShutdown,
  printResult,
  type Settings,
} from '@eigenveil/command';
import { SERVICE_SETTINGS } from './settings.ts';

/** A service that listens. */
interface Listening<S extends Settings> {
  readonly url: string;
  readonly thumbprint: string;
  /** Takes its settings anew, as far as they can change while it runs. */
  reload(read: () => Configuration<S>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Adds `serve`: starts the service, says where it listens, closes it on SIGTERM and SIGINT, and reads its settings anew on SIGHUP.
 * `example` is how one calls it, options alone.
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
