/** Time of an owner's reading, discretising and summing against the number of its rows. */
import { stat } from 'node:fs/promises';
import { layout } from '@eigenveil/statistics';
import type { Tidy } from '../../instrument/tidy.ts';
import { EXAMPLE_OWNERS } from '../example-task.ts';
import { FEATURES, KEY_BITS, repeated, sumRows, sweepTask, timed, withRows } from './sweep.ts';

interface SamplesRequest {
  readonly rows: number;
  readonly repetitions: number;
}

export function measureSamples(
  { rows, repetitions }: SamplesRequest,
  note: (text: string) => void,
): Promise<Tidy[]> {
  const task = sweepTask({ features: FEATURES, owners: EXAMPLE_OWNERS, samplesPerOwner: rows });
  const ciphertexts = layout(task).plaintexts.length;
  return withRows({ rows, features: FEATURES }, async (file) => {
    const times = await repeated(repetitions, async (repetition) => {
      note(`${repetition} of ${repetitions}`);
      const { milliseconds } = await timed(() => sumRows(task, file));
      return { 'owner/sum': milliseconds };
    });
    const contributionBytes = (ciphertexts * 2 * KEY_BITS) / 8;
    const { size: fileBytes } = await stat(file);
    return times.map((one) => ({ ...one, ciphertexts, contributionBytes, fileBytes }));
  });
}
