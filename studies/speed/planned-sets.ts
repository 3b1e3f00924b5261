/** Data sets that a benchmark plans, and what it plans with the user's own rows in their place. */
import type { OwnData } from '../instrument/own-data.ts';
import type { Omission } from '../instrument/study.ts';
import { dataFile } from './decompositions.ts';

/** The sets of `wanted` whose data sets are there; the others are named as what is left out. */
export async function setsThere<Wanted extends { readonly dataset: string }>(
  wanted: readonly Wanted[],
): Promise<{ readonly sets: readonly Wanted[]; readonly omissions: readonly Omission[] }> {
  const absent = new Set<string>();
  for (const dataset of new Set(wanted.map((it) => it.dataset)))
    if ((await dataFile(dataset)) === undefined) absent.add(dataset);
  return {
    sets: wanted.filter(({ dataset }) => !absent.has(dataset)),
    omissions: [...absent].map((what) => ({ what, why: 'it is not in the folder EIGENVEIL_DATA' })),
  };
}

/** A PCA and a DCA of the user's own rows, with as many components as are usual for that number of features and classes. */
export function ownDecompositions({ name, columns, classes }: OwnData) {
  const most = columns.length - 1;
  return [
    { method: 'pca', dataset: name, components: Math.min(15, most) },
    { method: 'dca', dataset: name, components: Math.min(classes.length - 1, most) },
  ] as const;
}
