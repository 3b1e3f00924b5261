/** The work of the commands `calibrate`, `device` and `relying`. */
import {
  COMMAND_CODES,
  type Command,
  clippedByName,
  closing,
  printResult,
  readSignedFile,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { Projector, SignedProjection } from '@eigenveil/projection';
import { type CsvForm, type CsvRow, readFileBytes, readRowBatches } from '@eigenveil/statistics';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import type { Thumbprint } from '@eigenveil/task/ids';
import { calibrated } from '../calibrate.ts';
import { DeviceClient, type EnrolledDevice, type EnrolOptions } from '../device/client.ts';
import { DeviceHome } from '../device/home.ts';
import { UserId } from '../messages.ts';
import { RelyingClient, RelyingHome } from '../relying.ts';
import { addressOf, type ProjectionSettings } from './settings.ts';

interface RowSettings extends CsvForm {
  readonly data: string;
}

/**
 * Passes on rows as they are read, their values in the projector's order. Returns the number of rows that
 * were left out, since a cell is missing.
 */
export async function eachBatch(
  { task }: Projector,
  { data, ...form }: RowSettings,
  take: (rows: readonly CsvRow[]) => void | Promise<void>,
  keptColumns: readonly string[] = [],
): Promise<number> {
  let skippedRows = 0;
  const batches = readRowBatches(
    readFileBytes(data),
    { features: task.features, labellings: [] },
    {
      ...form,
      ignoredColumns: 'others',
      keptColumns,
      onSkippedRow() {
        skippedRows += 1;
      },
    },
  );
  for await (const batch of batches) if (batch.length > 0) await take(batch);
  return skippedRows;
}

export async function readEvidence(file: string): Promise<SignedProjection> {
  return readSignedFile('--projection', file, SignedProjection);
}

/** Finds the settings of a projection from the rows of a file whose column `user` says whose row each is. */
export async function calibrationOf(
  settings: RowSettings & {
    readonly projection: string;
    readonly cspThumbprint: Thumbprint;
    readonly user: string;
  },
  wishes: Parameters<typeof calibrated>[2],
): Promise<ProjectionSettings> {
  const { projection, cspThumbprint: csp, user, ...reading } = settings;
  const evidence = await readEvidence(projection);
  const users = new Map<string, number[][]>();
  const take = (rows: readonly CsvRow[]) => {
    for (const { values, kept } of rows) {
      const before = users.get(kept![0]!);
      if (before === undefined) users.set(kept![0]!, [values]);
      else before.push(values);
    }
  };
  await eachBatch(await Projector.open(evidence, csp), reading, take, [user]);
  if (users.size < 2)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--user" expected a column with two users at least',
    );
  return calibrated({ evidence, csp }, [...users.values()], wishes);
}

export { openProjection } from '@eigenveil/projection';
export { DeviceHome } from '../device/home.ts';

interface DeviceSettings {
  readonly home: string;
  readonly patienceSeconds: number;
}

export function openDevice({ home, patienceSeconds }: DeviceSettings): DeviceClient & AsyncDisposable {
  return closing(
    new DeviceClient({ home: new DeviceHome(home), patienceMilliseconds: 1000 * patienceSeconds }),
  );
}

/** Reads rows, enrols with them, and prints the outcome. */
export async function enrolWith(
  command: Command,
  settings: DeviceSettings & RowSettings,
  { evidence, csp }: Pick<EnrolOptions, 'evidence' | 'csp'>,
  enrol: (client: DeviceClient, rows: number[][]) => Promise<EnrolledDevice>,
): Promise<void> {
  const projector = await Projector.open(evidence, csp);
  const rows: number[][] = [];
  const skippedRows = await eachBatch(projector, settings, (batch) => {
    rows.push(...batch.map(({ values }) => values));
  });
  await using client = openDevice(settings);
  const { userId, clippedCells, isRepeat } = await enrol(client, rows);
  const clipped = tellOfRows(command, projector, clippedCells, skippedRows);
  printResult(command, {
    json: { user: userId, windows: rows.length, skippedRows, clipped, isRepeat },
    text: isRepeat
      ? `enrolled as ${userId} by this invitation before: nothing has changed`
      : `enrolled as ${userId} with ${rows.length} windows`,
  });
}

/**
 * Warns on standard error about cells and rows; returns the features of which cells were clipped, with their
 * number.
 */
export function tellOfRows(
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

export { RelyingHome } from '../relying.ts';

/** Returns a client of the service that speaks in the name of the application whose key is in `home`. */
export async function openClient(settings: {
  readonly home: string;
  readonly serviceUrl: string;
  readonly serviceCa?: string | undefined;
  readonly patienceSeconds: number;
}): Promise<RelyingClient & AsyncDisposable> {
  return closing(
    new RelyingClient({
      service: await addressOf(settings),
      key: await new RelyingHome(settings.home).signingKey(),
      patienceMilliseconds: 1000 * settings.patienceSeconds,
    }),
  );
}

/**
 * Reads the name of a user.
 * @throws ERR_CONFIGURATION
 */
export function userIdOf(text: string): UserId {
  const id = UserId.safeParse(text);
  if (!id.success)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"USER" expected up to 64 letters, digits and . _ ~ -, and no point at the beginning',
    );
  return id.data;
}
