/** The jobs of the owner's worker with randomness that repeats, to be bundled for a browser. */
import { flatten } from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import { contribution, type ReadingOptions, read } from '../../src/owner/jobs.ts';
import { seeded } from './seeded.ts';

export interface Given {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly task: Task;
  readonly options: ReadingOptions;
  readonly publicKey: { readonly n: bigint; readonly h?: bigint };
  readonly seed: string;
}

const ignore = () => {};

/** Returns what is read from the file, and the contribution of it. Playwright carries no Map. */
export async function contributionOf({ bytes, name, task, options, publicKey, seed }: Given) {
  const file = new Blob([bytes]);
  const rows = await read({ kind: 'read', file, name, task, basis: [], options }, ignore);
  const values = flatten(task, rows.statistics);
  const job = { kind: 'contribute', task, publicKey, values } as const;
  const missingCells = [...rows.missingCells];
  return { rows: { ...rows, missingCells }, contribution: await contribution(job, ignore, seeded(seed)) };
}

/** What refuses the file. */
export function refusalOf(given: Given): Promise<string | undefined> {
  return contributionOf(given).then(
    () => undefined,
    ({ code, message }) => `${code} ${message}`,
  );
}
