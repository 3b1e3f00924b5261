/**
 * The owner's own floor: an owner's program plans one where the owner's rows are coarser than a task
 * declares, and tells the owner. See `ownFloorOf`.
 */
import type { Feature } from '@eigenveil/methods';
import { type Words, words } from '@eigenveil/platform';
import { basisFeatures, type OwnFloor, ownFloorOf, type Task, takesOwnFloor } from '@eigenveil/task';
import type { Basis } from './connection.ts';
import type { OwnerPolicy } from './policy.ts';
import { rule } from './terms.ts';

export interface OwnFloorPlan {
  /** The task's features, each with the coarser of the declared spacing and the owner's spacing. */
  readonly features: readonly Feature[];
  /** The noise that is added; absent where none is needed, and where the policy does not want it. */
  readonly floor?: OwnFloor | undefined;
  /** The message about it; only the owner gets it. */
  readonly told: OwnFloorTold;
}

/** The facts that an owner is told about its own floor. */
export interface OwnFloorTold {
  /**
   * Features in which the owner's values lie further apart than the task says, with both spacings in the unit
   * of the feature.
   */
  readonly coarser: readonly { readonly name: string; readonly declared: number; readonly own: number }[];
  /**
   * φ of the noise that is added to the sums before they are encrypted, in products of these spacings; 0:
   * none.
   */
  readonly deviation: number;
  /** True if every feature could be looked at, in at least 60 rows, or has a spacing in the policy. */
  readonly isChecked: boolean;
}

/**
 * Compares the spacings that the task declares with those of the owner's rows: the spacings in the policy,
 * and where it has none, those that were found.
 * @param found the spacing of each column that was read; undefined where there were too few rows, or only
 *   sums
 * @returns undefined for a task that no owner adds a floor to
 * @throws ERR_DP_PARAMETER
 */
export function planOwnFloor(
  task: Task,
  basis: Basis,
  { grains, ownFloor }: Pick<OwnerPolicy, 'grains' | 'ownFloor'>,
  found: readonly (number | undefined)[] | undefined,
): OwnFloorPlan | undefined {
  if (!takesOwnFloor(task)) return undefined;
  const columns = basis[0]?.task.features ?? task.features;
  const own = columns.map(({ name }, i) => grains[name] ?? found?.[i]);
  const needed = ownFloorOf(task, basis.length === 0 ? own : throughBasis(basis, own));
  const coarser = (needed?.coarser ?? []).map(({ place, declared, own: spacing }) => {
    const { name, min, max } = task.features[place]!;
    const inUnits = (grain: number) => (grain * (max - min)) / 2;
    return { place, name, declared: inUnits(declared), own: inUnits(spacing) };
  });
  const features = task.features.map((feature, i) => {
    const grain = coarser.find(({ place }) => place === i)?.own;
    return grain === undefined ? feature : { ...feature, grain };
  });
  const floor = ownFloor ? needed : undefined;
  const isChecked = found !== undefined || columns.every(({ name }) => grains[name] !== undefined);
  return {
    features,
    floor,
    told: {
      coarser: coarser.map(({ place: _, ...named }) => named),
      deviation: floor?.deviation ?? 0,
      isChecked,
    },
  };
}

/**
 * Returns the spacings of components, as a task that stands on others inherits them. A feature whose spacing
 * was not found has the one that the task declares.
 */
function throughBasis(basis: Basis, own: readonly Feature['grain'][]): Feature['grain'][] {
  const grains = basis.reduce<readonly Feature['grain'][]>(
    (before, { task }) =>
      basisFeatures({
        ...task,
        features: task.features.map((feature, i) => ({
          ...feature,
          grain: before[i] ?? feature.grain ?? 'cell',
        })),
      }).map(({ grain }) => grain),
    own,
  );
  return [...grains];
}

/** Returns sentences for the owner; there are none where its rows are as the task says. */
export function ownFloorInWords({ coarser, deviation, isChecked }: OwnFloorTold): (Words | string)[] {
  const names = coarser
    .slice(0, MOST_NAMED)
    .map(
      ({ name, declared, own }) => `${JSON.stringify(name)} (${digits(own)} instead of ${digits(declared)})`,
    );
  const more = coarser.length > MOST_NAMED ? [`${coarser.length - MOST_NAMED} more`] : [];
  const features = [...names, ...more].join(', ');
  return [
    ...(coarser.length === 0
      ? []
      : [
          deviation > 0
            ? `your values lie further apart than the task says of ${features}: noise of a deviation of ${digits(deviation)} products of these spacings is added to your sums before they are encrypted, so that whole numbers tell no more of them than real ones; nobody else is told`
            : words`your values lie further apart than the task says of ${features}, so that its floor is too small for your rows; your policy's ${rule('ownFloor')} adds none, and the task takes more of your data set instead`,
        ]),
    ...(isChecked
      ? []
      : [
          words`whether your values lie further apart than the task says could not be checked, since that takes at least 60 rows, and not sums alone. Where they lie as close as the task says, there is nothing to do. Where they are coarser, such as whole numbers, do not send them yet, and say first how far apart they lie: ${rule('grains')} of your policy`,
        ]),
  ];
}

/** The largest number of features that a message names. */
const MOST_NAMED = 5;
const digits = (value: number): string => `${Number(value.toPrecision(3))}`;
