/** The commands `relying` of eigenveil-authenticator. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { addSettings, COMMAND_CODES, onShutdown, printNote, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Command } from 'commander';
import { z } from 'zod';
import type { DecisionEvent, UserId } from '../messages.ts';
import type { RelyingClient } from '../relying/client.ts';
import type { RelyingHome } from '../relying/home.ts';
import { addressOf, PATIENCE, SERVICE_ADDRESS } from './client-settings.ts';

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

interface RelyingSettings {
  readonly home: string;
  readonly serviceUrl: string;
  readonly serviceCa?: string | undefined;
  readonly patienceSeconds: number;
}

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
    const { RelyingHome } = await import('../relying/home.ts');
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
    const invitation = await withRelying(settings, async (client) =>
      client.invite({ body: { userId: await userIdOf(user), purpose: renew ? 'renew' : 'enrol' } }),
    );
    printResult(command, { json: invitation, text: invitation.token });
    if (command.optsWithGlobals().json !== true)
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
    await withRelying(settings, async (client, home) => {
      const first = after ?? (await home.position());
      const stop = new AbortController();
      const release = onShutdown(['SIGINT', 'SIGTERM'], async () => stop.abort());
      const onMissed = () => printNote(command, MISSED);
      try {
        const events = follow
          ? client.follow({ after: first, signal: stop.signal, onMissed })
          : client.past({ after: first, signal: stop.signal, onMissed });
        for await (const event of events) {
          printResult(command, { json: event, text: lineOf(event) });
          await home.savePosition(event.sequence);
        }
      } finally {
        release();
      }
    });
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
    const status = await withRelying(configuration(), async (client) =>
      client.user({ userId: await userIdOf(user) }),
    );
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
    await withRelying(configuration(), async (client) =>
      client[name]({ userId: await userIdOf(user), body: { event } }),
    );
    printResult(command, { json: { [done]: user, event }, text: `${done} ${user}` });
  });
}

function addRevoke(relying: Command): void {
  const command = relying
    .command('revoke <USER>')
    .description("delete a user's template for good, and refuse the device");
  const configuration = addSettings(command, PREFIX, SETTINGS);
  command.action(async (user: string) => {
    await withRelying(configuration(), async (client) => client.revoke({ userId: await userIdOf(user) }));
    printResult(command, { json: { revoked: user }, text: `revoked ${user}` });
  });
}

async function withRelying<T>(
  settings: RelyingSettings,
  work: (client: RelyingClient, home: RelyingHome) => Promise<T>,
): Promise<T> {
  const [{ RelyingClient }, { RelyingHome }] = await Promise.all([
    import('../relying/client.ts'),
    import('../relying/home.ts'),
  ]);
  const home = new RelyingHome(settings.home);
  const client = new RelyingClient({
    service: await addressOf(settings),
    key: await home.signingKey(),
    patienceMilliseconds: 1000 * settings.patienceSeconds,
  });
  try {
    return await work(client, home);
  } finally {
    await client.close();
  }
}

async function userIdOf(text: string): Promise<UserId> {
  const { UserId } = await import('../messages.ts');
  const id = UserId.safeParse(text);
  if (!id.success)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"USER" expected up to 64 letters, digits and . _ ~ -, and no point at the beginning',
    );
  return id.data;
}
