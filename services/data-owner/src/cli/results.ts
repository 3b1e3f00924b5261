/** The commands of eigenveil-owner about a result: `project` and `verify`. */
import { addSettings, CSV_HELP } from '@eigenveil/command';
import type { Command } from 'commander';
import { PREFIX, PROJECT_SETTINGS, VERIFY_SETTINGS } from './settings.ts';

export function addProject(program: Command): void {
  const command = program
    .command('project [TASK]')
    .description('fetch the signed projection, or take it from a file, and reduce rows by it');
  const configuration = addSettings(command, PREFIX, PROJECT_SETTINGS);
  command.addHelpText(
    'after',
    `${CSV_HELP}

Reduced rows are written with commas and decimal points; columns that are kept come first. Of ridge, what is predicted is written in one column
of its name and "predicted_"; rows need not have that column. They are rows in other coordinates. No guarantee
of differential privacy covers them, whatever the task promises for the projection itself: do not publish them, keep them like the rows.

With --projection, the file's signatures are checked, but not whether this owner took part, which is for: eigenveil-owner verify.

With --wait, nothing is written before the result is there; if the task fails, or its data user cancels it, the command says so.

Example:
  $ eigenveil-owner project TASK --user-url https://user.example.org:8444 --wait --data rows.csv --keep id --out reduced.csv`,
  );
  command.action(async (id: string | undefined) => {
    const settings = configuration();
    const { projectRows } = await import('./actions/results.ts');
    await projectRows(command, settings, id);
  });
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify [TASK]')
    .description('check a result that was fetched before, without any service');
  const configuration = addSettings(command, PREFIX, VERIFY_SETTINGS);
  command.addHelpText(
    'after',
    `
Checks that the CSP has signed the task, has verified this owner's contribution among others, and has countersigned this projection and
no other: owners who see the same digest have the same result. It does not prove what the data user has added up.

With --csp-thumbprint, anybody checks the same by the CSP's key, without a folder of an owner; then nobody's contribution is looked for. With --json,
the task, the projection and what it stands on are printed as they were signed, for programs that need no cryptography of their own.

Example:
  $ eigenveil-owner verify TASK --evidence evidence.json
  $ eigenveil-owner verify --evidence evidence.json --csp-thumbprint THUMBPRINT --json`,
  );
  command.action(async (id: string | undefined) => {
    const settings = configuration();
    const { verifyEvidence } = await import('./actions/verify.ts');
    await verifyEvidence(command, settings, id);
  });
}
