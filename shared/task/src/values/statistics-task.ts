/**
 * The part of a task's public parameters that an owner's statistics and their layout are functions of.
 */
import { type Immutable, methodOf } from '@eigenveil/methods';
import type { TaskProposal } from '../schema.ts';

export type StatisticsTask = Immutable<
  Pick<
    TaskProposal,
    | 'method'
    | 'features'
    | 'labellings'
    | 'fractionBits'
    | 'maximumOwners'
    | 'maximumSamplesPerOwner'
    | 'keyBits'
    | 'statisticalSecurityBits'
  >
> & {
  /** Owners sum Y = Xᵀ(XΩ) in place of R, with this number of columns of Ω. */
  readonly sketch?: Immutable<TaskProposal['sketch']>;
  /**
   * false: both servers add the floor, for this number of releases. Absent, as of statistics alone: they add
   * none.
   */
  readonly exact?: TaskProposal['exact'];
  readonly releases?: TaskProposal['releases'];
  /**
   * The protocol that computes it: it decides how finely anything is opened, and so how fine the floor's
   * noise must be.
   */
  readonly twoParty?: TaskProposal['twoParty'];
  /** Rows are clipped and noise is added; absent or null: neither. */
  readonly differentialPrivacy?: Immutable<TaskProposal['differentialPrivacy']> | undefined;
};

/** Returns whether the task's statistics include R, the sum of x xᵀ. */
export function collectsR(task: Summed): boolean {
  return methodOf(task).sums(task).R;
}

/** Number of classes that are summed apart, per labelling; one of one class where all rows are alike. */
export function summedClasses(task: Summed): readonly number[] {
  return methodOf(task).sums(task).classes;
}

type Summed = Pick<StatisticsTask, 'method' | 'sketch' | 'features' | 'labellings'>;

/**
 * Names of the features whose range is a single value: they map to 0 and carry nothing, which deserves a
 * warning.
 */
export function constantFeatures(task: Pick<StatisticsTask, 'features'>): string[] {
  return task.features.filter(({ min, max }) => min === max).map(({ name }) => name);
}

/** The least b with bound < 2^(b-1). */
export function signedBits(bound: bigint): number {
  return bound.toString(2).length + 1;
}
