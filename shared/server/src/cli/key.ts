/** The commands that all services have for their key-encryption keys. */
import {
  addSettings,
  type Command,
  type Configuration,
  printResult,
  type Settings,
} from '@eigenveil/command';
import type { KeyPlace } from '../secrets/rotation.ts';

/**
 * Adds `key list`, `key rotate` and `key reseal` to a service's program. `settings` say where the service's
 * keys and values are, and `placeOf` finds them there. `others` says what else depends on an old key.
 */
export function addKeyCommands<const S extends Settings>(
  program: Command,
  prefix: string,
  settings: S,
  placeOf: (configuration: Configuration<S>) => Promise<KeyPlace>,
  others = 'Backups need no key, so nothing else depends on the old one.',
): void {
  const key = program.command('key').description('the keys that seal secrets at rest');
  const example = (name: string) =>
    `Example:\n  $ ${program.name()} key ${name} --data-directory /var/lib/${program.name()}`;
  const add = (name: string, description: string, help: string) => {
    const command = key.command(name).description(description);
    const configuration = addSettings(command, prefix, settings);
    command.addHelpText('after', `\n${help}\n\n${example(name)}`);
    return { command, place: () => placeOf(configuration()) };
  };

  const list = add(
    'list',
    'print the ids of the keys in the key file, and how many stored values each has sealed',
    'The first key seals, all open. Works while the service runs.',
  );
  list.command.action(async () => {
    const place = await list.place();
    const { keysInUse } = await import('../secrets/rotation.ts');
    const keys = await keysInUse(place);
    const text = keys.map((it) => `${it.id}  ${it.use}  ${it.values} values`).join('\n');
    printResult(list.command, { json: { keys }, text });
  });

  const rotate = add(
    'rotate',
    'replace the key: a new one seals everything that is stored, and the old one is forgotten',
    `Stop the service first. If the command is interrupted, give it again: it finishes what was begun, and at no time the key file
lacks a key that is needed. ${others}${
      'databaseUrl' in settings
        ? '\nRefused where processes share a PostgreSQL database: see key reseal.'
        : ''
    }`,
  );
  rotate.command.action(async () => {
    const place = await rotate.place();
    const { rotateKey } = await import('../secrets/rotation.ts');
    const { keyId, resealed } = await rotateKey(place);
    const text = `key ${keyId} seals from now on; ${resealed} stored values were sealed again, the old key is forgotten`;
    printResult(rotate.command, { json: { keyId, resealed }, text });
  });

  const reseal = add(
    'reseal',
    'seal everything that is stored under the first key of the key file',
    `For services on several machines, which cannot all stop for: key rotate. Works while they run; the key file stays as it is.
First put the new key on a line of its own at the end of every key file and restart every service; then move it to the first line
everywhere and restart again; then give this command; then take the old key out everywhere.`,
  );
  reseal.command.action(async () => {
    const place = await reseal.place();
    const { resealAll } = await import('../secrets/rotation.ts');
    const resealed = await resealAll(place);
    const text = `${resealed} stored values were sealed again; none needs another key than the first`;
    printResult(reseal.command, { json: { resealed }, text });
  });
}
