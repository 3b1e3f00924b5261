/** Rows that `calibrate` and `device` read: those of a file, by the features of a projection. */
import { COMMAND_CODES, readSignedFile } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { Projector, SignedProjection } from '@eigenveil/projection';
import { type CsvForm, type CsvRow, readFileBytes, readRowBatches } from '@eigenveil/statistics';
import type { Thumbprint } from '@eigenveil/task/schema';
import { calibrated } from '../../calibration/index.ts';
import type { ProjectionSettings } from '../settings.ts';

export interface RowSettings extends CsvForm {
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
  const bytes: AsyncIterable<Uint8Array> = data === '-' ? process.stdin : readFileBytes(data);
  const batches = readRowBatches(
    bytes,
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
