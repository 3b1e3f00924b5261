/** The commands of eigenveil-owner about a task, without its rows: `show` and `withdraw`. */
import { addSettings, printResult } from '@eigenveil/command';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  address,
  DATA_USER_ADDRESS,
  DATASET_SETTING,
  OWNER_SETTINGS,
  PREFIX,
  TASK_SETTINGS,
  taskIdOf,
} from './settings.ts';

export function addShow(program: Command): void {
  const command = program
    .command('show <TASK>')
    .description('show what a task reveals and to whom, and whether the policy takes it');
  const configuration = addSettings(command, PREFIX, { ...TASK_SETTINGS, ...DATASET_SETTING });
  command.addHelpText(
    'after',
    `
Fetches the task, with what it stands on, and checks the signatures of the CSP that this owner has enrolled at. No row is read, and nothing is
sent but these requests. Where the policy refuses the task, every broken rule is shown with the line that would take it: think before you write it.
The exit code is 0 either way; with --json, "policy.takes" tells.

Example:
  $ eigenveil-owner show TASK --user-url https://user.example.org:8444 --policy policy.json`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { printTask } = await import('./actions/task.ts');
    await printTask(command, settings, id);
  });
}

export function addWithdraw(program: Command): void {
  const command = program
    .command('withdraw <TASK>')
    .description('withdraw from a task that is still open, for good');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    ...DATA_USER_ADDRESS,
    cspUrl: {
      schema: ServiceUrl.optional(),
      description: 'address of the CSP, which is told too (default: as at the enrolment)',
      placeholder: 'URL',
    },
    cspCa: {
      schema: z.string().optional(),
      description: "certificates to trust instead of the system's, PEM",
      placeholder: 'FILE',
    },
    insist: {
      schema: z.boolean(),
      description: 'tell the CSP, too, if the data user refuses or does not answer',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `
From now on this owner contributes nothing more to the task. If no answer comes, give the command again. With --insist the CSP does not
count this owner's record, whatever the data user says. If the data user has used the contribution, the task then fails for all.`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { userUrl, userCa, cspUrl, cspCa, insist } = settings;
    const dataUser = await address(userUrl, userCa);
    const csp = cspUrl === undefined ? undefined : await address(cspUrl, cspCa, '--csp-ca');
    const { openOwner } = await import('./actions/owner.ts');
    await using session = await openOwner(settings);
    const confirmed = await session.owner.withdraw(dataUser, taskIdOf(id), { csp, insist });
    printResult(command, {
      json: { withdrawn: id, confirmed },
      text: confirmed
        ? `withdrawn from ${id}`
        : `withdrawn from ${id} at the CSP, without the data user: if it uses the contribution, the task fails`,
    });
  });
}
