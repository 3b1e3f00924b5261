/** The command line eigenveil-csp. */
import { createProgram } from '@eigenveil/command';
import { addBackupCommands } from '@eigenveil/server/backup-command';
import { addKeyCommands } from '@eigenveil/server/key-command';
import { addCheckCommand, addIdentityCommand, addServeCommand } from '@eigenveil/server/service-commands';
import { databaseFile, keyFile, SERVICE_SETTINGS } from '@eigenveil/server/settings';
import type { Command } from 'commander';
import { addInvite } from './invite.ts';
import { addOperatorCommands } from './operator.ts';
import { CSP_SETTINGS } from './settings.ts';

const PREFIX = 'EIGENVEIL_CSP';
const SERVE_EXAMPLE = `--data-directory /var/lib/eigenveil-csp --host 0.0.0.0 --port 8443 \\
      --public-url https://csp.example.org:8443 --tls-certificate fullchain.pem --tls-key privkey.pem \\
      --data-users THUMBPRINT              # as printed by: eigenveil-user identity`;

export function cspProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-csp',
    version: '0.1.0',
    description:
      'The crypto service provider: enrols owners, makes a Paillier key for each task, unblinds once.',
  });
  addServeCommand(program, PREFIX, CSP_SETTINGS, SERVE_EXAMPLE, async (configuration) => {
    const { startCsp } = await import('../server.ts');
    return startCsp(configuration);
  });
  addCheckCommand(program, PREFIX, CSP_SETTINGS, async (configuration) => {
    const { checkCsp } = await import('../check.ts');
    return checkCsp(configuration);
  });
  addInvite(program, PREFIX);
  addIdentityCommand(program, PREFIX, "print the thumbprint of the service's identity key, which others pin");
  addOperatorCommands(program, PREFIX);
  const { dataDirectory, keyEncryptionKey } = SERVICE_SETTINGS;
  addKeyCommands(program, PREFIX, { dataDirectory, keyEncryptionKey }, async (configuration) => {
    const { SqliteCspStore } = await import('../store/sqlite-store.ts');
    return {
      keyFile: keyFile(configuration),
      dataDirectory: configuration.dataDirectory,
      open: () => new SqliteCspStore(databaseFile(configuration.dataDirectory)),
    };
  });
  addBackupCommands(program, PREFIX, async () => (await import('../backup.ts')).CSP_BACKUP, {
    consequences: `Every task of the backup ends, since it may have been unblinded later, and every enrolment token that was unused is void. Owners that
have enrolled since must enrol again. Owners and data users that were revoked since are NOT revoked here any more: revoke them again before the
service starts. The audit log notes the restoration.`,
  });
  return program;
}
