/** Gathers what the demo's page shows of one method: all rows reduced by the result and by the clear reference. */
import { join } from 'node:path';
import { Projector, reduceFile } from '@eigenveil/data-owner';
import type { Link } from '@eigenveil/projection';
import type { Projection } from '@eigenveil/wire';
import { readColumns } from './dataset.ts';
import { type ComparedTask, clearly } from './reference.ts';
import type { MethodFigures, Place } from './report.ts';

/**
 * Rows of `data` with their labels in the first two coordinates of both decompositions. Leaves files in `folder`.
 * @param basis what the task stands on
 */
export async function reducedRows(
  { task, projection, clear }: ComparedTask,
  basis: readonly ComparedTask[],
  data: string,
  label: string,
  folder: string,
): Promise<MethodFigures['rows']> {
  const placesBy = async (by: Projection, links: readonly Link[], name: string) => {
    const projector = new Projector(task, by, links);
    const out = join(folder, `${name}.csv`);
    await reduceFile(projector, data, out, { keptColumns: [label] });
    const rows = await readColumns(out, [label, ...projector.componentNames.slice(0, 2)]);
    return rows.map(([label, first, second]) => ({
      label: label!,
      place: (second === undefined ? [Number(first)] : [Number(first), Number(second)]) satisfies Place,
    }));
  };
  const [computed, inTheClear] = await Promise.all([
    placesBy(projection, basis, 'computed'),
    placesBy(clearly({ task, projection, clear }).projection, basis.map(clearly), 'clear'),
  ]);
  return computed.map(({ label, place }, i) => ({ label, computed: place, clear: inTheClear[i]!.place }));
}
