/** The command `task renew` of eigenveil-user. What its action works with is loaded when it runs: --help and mistakes are told at once. */
import { addSettings, printResult } from '@eigenveil/command';
import { TaskProposal } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { CLIENT_SETTINGS, PREFIX, taskIdOf, withClient } from './tasks.ts';

export function addRenew(task: Command): void {
  const command = task
    .command('renew <TASK>')
    .description('open the next task of a series: the same parameters, another key and deadline');
  const configuration = addSettings(command, PREFIX, {
    ...CLIENT_SETTINGS,
    deadline: {
      schema: TaskProposal.shape.deadline.optional(),
      description: 'deadline of the next task, UTC (default: as much time from now as TASK had)',
      placeholder: 'TIME',
    },
  });
  command.addHelpText(
    'after',
    `
TASK is the last task of the series, closed or at its end. DEADLINE is such as 2027-02-01T00:00:00Z, and at most 366 days ahead. Its renewal is made once: should no answer come, give the command again. Owners
whose policies agree to a series contribute to the next task by themselves (eigenveil-owner serve-series). Two results about nearly the
same rows tell more than each: see docs/privacy.md, "Series".

Example:
  $ eigenveil-user task renew TASK --deadline DEADLINE --url https://user.example.org:8444 --data-directory /var/lib/eigenveil-user`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const taskId = taskIdOf(id);
    const signed = await withClient(settings, (client) => client.renew(taskId, settings.deadline));
    printResult(command, { json: signed, text: signed.task.id });
  });
}
