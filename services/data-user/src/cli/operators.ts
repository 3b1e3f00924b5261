/**
 * The commands `operators` and `audit` of eigenveil-user, on the machine of the service, which may be
 * running.
 */
import { addSettings, COMMAND_CODES, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Command } from 'commander';
import { z } from 'zod';
import { DATA_USER_SETTINGS, PREFIX } from './settings.ts';

/** The place where the data user keeps what it must not forget. */
const { dataDirectory, databaseUrl } = DATA_USER_SETTINGS;
const PLACE = { dataDirectory, databaseUrl };

export function addOperatorCommands(program: Command): void {
  const operators = program
    .command('operators')
    .description('who may operate the service beside admin, whose token is in the data directory');
  addAdd(operators);
  addList(operators);
  addRevoke(operators);
  const audit = program.command('audit').description('what operators did, in a log that shows changes');
  addAuditList(audit);
  addAuditVerify(audit);
}

function addAdd(operators: Command): void {
  const command = operators.command('add <NAME>').description('add an operator, and print its token once');
  const configuration = addSettings(command, PREFIX, {
    ...PLACE,
    days: {
      schema: z.int().min(1).max(3650),
      description: 'how long the token holds',
      default: 90,
      placeholder: 'NUMBER',
    },
  });
  command.addHelpText(
    'after',
    `
Give the token to the operator over a channel that you trust: it is printed once, and only its hash is kept. The operator signs in to the
console with it, or gives it to commands as EIGENVEIL_USER_ADMIN_TOKEN. An operator who is revoked, or whose token has expired, can be
added again.

Example:
  $ eigenveil-user operators add alice --days 30 --data-directory /var/lib/eigenveil-user`,
  );
  command.action(async (given: string) => {
    const { days, ...place } = configuration();
    const { addOperator } = await import('./actions/operators.ts');
    const { name, token, expiresAt } = await addOperator(place, given, days);
    printResult(command, { json: { name, token, expiresAt }, text: token });
  });
}

function addList(operators: Command): void {
  const command = operators.command('list').description('list operators, by name');
  const configuration = addSettings(command, PREFIX, PLACE);
  command.action(async () => {
    const place = configuration();
    const { openOperators } = await import('./actions/operators.ts');
    await using store = await openOperators(place);
    const found = await store.operators.list();
    const now = new Date().toISOString();
    const json = found.map(({ tokenHash, ...told }) => told);
    const lines = json.map(({ name, addedAt, expiresAt, revokedAt }) => {
      const end =
        revokedAt === null
          ? `${expiresAt <= now ? 'expired' : 'until'} ${expiresAt}`
          : `revoked ${revokedAt}`;
      return `${name}  added ${addedAt}, ${end}`;
    });
    printResult(command, { json: { operators: json }, text: lines.join('\n') || 'no operators but admin' });
  });
}

function addRevoke(operators: Command): void {
  const command = operators
    .command('revoke <NAME>')
    .description('revoke an operator: its token and its sessions end at once');
  const configuration = addSettings(command, PREFIX, PLACE);
  command.action(async (name: string) => {
    const place = configuration();
    const { openOperators } = await import('./actions/operators.ts');
    await using store = await openOperators(place);
    if (!(await store.operators.revoke(name, new Date())))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"NAME" expected an operator who is not revoked, see: operators list; admin ends with another token in its file',
      );
    printResult(command, { json: { name, revoked: true }, text: 'revoked' });
  });
}

function addAuditList(audit: Command): void {
  const command = audit.command('list').description('print the entries of the audit log, unverified');
  const configuration = addSettings(command, PREFIX, PLACE);
  command.action(async () => {
    const place = configuration();
    const { readOperatorLog } = await import('./actions/operators.ts');
    const entries = await readOperatorLog(place);
    const lines = entries.map(({ sequence, time, operator, operation, taskId, subject, hash }) =>
      [sequence, time, operator ?? '-', operation, taskId ?? '-', subject ?? '-', hash].join('  '),
    );
    printResult(command, { json: { entries }, text: lines.join('\n') });
  });
}

function addAuditVerify(audit: Command): void {
  const command = audit
    .command('verify')
    .description('find entries of the audit log that were changed, removed or reordered');
  const configuration = addSettings(command, PREFIX, {
    ...PLACE,
    noted: {
      schema: z
        .string()
        .regex(/^[A-Za-z0-9_-]{43}$/, 'expected a hash of 43 characters')
        .optional(),
      description: 'last hash of an earlier verification, which must be among the entries',
      placeholder: 'HASH',
    },
  });
  command.addHelpText(
    'after',
    `
Note the last hash somewhere that this machine cannot change, and give it with --noted the next time: without it, nobody can see
that the latest entries were removed, or that the whole log was computed again. Works while the service runs.`,
  );
  command.action(async () => {
    const { noted, ...place } = configuration();
    const { verifiedLog } = await import('./actions/operators.ts');
    const { entries, lastHash } = await verifiedLog(place, noted);
    const text = `${entries.length} entries, none changed, removed or reordered; last hash ${lastHash}`;
    printResult(command, { json: { entries: entries.length, lastHash }, text });
  });
}
