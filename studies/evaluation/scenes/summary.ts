/** A scene in numbers, for the result: what was evaluated, without a row of it. */
import type { SceneResult } from '../result.ts';
import type { Scene, SceneRow } from '../scene.ts';

export function summaryOf(scene: Scene): SceneResult {
  const { name, proposal, owners, outsiders, publicSample, utilityLabel, privateLabel } = scene;
  const rows = owners.flat();
  return {
    name,
    method: proposal.method.kind,
    twoParty: proposal.twoParty,
    features: proposal.features.length,
    components: proposal.components,
    epsilon: proposal.differentialPrivacy?.epsilon ?? null,
    owners: owners.length,
    rows: rows.length,
    people: peopleOf(rows),
    outsiderRows: outsiders.length,
    publicRows: publicSample.length,
    utilityLabel: utilityLabel ?? null,
    privateLabel: privateLabel ?? null,
  };
}

const peopleOf = (rows: readonly SceneRow[]): number => new Set(rows.map(({ person }) => person)).size;
