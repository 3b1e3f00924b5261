/** People to be recognised, from the laboratory's files. */
import { type People, peopleOf } from '@eigenveil/testbed/recognition/people';
import { readLaboratoryFile } from '../privacy/data.ts';

export * from '@eigenveil/testbed/recognition/people';

/** The people of a data set, see peopleOf. Undefined where the file is neither bundled nor in EIGENVEIL_DATA. */
export async function loadPeople(dataset: string): Promise<People | undefined> {
  const found = await readLaboratoryFile(dataset);
  return found && peopleOf(dataset, found.columns, found.lines);
}
