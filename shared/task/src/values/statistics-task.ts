/**
 * The part of a task's public parameters that an owner's statistics and their layout are functions of.
 */
import type { TaskProposal } from '../schema.ts';

/** The same all the way down, for what is only read. */
type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

export type Feature = Immutable<TaskProposal['features'][number]>;
export type Labelling = Immutable<TaskProposal['labellings'][number]>;
export type Method = Immutable<TaskProposal['method']>;
export type HistogramMethod = Extract<Method, { readonly kind: 'histogram' }>;

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
  /** The line between the two servers: see the schema. */
  readonly serverLine?: TaskProposal['serverLine'];
  /** Rows are clipped and noise is added; absent or null: neither. */
  readonly differentialPrivacy?: Immutable<TaskProposal['differentialPrivacy']> | undefined;
};

/**
 * Returns whether the task's statistics include R, the sum of x xᵀ. MDR works from class sums alone, a sketch
 * has Y in its place, and histograms counts: none collects it.
 */
export function collectsR({ method, sketch }: Pick<StatisticsTask, 'method' | 'sketch'>): boolean {
  return method.kind !== 'mdr' && method.kind !== 'histogram' && sketch === undefined;
}

/** Returns whether a PCA is one of the correlation matrix. */
export function isStandardised(method: Method): boolean {
  return method.kind === 'pca' && method.scale === 'correlation';
}

/**
 * Number of classes that are summed apart, per labelling; PCA sums all rows as the one class of one
 * labelling.
 */
export function summedClasses(task: Pick<StatisticsTask, 'labellings'>): number[] {
  return task.labellings.length === 0 ? [1] : task.labellings.map(({ classes }) => classes.length);
}

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
