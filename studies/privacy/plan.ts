/** Which data sets the experiments of the laboratory run on, and which they leave out. */
import type { Omission, Plan, Scale, Unit } from '../instrument/unit.ts';
import { type LaboratoryData, loadLaboratoryData, RANGES } from './data.ts';

/** The units of every data set that is there; a quick run takes `quickSets` alone. `what` names in omissions what is measured. */
export async function planDataSets(
  scale: Scale,
  { what, quickSets }: { readonly what: string; readonly quickSets: readonly string[] },
  unitsOf: (data: LaboratoryData) => readonly Unit[],
): Promise<Plan> {
  const units: Unit[] = [];
  const omissions: Omission[] = [];
  for (const dataset of Object.keys(RANGES)) {
    const leaveOut = (why: string) => omissions.push({ what: `${what}, ${dataset}`, why });
    if (scale === 'quick' && !quickSets.includes(dataset)) {
      leaveOut('left to the full run');
      continue;
    }
    const data = await loadLaboratoryData(dataset);
    if (data === undefined) leaveOut(`${dataset} is not in the folder EIGENVEIL_DATA`);
    else units.push(...unitsOf(data));
  }
  return { units, omissions };
}
