/** The commands `device` of eigenveil-authenticator. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { addSettings, COMMAND_CODES, CSV_HELP, printResult } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { Thumbprint } from '@eigenveil/task/ids';
import type { Command } from 'commander';
import { z } from 'zod';
import { addressOf, CSP_THUMBPRINT, PATIENCE, PROJECTION, ROWS, SERVICE_ADDRESS } from './settings.ts';

const PREFIX = 'EIGENVEIL_DEVICE';

const SETTINGS = {
  home: {
    schema: z.string().min(1),
    description: "folder of the device's key, its frame and the projection",
    default: join(homedir(), '.eigenveil', 'device'),
    placeholder: 'DIR',
  },
  ...PATIENCE,
} as const;

const TOKEN = {
  schema: z
    .string()
    .regex(/^[\w-]{43}$/, 'expected a token as "eigenveil-authenticator relying invite" prints it'),
  description: 'one-time invitation; better in the environment than here',
  placeholder: 'TOKEN',
} as const;

export function addDevice(program: Command): void {
  const device = program
    .command('device')
    .description("what a device does: it holds one user's behaviour and is told no decision");
  addEnrol(device);
  addObserve(device);
  addRenew(device);
  addShow(device);
}

function addEnrol(device: Command): void {
  const command = device
    .command('enrol')
    .description("enrol with a one-time invitation and rows of this user's behaviour");
  const configuration = addSettings(command, PREFIX, {
    ...SETTINGS,
    ...SERVICE_ADDRESS,
    token: TOKEN,
    projection: PROJECTION,
    cspThumbprint: CSP_THUMBPRINT,
    ...ROWS,
  });
  command.addHelpText(
    'after',
    `${CSV_HELP}

Columns that are no feature of the projection are passed over. The projection's signatures are checked before a row is read. Rows leave the
device only reduced, and turned by a frame that is drawn now and never leaves: keep --home from everybody. If no answer comes, give the command again
with the same token and rows.

Example:
  $ ${PREFIX}_TOKEN=… eigenveil-authenticator device enrol --service-url https://auth.example.org:8445 \\
      --projection evidence.json --csp-thumbprint THUMBPRINT --data windows.csv`,
  );
  command.action(async () => {
    const { token, projection, cspThumbprint: csp, ...settings } = configuration();
    const service = await addressOf(settings);
    const { enrolWith, readEvidence } = await import('./actions.ts');
    const given = { evidence: await readEvidence(projection), csp };
    await enrolWith(command, settings, given, (client, rows) =>
      client.enrol({ service, token, ...given }, rows),
    );
  });
}

function addRenew(device: Command): void {
  const command = device
    .command('renew')
    .description('enrol again with a "relying invite --renew" invitation: another frame and template');
  const configuration = addSettings(command, PREFIX, {
    ...SETTINGS,
    token: TOKEN,
    projection: {
      ...PROJECTION,
      schema: PROJECTION.schema.optional(),
      description: `another projection: ${PROJECTION.description}`,
    },
    cspThumbprint: {
      ...CSP_THUMBPRINT,
      schema: Thumbprint.optional(),
      description: "with --projection: thumbprint of the CSP's key (default: as at the enrolment)",
    },
    ...ROWS,
  });
  command.addHelpText(
    'after',
    `${CSV_HELP}

The template before is deleted, and copies of it are of no use any more. Rows are needed again: the device keeps none.

Example:
  $ ${PREFIX}_TOKEN=… eigenveil-authenticator device renew --data windows.csv`,
  );
  command.action(async () => {
    const { token, projection, cspThumbprint, ...settings } = configuration();
    if (cspThumbprint !== undefined && projection === undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--csp-thumbprint" expected with "--projection"',
      );
    const { DeviceHome, enrolWith, readEvidence } = await import('./actions.ts');
    const before = await new DeviceHome(settings.home).enrolment();
    const csp = cspThumbprint ?? before.csp;
    const evidence = projection === undefined ? before.evidence : await readEvidence(projection);
    await enrolWith(command, settings, { evidence, csp }, (client, rows) =>
      client.renew(token, rows, { evidence, csp }),
    );
  });
}

function addObserve(device: Command): void {
  const command = device
    .command('observe')
    .description('send rows of what the user does now, in order and each once, until they end');
  const configuration = addSettings(command, PREFIX, { ...SETTINGS, ...ROWS });
  command.addHelpText(
    'after',
    `${CSV_HELP}

Rows are sent as they come, in a session that begins with the command and ends with it. Columns that are no feature of the projection are passed
over. The device is told no decision: those go to the relying application alone. A row is sent when its line has ended.

Example:
  $ eigenveil-authenticator device observe --data - < /dev/sensor`,
  );
  command.action(async () => {
    const settings = configuration();
    const { eachBatch, openDevice, tellOfRows } = await import('./actions.ts');
    await using client = openDevice(settings);
    const projector = await client.projector();
    let sent = 0;
    const skippedRows = await eachBatch(projector, settings, async (rows) => {
      await client.observe(rows.map(({ values }) => values));
      sent += rows.length;
    });
    const clipped = tellOfRows(command, projector, projector.clippedCells, skippedRows);
    printResult(command, { json: { sent, skippedRows, clipped }, text: `${sent} windows sent` });
  });
}

function addShow(device: Command): void {
  const command = device
    .command('show')
    .description('print who this device is, to whom, and by which projection');
  const configuration = addSettings(command, PREFIX, { home: SETTINGS.home });
  command.addHelpText(
    'after',
    `
Asks nobody. The frame is not shown.`,
  );
  command.action(async () => {
    const { DeviceHome, openProjection } = await import('./actions.ts');
    const home = new DeviceHome(configuration().home);
    const { userId, service, csp, evidence } = await home.enrolment();
    const { task, provenance, projection } = await openProjection(evidence, csp);
    const shown = {
      user: userId,
      device: (await home.signingKey()).thumbprint,
      service: service.url,
      task: task.id,
      projection: provenance.projectionDigest,
      components: projection.vectors.length,
      csp,
    };
    const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
    printResult(command, { json: shown, text: lines.join('\n') });
  });
}
