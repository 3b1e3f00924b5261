/** The form of a published method: how it finds components, what it promises about the rows, and which part of that it keeps. */

import type { RandomSource } from '@eigenveil/privacy';

export type Row = readonly number[];
/** The rows of one data owner, each with ‖x‖₂ <= 1. */
export type Site = readonly Row[];

export interface PcaSetting {
  /** A number of at least one and at most as many as features. */
  readonly components: number;
  /** The nominal ε that the method is told; Infinity is no noise. `keeps` says what it keeps at that. */
  readonly epsilon: number;
  /** Pure methods take none. */
  readonly dpDelta: number;
  /**
   * C >= 0, in units of rows with ‖x‖₂ <= 1: a longer row is scaled down to this length before any noise (boundedRow in matrix.ts). Methods that centre
   * by an exact mean do so first and clip then. Infinity never clips; 0 divides every row by its length. A method whose
   * publication always normalises does that, whatever C.
   */
  readonly clippingNorm: number;
}

/** Methods are compared within a panel, and ranked at equal ε that is kept: across, the promises differ. */
export type Panel =
  /** No method but a measure: what no noise gives, and what chance gives. */
  | 'baseline'
  /** (ε, δ), once for all rows together. */
  | 'approximate'
  /** (ε, 0), once for all rows together. */
  | 'pure'
  /** Each row is protected by its own owner, who trusts nobody. */
  | 'local'
  /** The nominal ε is not kept: shown apart, and ranked with nobody. */
  | 'unkept';

/** The (ε, δ) that rows really get, or why none can be stated. A pure promise has δ = 0. */
export type Kept =
  | { readonly epsilon: number; readonly dpDelta: number }
  | { /** The reason why there is none. */ readonly none: string };

/** Data for a table: what is promised, to whom, and of which part of the computation. */
export interface PcaPromise {
  /**
   * Data sets that must not be distinguished: one row more or less, or one row that is another. With public counts "add-remove" holds given them alone,
   * since n or N_i tells one row more from one less.
   */
  readonly neighbours: 'add-remove' | 'replace' | 'none';
  readonly epsilon: 'none' | 'pure' | 'approximate';
  /** The parties that see more than the result, and so must be trusted. */
  readonly trust: string;
  /** True if the mean that rows are centred by is part of the promise. */
  readonly means: 'protected' | 'not protected' | 'not needed';
  readonly counts: 'protected' | 'public';
  /** Where the promise as published does not hold, or what was assumed where a publication could not be read. */
  readonly remarks: string;
  /** Tells what a run with this setting keeps for a row of these sites, of which only sizes and the number of features count. */
  keeps(sites: readonly Site[], setting: PcaSetting): Kept;
}

export const keepsNothing =
  (none: string): PcaPromise['keeps'] =>
  () => ({ none });

/** Promises that methods have in common, with what they keep: all that they are told. */
export const APPROXIMATE = {
  neighbours: 'add-remove',
  epsilon: 'approximate',
  keeps: (_sites: readonly Site[], { epsilon, dpDelta }: PcaSetting): Kept => ({ epsilon, dpDelta }),
} as const;
export const PURE = {
  neighbours: 'add-remove',
  epsilon: 'pure',
  keeps: (_sites: readonly Site[], { epsilon }: PcaSetting): Kept => ({ epsilon, dpDelta: 0 }),
} as const;
/** Methods with this start from centred rows, and weigh them by public numbers. */
export const GIVEN = { means: 'not protected', counts: 'public' } as const;
export const CENTRED = 'Rows are centred by their exact mean, which nothing protects.';
export const OWN_SITE = 'each row’s own site';
export const NOBODY = 'nobody: each row protects itself';

/** Methods by name and constants: what a result depends on beside its setting. */
export const identityOf = (methods: readonly PcaMethod[]): string =>
  methods.map(({ name, constants }) => (constants === undefined ? name : `${name} (${constants})`)).join(' ');

export interface PcaMethod {
  readonly name: string;
  readonly title: string;
  readonly reference: string;
  readonly panel: Panel;
  /** Choices for it beyond its setting: results with other constants are others. */
  readonly constants?: string;
  /** True if the quality of the result depends on how rows are spread over sites. */
  readonly dependsOnSites: boolean;
  readonly promise: PcaPromise;
  /**
   * Standard deviation of the noise on a diagonal entry of the matrix that is decomposed, where that is second moments and noise of one
   * distribution: in units in which the second moments are the mean of x xᵀ over rows that are clipped to C and divided by it.
   */
  noiseDeviation?(sites: readonly Site[], setting: PcaSetting): number;
  /** The noisy second moments that are decomposed, of methods that have such a matrix in one place. */
  noisyMoments?(source: RandomSource, sites: readonly Site[], setting: PcaSetting): number[][];
  /** More are never given, however many are asked for. */
  readonly mostComponents?: number;
  /**
   * Orthonormal components, the strongest first; undefined where the method gives up.
   * @param onRounds is told how many rounds were needed, by methods that go on until something settles
   */
  run(
    source: RandomSource,
    sites: readonly Site[],
    setting: PcaSetting,
    onRounds?: (rounds: number) => void,
  ): number[][] | undefined;
}
