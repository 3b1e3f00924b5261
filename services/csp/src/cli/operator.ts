/** The commands of eigenveil-csp for its operator: `owners`, `tokens`, `tasks`, `data-users` and `audit`. */
import { addSettings, COMMAND_CODES, printNote, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { TaskId, Thumbprint } from '@eigenveil/task/ids';
import { Digest } from '@eigenveil/wire/digest';
import { OwnerId } from '@eigenveil/wire/owner-id';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CspOperator } from '../operate/operator.ts';
import { CSP_SETTINGS } from './settings.ts';

const BESIDE = 'Works while the service runs, which sees it at once. The audit log notes it.';
const FOR_GOOD = `\nThis is for good: nothing takes it back. ${BESIDE} What begins with "-" goes behind "--".`;
const { dataDirectory } = SERVICE_SETTINGS;

export function addOperatorCommands(program: Command, prefix: string): void {
  addOwners(program.command('owners').description('enrolled data owners'), prefix);
  addTokens(program.command('tokens').description('one-time enrolment tokens'), prefix);
  addTasks(program.command('tasks').description('tasks that this CSP has agreed to'), prefix);
  addDataUsers(program.command('data-users').description('data users that may propose tasks'), prefix);
  addAudit(program.command('audit').description('what the secret keys of tasks were used for'), prefix);
}

function addOwners(group: Command, prefix: string): void {
  const list = group
    .command('list')
    .description('print the owners, with their last token and in how many open tasks they are');
  const listed = addSettings(list, prefix, {
    dataDirectory,
    revoked: { schema: z.boolean(), description: 'only those that were revoked', default: false },
  });
  list.action(async () => {
    const settings = listed();
    const { CspOperator, listOwners } = await import('../operate/operator.ts');
    using operator = CspOperator.at(settings.dataDirectory);
    const owners = operator.read((db) => listOwners(db, { onlyRevoked: settings.revoked }));
    printTable(list, 'owners', owners);
  });

  const revoke = group
    .command('revoke <OWNER...>')
    .description('refuse owners from now on, and take their records out of every task that is not fixed');
  const revoking = addSettings(revoke, prefix, { dataDirectory });
  revoke.addHelpText(
    'after',
    `
Data users hear of it within a minute, and drop what the owner has sent: this CSP has records only of tasks that are closed. A task whose set of records is fixed already is computed with it:
"tasks end" stops it. The owner can enrol again with a new key and a new token only.${FOR_GOOD}`,
  );
  revoke.action(async (ids: string[]) => {
    const owners = parsed('OWNER', OwnerId, ids);
    const settings = revoking();
    const { CspOperator } = await import('../operate/operator.ts');
    using operator = CspOperator.at(settings.dataDirectory);
    const result = operator.revokeOwners(owners);
    const { number, revoked, tasks } = result;
    const text = `${countOf(revoked.length, 'owner')} revoked${before(owners.length - revoked.length)}; records here taken from ${countOf(tasks.length, 'task')}; the list has number ${number}`;
    printResult(revoke, { json: result, text });
  });
}

function addTokens(group: Command, prefix: string): void {
  const list = group.command('list').description('print the tokens that can still be used, by their hashes');
  const listed = addSettings(list, prefix, {
    dataDirectory,
    all: { schema: z.boolean(), description: 'used and expired ones, too', default: false },
  });
  list.action(async () => {
    const { all, dataDirectory: folder } = listed();
    const { CspOperator, listTokens } = await import('../operate/operator.ts');
    using operator = CspOperator.at(folder);
    const tokens = operator.read((db) => listTokens(db, { all, now: new Date() }));
    printTable(list, 'tokens', tokens);
  });

  const revoke = group
    .command('revoke [TOKEN...]')
    .description('make enrolment tokens void before they are used; each is given as itself or by its hash');
  const revoking = addSettings(revoke, prefix, {
    dataDirectory,
    all: { schema: z.boolean(), description: 'all that are unused', default: false },
  });
  revoke.addHelpText('after', FOR_GOOD);
  revoke.action(async (tokens: string[]) => {
    const { all, dataDirectory: folder } = revoking();
    if (all === tokens.length > 0)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"tokens revoke" expected either tokens or --all',
      );
    const { CspOperator } = await import('../operate/operator.ts');
    using operator = CspOperator.at(folder);
    const revoked = all ? await operator.revokeAllTokens() : operator.revokeTokens([...new Set(tokens)]);
    printResult(revoke, { json: { revoked }, text: `${countOf(revoked, 'token')} revoked` });
  });
}

