/** The commands `relying` of eigenveil-authenticator. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  addSettings,
  COMMAND_CODES,
  isJson,
  printNote,
  printResult,
  untilInterrupted,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Command } from 'commander';
import { z } from 'zod';
import type { DecisionEvent } from '../messages.ts';
import { PATIENCE, SERVICE_ADDRESS } from './settings.ts';

const PREFIX = 'EIGENVEIL_RELYING';

const HOME = {
  home: {
    schema: z.string().min(1),
    description: "folder of the application's key, and of up to where it has read decisions",
    default: join(homedir(), '.eigenveil', 'relying'),
    placeholder: 'DIR',
  },
} as const;

const SETTINGS = { ...HOME, ...SERVICE_ADDRESS, ...PATIENCE } as const;

const EXAMPLE_URL = '--service-url https://auth.example.org:8445';

export function addRelying(program: Command): void {
  const relying = program
    .command('relying')
    .description('what a relying application does: it alone is told decisions');
  addIdentity(relying);
  addInvite(relying);
  addDecisions(relying);
  addUser(relying);
  addAnswer(relying, 'confirm', 'let a user go on who has proved in another way who they are', 'confirmed');
  addAnswer(
    relying,
    'unlock',
    'end a lock; the user is at a step-up then, until a session is confirmed',
    'unlocked',
  );
  addRevoke(relying);
}

function addIdentity(relying: Command): void {
  const command = relying
    .command('identity')
    .description(
      "print the thumbprint of the application's key, for the service's setting relyingApplications",
    );
  const configuration = addSettings(command, PREFIX, HOME);
  command.action(async () => {
    const { RelyingHome } = await import('./actions.ts');
    const { thumbprint, publicJwk } = await new RelyingHome(configuration().home).signingKey();
    printResult(command, { json: { thumbprint, publicKey: publicJwk }, text: thumbprint });
  });
}

function addInvite(relying: Command): void {
  const command = relying
    .command('invite <USER>')
    .description('make a one-time invitation for a device of a user');
  const configuration = addSettings(command, PREFIX, {
    ...SETTINGS,
    renew: {
      schema: z.boolean(),
      description: 'for a user who is enrolled already: another frame, template or device',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `
USER is any name of up to 64 letters, digits and . _ ~ - ; one that says nothing about the person is best. Give the token to that user's device over
a channel that you trust: whoever has it enrols in the user's place.

Example:
  $ eigenveil-authenticator relying invite u-4711 ${EXAMPLE_URL}`,
  );
  command.action(async (user: string) => {
    const { renew, ...settings } = configuration();
    const { openClient, userIdOf } = await import('./actions.ts');
    await using client = await openClient(settings);
    const purpose = renew ? 'renew' : 'enrol';
    const invitation = await client.invite({ body: { userId: userIdOf(user), purpose } });
    printResult(command, { json: invitation, text: invitation.token });
    if (!isJson(command))
      printNote(
        command,
        `note: for one device, until ${invitation.expiresAt}; earlier ones of ${user} are void`,
      );
  });
}

function addDecisions(relying: Command): void {
  const command = relying
    .command('decisions')
    .description('print decisions that have not been printed yet, one a line');
  const configuration = addSettings(command, PREFIX, {
    ...SETTINGS,
    follow: { schema: z.boolean(), description: 'go on until Ctrl-C, as decisions come', default: false },
    after: {
      schema: z.int().min(0).optional(),
      description: 'sequence behind which to begin (default: the last one that was printed)',
      placeholder: 'NUMBER',
    },
  });
  command.addHelpText(
    'after',
    `
A decision holds until the next one of its user. Give its sequence to confirm or unlock. With --json each line is one object. If the command is
killed, it may print its last decision once more the next time, and loses none.

Example:
  $ eigenveil-authenticator relying decisions --follow ${EXAMPLE_URL}`,
  );
  command.action(async () => {
    const { follow, after, ...settings } = configuration();
    const { openClient, RelyingHome } = await import('./actions.ts');
    const home = new RelyingHome(settings.home);
    await using client = await openClient(settings);
    const first = after ?? (await home.position());
    using interrupted = untilInterrupted();
    const options = {
      after: first,
      signal: interrupted.signal,
      onMissed: () => printNote(command, MISSED),
    };
    for await (const event of follow ? client.follow(options) : client.past(options)) {
      printResult(command, { json: event, text: lineOf(event) });
      await home.savePosition(event.sequence);
    }
  });
}

const MISSED =
  'warning: decisions were missed that are kept no longer: ask for each user with "relying user"';

const lineOf = ({ sequence, time, userId, decision, reason }: DecisionEvent) =>
  [sequence, time, userId, decision, reason].join('  ');

function addUser(relying: Command): void {
  const command = relying.command('user <USER>').description('print what the service knows of a user');
  const configuration = addSettings(command, PREFIX, SETTINGS);
  command.action(async (user: string) => {
    const settings = configuration();
    const { openClient, userIdOf } = await import('./actions.ts');
    await using client = await openClient(settings);
    const status = await client.user({ userId: userIdOf(user) });
    const lines = Object.entries(status).map(([name, value]) => `${name}: ${value}`);
    printResult(command, { json: status, text: lines.join('\n') });
  });
}

function addAnswer(relying: Command, name: 'confirm' | 'unlock', description: string, done: string): void {
  const command = relying.command(`${name} <USER> <SEQUENCE>`).description(description);
  const configuration = addSettings(command, PREFIX, SETTINGS);
  command.addHelpText(
    'after',
    `
SEQUENCE is that of the user's last decision, which this answers. If there has been another one meanwhile, the answer is refused: look at it first.

Example:
  $ eigenveil-authenticator relying ${name} u-4711 42 ${EXAMPLE_URL}`,
  );
  command.action(async (user: string, sequence: string) => {
    if (!/^[1-9]\d{0,14}$/.test(sequence))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"SEQUENCE" expected the number of a decision, as "relying decisions" prints it',
      );
    const event = Number(sequence);
    const settings = configuration();
    const { openClient, userIdOf } = await import('./actions.ts');
    await using client = await openClient(settings);
    await client[name]({ userId: userIdOf(user), body: { event } });
    printResult(command, { json: { [done]: user, event }, text: `${done} ${user}` });
  });
}

function addRevoke(relying: Command): void {
  const command = relying
    .command('revoke <USER>')
    .description("delete a user's template for good, and refuse the device");
  const configuration = addSettings(command, PREFIX, SETTINGS);
  command.action(async (user: string) => {
    const settings = configuration();
    const { openClient, userIdOf } = await import('./actions.ts');
    await using client = await openClient(settings);
    await client.revoke({ userId: userIdOf(user) });
    printResult(command, { json: { revoked: user }, text: `revoked ${user}` });
  });
}
