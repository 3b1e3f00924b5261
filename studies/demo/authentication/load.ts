/** Finds the file of a data set and reads its people. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { type People, peopleOf } from '@eigenveil/testbed/recognition/people';
import { readRecords } from '../dataset.ts';
import type { SetName } from './sets.ts';

const BUNDLED = fileURLToPath(new URL('../../../data', import.meta.url));

/**
 * Its people, by time.
 * @throws ERR_CONFIGURATION where the file is neither bundled nor in the folder EIGENVEIL_DATA
 */
export async function loadSet(name: SetName): Promise<People> {
  const folder = process.env.EIGENVEIL_DATA;
  const file = [BUNDLED, ...(folder === undefined ? [] : [folder])]
    .map((place) => join(place, `${name}.csv.gz`))
    .find(existsSync);
  if (file === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--dataset ${name}" is not bundled: expected ${name}.csv.gz in the folder that the variable EIGENVEIL_DATA names, ${folder === undefined ? 'which is not set' : `got ${folder}`}`,
    );
  const [columns, ...lines] = await readRecords(file);
  return peopleOf(name, columns!, lines);
}
