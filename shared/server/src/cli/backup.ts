/** The commands that all services have for backups of their databases. */
import { addSettings, COMMAND_CODES, type Command, printResult, type Setting } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import type { BackupRules } from '../database/backup.ts';
import { SERVICE_SETTINGS } from './settings.ts';

/** The words for the operator in which services' backups differ. */
interface BackupWords {
  /** Says what a restoration ends. */
  readonly consequences: string;
  /** Says what the backup holds. */
  readonly holds?: string;
  /** Says in one line what was ended. */
  readonly ended?: string;
}

/**
 * Adds `backup`, `backup verify` and `restore` to a service's program, whose `rules` are loaded when one of
 * them runs. `databaseUrl` is the setting by which the service may have its database elsewhere.
 */
export function addBackupCommands(
  program: Command,
  prefix: string,
  rules: () => Promise<BackupRules>,
  {
    consequences,
    holds = 'no key and nothing that is sealed',
    ended = 'tasks that had not ended then have ended',
  }: BackupWords,
  databaseUrl?: Setting<z.ZodType<string | undefined>>,
): void {
  const { dataDirectory } = SERVICE_SETTINGS;
  const name = program.name();
  const folder = (description: string) => ({
    schema: z.string().min(1),
    description,
    placeholder: 'FOLDER',
  });

  const group = program.command('backup').description('make a backup, or look at one');
  const backup = group
    .command('make', { isDefault: true })
    .description('copy the database, without secrets, into a folder; what "backup" does by itself');
  const backedUp = addSettings(backup, prefix, {
    dataDirectory,
    to: folder('folder for the backup, empty or not there'),
    ...(databaseUrl && { databaseUrl }),
  });
  backup.addHelpText(
    'after',
    `
Works while the service runs. The backup holds ${holds}: keep a copy of signing-key.json, the service's identity,
in a safe place of its own. Without it a backup cannot be restored. To move a service, stop it and move its whole folder instead.

Example:
  $ ${name} backup --data-directory /var/lib/${name} --to /backup/${name}-monday`,
  );
  backup.action(async () => {
    const { dataDirectory: directory, to, databaseUrl: elsewhere } = backedUp();
    if (elsewhere !== undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"databaseUrl" expected none: back a PostgreSQL database up with its own tools',
      );
    const { makeBackup } = await import('../database/backup.ts');
    const manifest = await makeBackup(await rules(), directory, to);
    const { bytes } = manifest.files['database.sqlite'];
    const text = `${bytes} bytes in ${to}; keep signing-key.json elsewhere, it is not among them`;
    printResult(backup, { json: manifest, text });
  });

  const verify = group
    .command('verify')
    .description('check whether a backup could be restored')
    .argument('<folder>', 'folder of the backup');
  const { keyEncryptionKey } = SERVICE_SETTINGS;
  const where = addSettings(verify, prefix, { dataDirectory, keyEncryptionKey });
  verify.addHelpText(
    'after',
    `
The signature of its manifest, the digest of its database, its schema and its pages, and that the keys in the service's folder open what is
sealed in it. Nothing is changed, and nothing restored. Works while the service runs.

Example:
  $ ${name} backup verify /backup/${name}-monday --data-directory /var/lib/${name}`,
  );
  verify.action(async (folder: string) => {
    const { verifyBackup } = await import('../database/backup.ts');
    const { manifest, sealedValues } = await verifyBackup(await rules(), where(), folder);
    const { time, schemaVersion, files } = manifest;
    const sealed =
      sealedValues === 0 ? 'nothing is sealed in it' : `the keys open its ${sealedValues} sealed values`;
    const text = `a backup of ${time} with ${files['database.sqlite'].bytes} bytes of schema version ${schemaVersion}; ${sealed}`;
    printResult(verify, { json: { ...manifest, sealedValues }, text });
  });

  const restore = program.command('restore').description('put a backup into a folder without a database');
  const restored = addSettings(restore, prefix, { dataDirectory, from: folder('folder of the backup') });
  restore.addHelpText(
    'after',
    `
${consequences}
Put the service's signing-key.json into its folder first (mode 0600), and admin-token if operators are to keep theirs.

Example:
  $ ${name} restore --data-directory /var/lib/${name} --from /backup/${name}-monday`,
  );
  restore.action(async () => {
    const { dataDirectory: directory, from } = restored();
    const { restoreBackup } = await import('../database/backup.ts');
    const manifest = await restoreBackup(await rules(), directory, from);
    const text = `restored the database of ${manifest.time}; ${ended}`;
    printResult(restore, { json: manifest, text });
  });
}
