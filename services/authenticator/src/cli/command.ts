/** The command line eigenveil-authenticator. */
import { createProgram } from '@eigenveil/command';
import { addBackupCommands } from '@eigenveil/server/backup-command';
import { addKeyCommands } from '@eigenveil/server/key-command';
import { addCheckCommand, addIdentityCommand, addServeCommand } from '@eigenveil/server/service-commands';
import { databaseFile, keyFile, SERVICE_SETTINGS } from '@eigenveil/server/settings';
import type { Command } from 'commander';
import { addCalibrate } from './calibrate.ts';
import { addDevice } from './device.ts';
import { addRelying } from './relying.ts';
import { AUTHENTICATOR_SETTINGS } from './settings.ts';

const PREFIX = 'EIGENVEIL_AUTHENTICATOR';
const SERVE_EXAMPLE = `--config authenticator.json
  authenticator.json, with "projections" as calibrate prints them, and "relyingApplications" as: eigenveil-authenticator relying identity
  { "dataDirectory": "/var/lib/eigenveil-authenticator", "host": "0.0.0.0", "publicUrl": "https://auth.example.org:8445",
    "tlsCertificate": "fullchain.pem", "tlsKey": "privkey.pem", "relyingApplications": ["THUMBPRINT"], "projections": [{ … }] }`;

export function authenticatorProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-authenticator',
    version: '0.1.0',
    description:
      'Continuous authentication on reduced rows: the back end, and the parts of a relying application and of a device.',
  });
  addServeCommand(program, PREFIX, AUTHENTICATOR_SETTINGS, SERVE_EXAMPLE, async (configuration) => {
    const { startAuthenticator } = await import('../server.ts');
    return startAuthenticator(configuration);
  });
  addCheckCommand(program, PREFIX, AUTHENTICATOR_SETTINGS, async (configuration) => {
    const { checkAuthenticator } = await import('../check.ts');
    return checkAuthenticator(configuration);
  });
  addCalibrate(program, PREFIX);
  addIdentityCommand(
    program,
    PREFIX,
    "print the thumbprint of the service's identity key, by which a relying application knows its webhook's events",
  );
  const { dataDirectory, keyEncryptionKey } = SERVICE_SETTINGS;
  addKeyCommands(
    program,
    PREFIX,
    { dataDirectory, keyEncryptionKey },
    async (configuration) => {
      const { SqliteAuthenticatorStore } = await import('../store/sqlite-store.ts');
      return {
        keyFile: keyFile(configuration),
        dataDirectory: configuration.dataDirectory,
        open: () => new SqliteAuthenticatorStore(databaseFile(configuration.dataDirectory)),
      };
    },
    `A backup needs the key of its time: keep a copy of
the key file apart from the backup, and make another backup after a rotation.`,
  );
  addBackupCommands(program, PREFIX, async () => (await import('../backup.ts')).AUTHENTICATOR_BACKUP, {
    consequences: `Everybody is locked, since whoever was revoked or renewed after the backup is not known: the relying application unlocks whom it still
knows, and revokes again whom it had revoked. Put the key-encryption key of that time into the folder, too. Open invitations are void.`,
    holds: 'sealed templates and no key that opens them',
    ended: 'everybody is locked until the relying application unlocks them',
  });
  addRelying(program);
  addDevice(program);
  return program;
}
