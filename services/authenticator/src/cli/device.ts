/** The commands `device` of eigenveil-authenticator. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  addSettings,
  COMMAND_CODES,
  CSV_HELP,
  clippedByName,
  printResult,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { Projector } from '@eigenveil/projection';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { Thumbprint } from '@eigenveil/task/schema';
import type { Command } from 'commander';
import { z } from 'zod';
import type { DeviceClient, EnrolledDevice, EnrolOptions } from '../device/client.ts';
import { addressOf, PATIENCE, SERVICE_ADDRESS } from './client-settings.ts';
import {
  CSP_THUMBPRINT,
  eachBatch,
  PROJECTION,
  ROWS,
  type RowSettings,
  readEvidence,
} from './row-settings.ts';

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

interface DeviceSettings {
  readonly home: string;
  readonly patienceSeconds: number;
}

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
    const given = { evidence: await readEvidence(projection), csp };
    await enrolWith(command, settings, given, (client, rows) =>
      client.enrol({ service, token, ...given }, rows),
    );
  });
}

function addRenew(device: Command): void {
  const command = device
    .command('renew')
    .description('enrol anew with a "relying invite --renew" invitation: another frame and template');
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

The template before is deleted, and what anybody has of it is of no use any more. Rows are needed anew: the device keeps none.

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
    const { DeviceHome } = await import('../device/home.ts');
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
    await withDevice(settings, async (client) => {
      const projector = await client.projector();
      let sent = 0;
      const skippedRows = await eachBatch(projector, settings, async (rows) => {
        await client.observe(rows.map(({ values }) => values));
        sent += rows.length;
      });
      const clipped = tellOfRows(command, projector, projector.clippedCells, skippedRows);
      printResult(command, { json: { sent, skippedRows, clipped }, text: `${sent} windows sent` });
    });
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
    const { DeviceHome } = await import('../device/home.ts');
    const home = new DeviceHome(configuration().home);
    const { userId, service, csp, evidence } = await home.enrolment();
    const { openProjection } = await import('@eigenveil/projection');
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

/** Reads rows, enrols with them, and says what came of it. */
async function enrolWith(
  command: Command,
  settings: DeviceSettings & RowSettings,
  { evidence, csp }: Pick<EnrolOptions, 'evidence' | 'csp'>,
  enrol: (client: DeviceClient, rows: number[][]) => Promise<EnrolledDevice>,
): Promise<void> {
  const { Projector } = await import('@eigenveil/projection');
  const projector = await Projector.open(evidence, csp);
  const rows: number[][] = [];
  const skippedRows = await eachBatch(projector, settings, (batch) => {
    rows.push(...batch.map(({ values }) => values));
  });
  const { userId, clippedCells, isRepeat } = await withDevice(settings, (client) => enrol(client, rows));
  const clipped = tellOfRows(command, projector, clippedCells, skippedRows);
  printResult(command, {
    json: { user: userId, windows: rows.length, skippedRows, clipped, isRepeat },
    text: isRepeat
      ? `enrolled as ${userId} by this invitation before: nothing has changed`
      : `enrolled as ${userId} with ${rows.length} windows`,
  });
}

/** Warnings on standard error; returns the features of which cells were clipped, with their number. */
function tellOfRows(
  command: Command,
  { featureNames }: Projector,
  clippedCells: readonly number[],
  skippedRows: number,
): Record<string, number> {
  const clipped = clippedByName(featureNames, clippedCells);
  warnOfRemarks(command, toldOfSkipped(skippedRows));
  warnOfClipped(command, clipped);
  return clipped;
}

async function withDevice<T>(
  { home, patienceSeconds }: DeviceSettings,
  work: (client: DeviceClient) => Promise<T>,
): Promise<T> {
  const [{ DeviceClient }, { DeviceHome }] = await Promise.all([
    import('../device/client.ts'),
    import('../device/home.ts'),
  ]);
  const client = new DeviceClient({
    home: new DeviceHome(home),
    patienceMilliseconds: 1000 * patienceSeconds,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
