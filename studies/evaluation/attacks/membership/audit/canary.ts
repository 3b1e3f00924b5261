/** The task that an audit runs, and the worst rows that there are for it. */
import { defaultClippingNorm } from '@eigenveil/privacy';
import { type DifferentialPrivacy, TaskProposal } from '@eigenveil/task';
import type { Scene, SceneRow } from '../../../scene.ts';
import { PROMISE, type Relation } from './audits.ts';
import type { Neighbours } from './stage.ts';

export const KINDS = ['pca', 'dca'] as const;
export type Kind = (typeof KINDS)[number];

/** Noise is drawn value by value, and two features have room for the worst rows. More would only take longer. */
const FEATURES = 2;

const LABEL = 'class';
const CLASSES = ['0', '1'];

/** With `owners`: those whose noise the others, who look together, do not know. */
export const HONEST_OWNERS = 2;

/** The scene's task in its first two features that vary, with made-up classes, and what is promised. */
export function auditedProposal(
  { proposal }: Pick<Scene, 'proposal'>,
  kind: Kind,
  neighbours: Relation,
  noise: DifferentialPrivacy['noise'],
): TaskProposal {
  const features = proposal.features.filter(({ min, max }) => min < max).slice(0, FEATURES);
  return TaskProposal.parse({
    ...proposal,
    features,
    method: kind === 'pca' ? { kind } : { kind, form: 'standard', ridge: 1, signalRidge: 0 },
    labellings: kind === 'pca' ? [] : [{ column: LABEL, classes: CLASSES }],
    components: 1,
    outputs: [],
    twoParty: 'garbled',
    differentialPrivacy: {
      ...{ epsilon: PROMISE.epsilon, delta: PROMISE.dpDelta, neighbours, noise },
      honestOwners: noise === 'owners' ? HONEST_OWNERS : null,
      clippingNorm: defaultClippingNorm(FEATURES),
      dataIndependentRanges: true,
    },
  });
}

/** Cosine of the angle of two rows that replace each other and move the statistics most: docs/privacy.md, "Sensitivity". */
const WORST_COSINE = { pca: -1 / 8, dca: 0 } as const;

/**
 * Rows of the longest length that clipping leaves, in the directions that are easiest to distinguish; of two classes for DCA. The first is in a corner, far beyond what is
 * clipped.
 */
export function worstNeighbours(proposal: TaskProposal, kind: Kind): Neighbours {
  const { neighbours, clippingNorm } = proposal.differentialPrivacy!;
  const rowOf = (scaled: readonly number[], label: string): SceneRow => ({
    values: proposal.features.map(({ min, max }, i) => (min + max) / 2 + (scaled[i]! * (max - min)) / 2),
    labels: { [LABEL]: label },
    person: 'canary',
  });
  // Others cancel out, whatever they are: one will do.
  const others = [rowOf([0, 0], CLASSES[0]!)];
  const canary = rowOf([1, 1], CLASSES[0]!);
  if (neighbours === 'add-remove') return { left: [...others, canary], right: others };
  const cosine = WORST_COSINE[kind];
  const sine = Math.sqrt(1 - cosine ** 2);
  // A little beyond the norm, so that clipping makes it as long as may be.
  const length = (1.01 * clippingNorm!) / Math.SQRT2;
  const other = rowOf(
    [length * (cosine + sine), length * (cosine - sine)],
    kind === 'pca' ? CLASSES[0]! : CLASSES[1]!,
  );
  return { left: [...others, canary], right: [...others, other] };
}
