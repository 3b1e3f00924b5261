/** Small tasks of a scene, and what goes into a run of one: rows drawn again, so that outputs differ from run to run, and both servers' shares. */
import { methodOf, varyingFeatures } from '@eigenveil/methods';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { addStatistics, flatten, layout, type Statistics } from '@eigenveil/statistics';
import { type Program, programOf, type TaskProposal } from '@eigenveil/task';
import type { Draws } from '../draws.ts';
import { statisticsOf } from '../released.ts';
import type { Scene, SceneRow } from '../scene.ts';

export interface SmallTask {
  readonly task: TaskProposal;
  readonly program: Program;
  readonly rows: readonly SceneRow[];
}

interface Wanted {
  readonly features: number;
  readonly components: number;
  readonly twoParty: TaskProposal['twoParty'];
  /** DCA in the classes of this label instead of a PCA. */
  readonly label?: { readonly column: string; readonly classes: readonly string[] } | undefined;
}

/** Cells are multiples of 1/GRID of a feature's range, as whole numbers and answers on scales are: what has a common divisor is easier to recognise. */
const GRID = 32;
export const OWNERS = 3;
export const RIDGE = 0.1;
const ROWS_PER_OWNER = 12;

/** A task over the first features of a scene that are not constant. */
export function smallTask(scene: Scene, { features: d, components, twoParty, label }: Wanted): SmallTask {
  const kept = scene.proposal.features.flatMap(({ min, max }, i) => (min < max ? [i] : [])).slice(0, d);
  const features = kept.map((i) => scene.proposal.features[i]!);
  const method: TaskProposal['method'] = label
    ? { kind: 'dca', form: 'standard', ridge: RIDGE, signalRidge: 0 }
    : { kind: 'pca' };
  const task: TaskProposal = {
    ...scene.proposal,
    method,
    features,
    labellings: label ? [{ column: label.column, classes: [...label.classes] }] : [],
    components,
    twoParty,
    outputs: twoParty === 'rotated' ? [...methodOf({ method }).revealedByRotation] : [],
    minimumOwners: OWNERS,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: ROWS_PER_OWNER,
    allowFullRank: false,
    differentialPrivacy: null,
  };
  const rows = scene.owners.flat().map((row) => ({
    ...row,
    values: kept.map((i, f) => {
      const { min, max } = features[f]!;
      const clipped = Math.min(max, Math.max(min, row.values[i]!));
      return min + (Math.round((GRID * (clipped - min)) / (max - min)) / GRID) * (max - min);
    }),
  }));
  return { task, program: programOf(task), rows };
}

/** The label that a scene's projection is for, with its classes, if these are not too many. */
export function labelOf({ utilityLabel, owners }: Scene, most: number): Wanted['label'] {
  if (utilityLabel === undefined) return undefined;
  const classes = [...new Set(owners.flat().map(({ labels }) => labels[utilityLabel]!))].sort();
  return classes.length >= 2 && classes.length <= most ? { column: utilityLabel, classes } : undefined;
}

/** Returns why a scene has no small task of this number of features. */
export function omitsSmall({ proposal }: Scene, features: number): string | undefined {
  const varying = varyingFeatures(proposal.features);
  return varying < features ? `fewer than ${features} features` : undefined;
}

/** Statistics of each owner's rows, which are drawn. */
export function drawnOwners({ task, rows }: SmallTask, draws: Draws): Statistics[] {
  const some = draws.some(rows, OWNERS * ROWS_PER_OWNER);
  return Array.from({ length: OWNERS }, (_, o) =>
    statisticsOf(task, some.slice(o * ROWS_PER_OWNER, (o + 1) * ROWS_PER_OWNER)),
  );
}

/** The statistics of all owners together. */
export const drawnStatistics = (small: SmallTask, draws: Draws): Statistics =>
  drawnOwners(small, draws).reduce(addStatistics);

/** Both servers' shares, blinded and unblinded as in a task without the encryption, and the blinded slots as the CSP reads them. */
export function sharesOf({ task }: Pick<SmallTask, 'task'>, statistics: Statistics, draws: Draws) {
  const drawn = draw({ task, packing: layout(task) }, draws.source);
  const slots = flatten(task, statistics).map((value, v) => value + drawn.blinding.at(v)!);
  return {
    slots,
    csp: [...sharesAtCsp(task, slots, draws.source)],
    dataUser: [...sharesAtDataUser(task, drawn)],
  };
}