function addTasks(group: Command, prefix: string): void {
  const list = group.command('list').description('print the tasks that have not ended');
  const listed = addSettings(list, prefix, {
    dataDirectory,
    all: { schema: z.boolean(), description: 'those that have ended, too', default: false },
  });
  list.action(async () => {
    const { all, dataDirectory: folder } = listed();
    const { CspOperator, listTasks } = await import('../operate/operator.ts');
    using operator = CspOperator.at(folder);
    printTable(
      list,
      'tasks',
      operator.read((db) => listTasks(db, { all })),
    );
  });

  const end = group
    .command('end <TASK...>')
    .description('end tasks: keys, shares, answers and records are destroyed');
  const ending = addSettings(end, prefix, { dataDirectory });
  end.addHelpText(
    'after',
    `
A computation that runs is broken off within seconds, and the task fails at its data user, unless it has the result.${FOR_GOOD}`,
  );
  end.action(async (ids: string[]) => {
    const tasks = parsed('TASK', TaskId, ids);
    const settings = ending();
    const { CspOperator } = await import('../operate/operator.ts');
    using operator = CspOperator.at(settings.dataDirectory);
    const ended = operator.endTasks(tasks);
    await scrubAfter(end, operator);
    const text = `${countOf(ended.length, 'task')} ended${before(tasks.length - ended.length)}`;
    printResult(end, { json: { ended }, text });
  });
}

function addDataUsers(group: Command, prefix: string): void {
  const list = group
    .command('list')
    .description(
      'print the data users that the settings name, that have proposed a task or that were revoked',
    );
  const listed = addSettings(list, prefix, {
    dataDirectory,
    dataUsers: { ...CSP_SETTINGS.dataUsers, default: [] },
  });
  list.action(async () => {
    const { dataUsers: admitted, dataDirectory: folder } = listed();
    const { CspOperator, listDataUsers } = await import('../operate/operator.ts');
    using operator = CspOperator.at(folder);
    const dataUsers = operator.read((db) => listDataUsers(db, { admitted, now: new Date() }));
    printTable(list, 'dataUsers', dataUsers);
  });

  const revoke = group
    .command('revoke <THUMBPRINT>')
    .description('refuse a data user from now on, whatever the settings say, and end its tasks');
  const revoking = addSettings(revoke, prefix, { dataDirectory });
  revoke.addHelpText('after', FOR_GOOD);
  revoke.action(async (text: string) => {
    const [thumbprint] = parsed('THUMBPRINT', Thumbprint, [text]);
    const settings = revoking();
    const { CspOperator } = await import('../operate/operator.ts');
    using operator = CspOperator.at(settings.dataDirectory);
    const { isNew, ended } = operator.revokeDataUser(thumbprint!);
    await scrubAfter(revoke, operator);
    const what = isNew ? 'the data user is revoked' : 'the data user was revoked before';
    printResult(revoke, { json: { isNew, ended }, text: `${what}; ${countOf(ended.length, 'task')} ended` });
  });
}

function addAudit(audit: Command, prefix: string): void {
  const show = audit.command('show').description('print the entries of the audit log, unverified');
  const shown = addSettings(show, prefix, { dataDirectory });
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
  const configuration = addSettings(verify, prefix, {
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
that the latest entries were removed, or that the whole log was computed again. Works while the service runs.`,
  );
  verify.action(async () => {
    const { noted, ...where } = configuration();
    const { readAudit, verifyAudit } = await import('../operate/audit.ts');
    const { entries, lastHash } = verifyAudit(readAudit(where.dataDirectory), noted);
    const text = `${entries.length} entries, none changed, removed or reordered; last hash ${lastHash}`;
    printResult(verify, { json: { entries: entries.length, lastHash }, text });
  });
}

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const before = (others: number) => (others === 0 ? '' : `, ${others} before`);

async function scrubAfter(command: Command, operator: CspOperator): Promise<void> {
  if (await operator.scrub()) return;
  printNote(command, 'sealed copies remain in the log of the database until the service starts next');
}

/**
 * Checks an argument by a schema.
 * @throws ERR_CONFIGURATION
 */
function parsed<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  texts: readonly string[],
): z.output<Schema>[] {
  return [...new Set(texts)].map((text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${name}" expected an id as the list has it, got ${text}`,
    );
  });
}

/** Prints a line for each row, with all its members in their order; quotes hold texts with blanks together. */
function printTable(command: Command, name: string, rows: readonly object[]): void {
  const lines = rows.map((row) =>
    Object.entries(row)
      .map(
        ([member, value]) => `${member}=${/[\s"]/.test(`${value}`) ? JSON.stringify(value) : (value ?? '-')}`,
      )
      .join('  '),
  );
  printResult(command, { json: { [name]: rows }, text: lines.join('\n') });
}
