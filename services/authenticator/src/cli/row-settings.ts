/** How the commands of a device are told where rows and projection are, and how rows are read. */
import { readSignedFile } from '@eigenveil/command';
import type { Projector, SignedProjection } from '@eigenveil/projection';
import type { CsvForm, CsvRow } from '@eigenveil/statistics';
import { CSV_OPTIONS } from '@eigenveil/statistics/reading-options';
import { Thumbprint } from '@eigenveil/task/schema';
import { z } from 'zod';

export const ROWS = {
  data: {
    schema: z.string().min(1),
    description: 'CSV file of windows with a header row, also in a gzip archive; - for standard input',
    placeholder: 'FILE',
  },
  ...CSV_OPTIONS,
} as const;

export const PROJECTION = {
  schema: z.string(),
  description: 'file that "eigenveil-owner project --evidence" has written',
  placeholder: 'FILE',
} as const;

export const CSP_THUMBPRINT = {
  schema: Thumbprint,
  description: "thumbprint of the CSP's key, learnt over a channel that you trust",
  placeholder: 'THUMBPRINT',
} as const;

export interface RowSettings extends CsvForm {
  readonly data: string;
}

/** Takes rows as they are read, their values in the projector's order. Returns how many were left out, since a cell is missing. */
export async function eachBatch(
  { task }: Projector,
  { data, ...form }: RowSettings,
  take: (rows: readonly CsvRow[]) => void | Promise<void>,
  keptColumns: readonly string[] = [],
): Promise<number> {
  const { readFileBytes, readRowBatches } = await import('@eigenveil/statistics');
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
  const { SignedProjection } = await import('@eigenveil/projection');
  return readSignedFile('--projection', file, SignedProjection);
}
