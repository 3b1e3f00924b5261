/** The work of the commands `device`. */
import {
  type Command,
  clippedByName,
  closing,
  printResult,
  warnOfClipped,
  warnOfRemarks,
} from '@eigenveil/command';
import { Projector } from '@eigenveil/projection';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { DeviceClient, type EnrolledDevice, type EnrolOptions } from '../../device/client.ts';
import { DeviceHome } from '../../device/home.ts';
import { eachBatch, type RowSettings } from './rows.ts';

export { openProjection } from '@eigenveil/projection';
export { DeviceHome } from '../../device/home.ts';
export { eachBatch, readEvidence } from './rows.ts';

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
