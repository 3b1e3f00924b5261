/** The command line eigenveil-owner. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { addSettings, createProgram, printResult } from '@eigenveil/command';
import { Thumbprint } from '@eigenveil/task/schema';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import { addBudget } from './budget.ts';
import { addContribute } from './contribute.ts';
import { addPage } from './page.ts';
import { addProject, addVerify } from './results.ts';
import { addServeSeries } from './series.ts';
import {
  address,
  DATA_USER_ADDRESS,
  OWNER_SETTINGS,
  PREFIX,
  readPolicy,
  taskIdOf,
  withOwner,
} from './settings.ts';
import { addShow } from './show.ts';
import { addSql } from './sql.ts';

export function ownerProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-owner',
    version: '0.1.0',
    description:
      'The data owner: contributes encrypted statistics of its rows, and reduces rows by the projection.',
  });
  addEnrol(program);
  addShow(program);
  addContribute(program);
  addBudget(program);
  addServeSeries(program);
  addSql(program);
  addWithdraw(program);
  addProject(program);
  addVerify(program);
  addPage(program);
  return program;
}

function addEnrol(program: Command): void {
  const command = program.command('enrol').description('enrol at the CSP with a one-time token');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    cspUrl: { schema: ServiceUrl, description: 'address of the CSP, https', placeholder: 'URL' },
    cspCa: {
      schema: z.string().optional(),
      description: "certificates to trust instead of the system's, PEM",
      placeholder: 'FILE',
    },
    cspThumbprint: {
      schema: Thumbprint,
      description: "thumbprint of the CSP's identity key, learnt over a channel that you trust",
      placeholder: 'THUMBPRINT',
    },
    token: {
      schema: z.string().min(20, 'expected a token as "eigenveil-csp invite" prints it'),
      description: 'one-time enrolment token; better in the environment than here',
      placeholder: 'TOKEN',
    },
  });
  command.addHelpText(
    'after',
    `
Enrolling again, with another token, keeps the owner id and renews the owner token. Several owners on one machine need a
--home each; keep a copy of it, for it holds the key and the receipts.

Example:
  $ ${PREFIX}_TOKEN=… eigenveil-owner enrol --csp-url https://csp.example.org:8443 --csp-thumbprint THUMBPRINT`,
  );
  command.action(async () => {
    const settings = configuration();
    const { cspUrl, cspCa, cspThumbprint, token } = settings;
    const csp = await address(cspUrl, cspCa, '--csp-ca');
    const { ownerId } = await withOwner(settings, await readPolicy(), (owner) =>
      owner.enrol(csp, token, cspThumbprint),
    );
    printResult(command, { json: { ownerId }, text: `enrolled as ${ownerId}` });
  });
}

function addWithdraw(program: Command): void {
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
    const confirmed = await withOwner(settings, await readPolicy(), (owner) =>
      owner.withdraw(dataUser, taskIdOf(id), { csp, insist }),
    );
    printResult(command, {
      json: { withdrawn: id, confirmed },
      text: confirmed
        ? `withdrawn from ${id}`
        : `withdrawn from ${id} at the CSP, without the data user: if it uses the contribution, the task fails`,
    });
  });
}
