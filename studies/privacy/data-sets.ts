/** Which data sets the experiments of this folder run on, and which they leave out. */
import type { Asked, Omission } from '../instrument/study.ts';
import { type LaboratoryData, loadLaboratoryData, ownLaboratoryData, RANGES } from './data.ts';

/** The data sets of a run: the user's own, or those that are there; a quick run takes `quickSets` alone. `what` names in omissions what is measured. */
export async function dataSetsOf(
  { scale, own }: Asked,
  { what, quickSets }: { readonly what: string; readonly quickSets: readonly string[] },
): Promise<{ readonly sets: readonly LaboratoryData[]; readonly omissions: readonly Omission[] }> {
  if (own !== undefined) return { sets: [ownLaboratoryData(own)], omissions: [] };
  const sets: LaboratoryData[] = [];
  const omissions: Omission[] = [];
  for (const dataset of Object.keys(RANGES)) {
    const leaveOut = (why: string) => omissions.push({ what: `${what}, ${dataset}`, why });
    if (scale === 'quick' && !quickSets.includes(dataset)) {
      leaveOut('left to the full run');
      continue;
    }
    const data = await loadLaboratoryData(dataset);
    if (data === undefined) leaveOut(`${dataset} is not in the folder EIGENVEIL_DATA`);
    else sets.push(data);
  }
  return { sets, omissions };
}

/** The rows of a case: the user's own, or a data set of that name. */
export async function rowsOf(dataset: string, own: Asked['own']): Promise<LaboratoryData> {
  const data = own === undefined ? await loadLaboratoryData(dataset) : ownLaboratoryData(own);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  return data;
}
