/** The command line eigenveil-user: the service and its tasks. */
import { createProgram } from '@eigenveil/command';
import { addBackupCommands } from '@eigenveil/server/backup-command';
import { addKeyCommands } from '@eigenveil/server/key-command';
import { addCheckCommand, addIdentityCommand, addServeCommand } from '@eigenveil/server/service-commands';
import type { Command } from 'commander';
import { addDraft } from './draft.ts';
import { addOperatorCommands } from './operators.ts';
import { DATA_USER_SETTINGS, PREFIX } from './settings.ts';
import { addTaskCommands } from './tasks.ts';

const SERVE_EXAMPLE = `--data-directory /var/lib/eigenveil-user --host 0.0.0.0 --port 8444 \\
      --public-url https://user.example.org:8444 --tls-certificate fullchain.pem --tls-key privkey.pem \\
      --csp-url https://csp.example.org:8443 --csp-thumbprint THUMBPRINT   # as printed by: eigenveil-csp identity`;

export function dataUserProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-user',
    version: '0.1.0',
    description:
      'The data user: proposes tasks, collects encrypted contributions, computes the projection with the CSP.',
  });
  addServeCommand(program, PREFIX, DATA_USER_SETTINGS, SERVE_EXAMPLE, async (configuration) => {
    const { startDataUser } = await import('../server.ts');
    return startDataUser(configuration);
  });
  addCheckCommand(program, PREFIX, DATA_USER_SETTINGS, async (configuration) => {
    const { checkDataUser } = await import('../check.ts');
    return checkDataUser(configuration);
  });
  addIdentityCommand(program, PREFIX, "print the thumbprint of the service's key, which the CSP registers");
  const { dataDirectory, keyEncryptionKey, databaseUrl } = DATA_USER_SETTINGS;
  const places = { dataDirectory, keyEncryptionKey, databaseUrl };
  addKeyCommands(program, PREFIX, places, async (configuration) => {
    const { keyPlaceOf } = await import('../store/open.ts');
    return keyPlaceOf(configuration);
  });
  addBackupCommands(
    program,
    PREFIX,
    async () => (await import('../backup.ts')).DATA_USER_BACKUP,
    {
      consequences: `Every task that the backup did not have as done or cancelled fails with ERR_TASK_RESTORED: contributions came later for which owners
have receipts. Propose such tasks again.`,
    },
    databaseUrl,
  );
  addOperatorCommands(program);
  const task = program.command('task').description('propose tasks and see them through');
  addDraft(task);
  addTaskCommands(task);
  return program;
}
