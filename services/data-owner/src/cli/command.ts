/** The command line eigenveil-owner; its commands `enrol` and `page` are about no task. */
import { addSettings, createProgram, printResult } from '@eigenveil/command';
import { SUMS } from '@eigenveil/command/sums';
import { Thumbprint } from '@eigenveil/task/ids';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import { addBudget } from './budget.ts';
import { addContribute, addServeSeries, addSql } from './contribute.ts';
import { addProject, addVerify } from './results.ts';
import { address, OWNER_SETTINGS, PREFIX } from './settings.ts';
import { addShow, addWithdraw } from './task.ts';

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
    const { openOwner } = await import('./actions/owner.ts');
    await using session = await openOwner(settings);
    const { ownerId } = await session.owner.enrol(csp, token, cspThumbprint);
    printResult(command, { json: { ownerId }, text: `enrolled as ${ownerId}` });
  });
}

function addPage(program: Command): void {
  const command = program
    .command('page')
    .description("write the owners' page into a folder, for an organisation to host");
  const configuration = addSettings(command, PREFIX, {
    out: {
      schema: z.string().min(1),
      description: 'folder to write to, which must be empty or not there yet',
      placeholder: 'DIR',
    },
    csp: { schema: ServiceUrl, description: 'address of the CSP, https', placeholder: 'URL' },
    dataUser: {
      schema: z.array(ServiceUrl).min(1).max(32),
      description: 'address of the data user, https, or a JSON list of several',
      placeholder: 'URL',
    },
  });
  command.addHelpText(
    'after',
    `
The page can reach these services and no others. Its owners trust whoever hosts it: host it yourself, at an origin of its own, and have both
services allow that origin (--allowed-origins). The digest that is printed is the same for everybody who writes this release's page for the
same services. docs/owner-page.md has the headers that a host adds.

Example:
  $ eigenveil-owner page --out /var/www/owner --csp https://csp.example.org:8443 --data-user https://user.example.org:8444`,
  );
  command.action(async () => {
    const { out, csp, dataUser } = configuration();
    const { writeOwnerPage } = await import('../owner/hosted-page.ts');
    const { files, digest } = await writeOwnerPage(out, [csp, ...dataUser]);
    printResult(command, {
      json: { out, files, digest },
      text: `${files.join(', ')} written to ${out}\nSHA-256 of ${SUMS}: ${digest}`,
    });
  });
}
