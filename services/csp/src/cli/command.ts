/** The command line eigenveil-csp. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { addSettings, createProgram, printResult } from '@eigenveil/command';
import { addBackupCommands } from '@eigenveil/server/backup-command';
import { addCheckCommand } from '@eigenveil/server/check-command';
import { addKeyCommands } from '@eigenveil/server/key-command';
import { addIdentityCommand, addServeCommand } from '@eigenveil/server/service-commands';
import { databaseFile, keyFile, SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { Digest } from '@eigenveil/wire/digest';
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
  addAudit(program);
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

function addAudit(program: Command): void {
  const audit = program.command('audit').description('what the secret keys of tasks were used for');
  const { dataDirectory } = SERVICE_SETTINGS;
  const show = audit.command('show').description('print the entries of the audit log, unverified');
  const shown = addSettings(show, PREFIX, { dataDirectory });
  show.action(async () => {
    const settings = shown();
    const { readAudit } = await import('../operate/audit.ts');
    const entries = readAudit(settings.dataDirectory);
    const lines = entries.map(({ sequence, time, taskId, operation, requestDigest, hash }) =>
      [sequence, time, taskId ?? '-', operation, requestDigest ?? '-', hash].join('  '),
    );
    printResult(show, { json: { entries }, text: lines.join('\n') });
  });

  const verify = audit
    .command('verify')
    .description('find entries of the audit log that were changed, removed or reordered');
  const configuration = addSettings(verify, PREFIX, {
    dataDirectory,
    noted: {
      schema: Digest.optional(),
      description: 'last hash of an earlier verification, which must be among the entries',
      placeholder: 'HASH',
    },
  });
  verify.addHelpText(
    'after',
    `
Note the last hash somewhere that the CSP's machine cannot change, and give it with --noted the next time: without it, nobody can see
that the latest entries were removed, or that the whole log was computed anew. Works while the service runs.`,
  );
  verify.action(async () => {
    const { noted, ...where } = configuration();
    const { readAudit, verifyAudit } = await import('../operate/audit.ts');
    const { entries, lastHash } = verifyAudit(readAudit(where.dataDirectory), noted);
    const text = `${entries.length} entries, none changed, removed or reordered; last hash ${lastHash}`;
    printResult(verify, { json: { entries: entries.length, lastHash }, text });
  });
}
