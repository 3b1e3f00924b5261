/** Small histogram tasks over a scene's features, by any strategy, for experiments. */
import type { HistogramParameters } from '@eigenveil/methods';
import { DAY_MILLISECONDS, type DifferentialPrivacy, TaskProposal } from '@eigenveil/task';
import type { Scene, SceneRow } from '../../scene.ts';

/** Joint noise has something to hide in either. */
const FEATURES = 2;
const HEIGHT = 3;

export const STRATEGIES = [
  { kind: 'histogram', height: HEIGHT, strategy: 'flat' },
  { kind: 'histogram', height: HEIGHT, strategy: 'tree', fanouts: [2, 4] },
  { kind: 'histogram', height: HEIGHT, strategy: 'privelet' },
] as const satisfies readonly HistogramParameters[];

/** Returns why such tasks cannot be made of a scene. */
export function tooFewRanges({ proposal }: Scene): string | undefined {
  return varying(proposal).length < FEATURES ? `fewer than ${FEATURES} features that vary` : undefined;
}

/** A task of the scene's first features that vary, each with bins of its own. */
export function histogramProposal(
  { proposal }: Pick<Scene, 'proposal'>,
  method: HistogramParameters,
  privacy: Pick<DifferentialPrivacy, 'epsilon' | 'delta' | 'neighbours'>,
): TaskProposal {
  return TaskProposal.parse({
    method,
    features: varying(proposal)
      .slice(0, FEATURES)
      .map(({ name, min, max }) => ({ name, min, max })),
    components: 0,
    twoParty: 'linear',
    minimumOwners: 2,
    maximumOwners: 4,
    maximumSamplesPerOwner: 1000,
    keyBits: 1024,
    allowInsecureKey: true,
    differentialPrivacy: { ...privacy, clippingNorm: null, dataIndependentRanges: true },
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
  });
}

/** A row in the first or in the last bin of every feature: no two are farther apart in the sums, of any strategy here. */
export function rowAt({ features }: TaskProposal, end: 'min' | 'max'): SceneRow {
  return { values: features.map((feature) => feature[end]), labels: {}, person: 'canary' };
}

function varying({ features }: TaskProposal) {
  return features.filter(({ min, max }) => min < max);
}
