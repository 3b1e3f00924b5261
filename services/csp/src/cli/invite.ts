/** The command `invite` of eigenveil-csp. */
import { addSettings, COMMAND_CODES, type Configuration, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { SERVICE_SETTINGS } from '@eigenveil/server/settings';
import { TaskId } from '@eigenveil/task/ids';
import { OwnerPageUrl } from '@eigenveil/wire/owner-link';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';

const HOURS = 3600;

const SETTINGS = {
  dataDirectory: SERVICE_SETTINGS.dataDirectory,
  count: {
    schema: z.int().min(1).max(100_000),
    description: 'how many',
    default: 1,
    placeholder: 'NUMBER',
  },
  hours: {
    schema: z.int().min(1).max(8760),
    description: 'how long they can be used',
    default: 72,
    placeholder: 'NUMBER',
  },
  page: {
    schema: OwnerPageUrl.optional(),
    description: "address of the owners' page, to print links to it instead of bare tokens",
    placeholder: 'URL',
  },
  publicUrl: {
    schema: SERVICE_SETTINGS.publicUrl.schema,
    description: 'in links: address under which owners reach this CSP',
    placeholder: 'URL',
  },
  dataUser: {
    schema: ServiceUrl.optional(),
    description: 'in links: address of the data user',
    placeholder: 'URL',
  },
  task: { schema: TaskId.optional(), description: 'in links: the task to look at', placeholder: 'TASK' },
  qr: {
    schema: z.boolean(),
    description: 'print each link as a QR code, too, light on a dark terminal',
    default: false,
  },
};

export function addInvite(program: Command, prefix: string): void {
  const command = program.command('invite').description('make one-time enrolment tokens for data owners');
  const configuration = addSettings(command, prefix, SETTINGS);
  command.addHelpText(
    'after',
    `
Give each owner one token over a channel that you trust, together with the CSP's identity (eigenveil-csp identity). A link (--page) has
both: whoever sees it first can enrol by it, once. Works while the service runs.

Examples:
  $ eigenveil-csp invite --data-directory /var/lib/eigenveil-csp --count 10 --hours 24
  $ eigenveil-csp invite --config csp.json --page https://owner.example.org/ --data-user https://user.example.org:8444 --qr`,
  );
  command.action(async () => {
    const settings = configuration();
    const { dataDirectory, count, hours, qr } = settings;
    const linked = linkedPage(settings);
    const { invitationLinks, inviteOwners, qrCode } = await import('../operate/enrolment-tokens.ts');
    const linkOf = linked && (await invitationLinks(dataDirectory, linked)); // before there is any token
    const tokens = await inviteOwners(dataDirectory, count, hours * HOURS);
    if (linkOf === null) {
      printResult(command, { json: { tokens }, text: tokens.join('\n') });
      return;
    }
    const links = tokens.map(linkOf);
    const text = links.map((link) => (qr ? `${link}\n\n${qrCode(link)}\n` : link));
    printResult(command, { json: { tokens, links }, text: text.join('\n') });
  });
}

/**
 * Returns the members of links besides the token; null where bare tokens are wanted.
 * @throws ERR_CONFIGURATION when something is missing
 */
function linkedPage({ page, publicUrl: csp, dataUser, task, qr }: Configuration<typeof SETTINGS>) {
  if (page === undefined) {
    if (dataUser !== undefined || task !== undefined || qr)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--data-user", "--task" and "--qr" expected with "--page"',
      );
    return null;
  }
  if (csp === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--page" expected with "--public-url", at which owners reach this CSP',
    );
  if (task !== undefined && dataUser === undefined)
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"--task" expected with "--data-user"');
  return { page, csp, dataUser, task };
}
