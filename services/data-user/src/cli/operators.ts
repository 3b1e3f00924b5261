/**
 * The commands `operators` and `audit` of eigenveil-user, on the machine of the service, which may be
 * running. What an action works with is loaded when it runs: --help and mistakes are told at once.
 */
import { addSettings, COMMAND_CODES, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Command } from 'commander';
import { z } from 'zod';
import type { OperatorStore } from '../tasks/operators.ts';
import { DATA_USER_SETTINGS } from './settings.ts';

const DAY_MILLISECONDS = 24 * 3_600_000;

/** Where the data user keeps what it must not forget. */
const { dataDirectory, databaseUrl } = DATA_USER_SETTINGS;
const PLACE = { dataDirectory, databaseUrl };

export function addOperatorCommands(program: Command, prefix: string): void {
  const operators = program
    .command('operators')
    .description('who may operate the service beside admin, whose token is in the data directory');
  addAdd(operators, prefix);
  addList(operators, prefix);
  addRevoke(operators, prefix);
  const audit = program.command('audit').description('what operators did, in a log that shows changes');
  addAuditList(audit, prefix);
  addAuditVerify(audit, prefix);
}

function addAdd(operators: Command, prefix: string): void {
  const command = operators.command('add <NAME>').description('add an operator, and print its token once');
  const configuration = addSettings(command, prefix, {
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
    const { ADMIN, OperatorName } = await import('../tasks/operators.ts');
    const name = OperatorName.safeParse(given);
    if (!name.success || name.data === ADMIN)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"NAME" expected 1 to 32 small letters, digits, points, hyphens and underscores, and not ${ADMIN}`,
      );
    const { hashOneTimeToken, newOneTimeToken } = await import('@eigenveil/server');
    const token = newOneTimeToken();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + days * DAY_MILLISECONDS).toISOString();
    const added = { name: name.data, tokenHash: hashOneTimeToken(token), expiresAt };
    if (!(await withOperators(place, (store) => store.add(added, now))))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"NAME" expected nobody's: ${name.data} is an operator; revoke it first`,
      );
    printResult(command, { json: { name: name.data, token, expiresAt }, text: token });
  });
}

function addList(operators: Command, prefix: string): void {
  const command = operators.command('list').description('list operators, by name');
  const configuration = addSettings(command, prefix, PLACE);
  command.action(async () => {
    const found = await withOperators(configuration(), (store) => store.list());
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

function addRevoke(operators: Command, prefix: string): void {
  const command = operators
    .command('revoke <NAME>')
    .description('revoke an operator: its token and its sessions end at once');
  const configuration = addSettings(command, prefix, PLACE);
  command.action(async (name: string) => {
    if (!(await withOperators(configuration(), (store) => store.revoke(name, new Date()))))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"NAME" expected an operator who is not revoked, see: operators list; admin ends with another token in its file',
      );
    printResult(command, { json: { name, revoked: true }, text: 'revoked' });
  });
}

function addAuditList(audit: Command, prefix: string): void {
  const command = audit.command('list').description('print the entries of the audit log, unverified');
  const configuration = addSettings(command, prefix, PLACE);
  command.action(async () => {
    const { readOperatorLog } = await import('../store/open.ts');
    const entries = await readOperatorLog(configuration());
    const lines = entries.map(({ sequence, time, operator, operation, taskId, subject, hash }) =>
      [sequence, time, operator ?? '-', operation, taskId ?? '-', subject ?? '-', hash].join('  '),
    );
    printResult(command, { json: { entries }, text: lines.join('\n') });
  });
}

function addAuditVerify(audit: Command, prefix: string): void {
  const command = audit
    .command('verify')
    .description('find entries of the audit log that were changed, removed or reordered');
  const configuration = addSettings(command, prefix, {
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
that the latest entries were removed, or that the whole log was computed anew. Works while the service runs.`,
  );
  command.action(async () => {
    const { noted, ...place } = configuration();
    const [{ readOperatorLog }, { verifyOperatorLog }, { ADMIN }, { Digest }] = await Promise.all([
      import('../store/open.ts'),
      import('../tasks/operator-log.ts'),
      import('../tasks/operators.ts'),
      import('@eigenveil/wire/digest'),
    ]);
    const { entries, lastHash } = verifyOperatorLog(
      await readOperatorLog(place),
      ADMIN,
      Digest.optional().parse(noted),
    );
    const text = `${entries.length} entries, none changed, removed or reordered; last hash ${lastHash}`;
    printResult(command, { json: { entries: entries.length, lastHash }, text });
  });
}

async function withOperators<Result>(
  place: { readonly dataDirectory: string; readonly databaseUrl?: string | undefined },
  work: (store: OperatorStore) => Promise<Result>,
): Promise<Result> {
  const { openForCommand } = await import('../store/open.ts');
  const store = await openForCommand(place);
  return work(store.operators).finally(() => store.close());
}
