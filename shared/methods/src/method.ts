/** The form of a method: all that anybody who does not compute it asks about it. */
import type { SumWeights } from '@eigenveil/privacy/parts';
import type { z } from 'zod';
import type { Flags, MethodDraft } from './draft.ts';
import type { Feature, Labelling } from './features.ts';
import type { Immutable } from './immutable.ts';
import type { MethodOf, Output, TwoPartyName } from './parameters.ts';
import type { ResultForm } from './result.ts';

/** The sizes of a task on which the rank of a result depends. */
export interface Sizes {
  readonly featureCount: number;
  /** Classes per labelling of the task. */
  readonly classCounts: readonly number[];
}

/** The members of a program that say how much a result tells. */
export interface Told extends Sizes {
  /** The number of vectors that are asked for. */
  readonly components: number;
  readonly outputs: readonly Output[];
  /**
   * The number of features that may have only two values: the variance of these counts as public (rank.ts).
   */
  readonly twoValued: number;
}

/** The members of a program that its check looks at. */
export interface Checked extends Told {
  /** True if the statistics have noise for differential privacy. */
  readonly noisy?: boolean;
}

/** The columns of a task. */
export interface Shape {
  readonly features: readonly Feature[];
  readonly labellings: readonly Labelling[];
}

/** The members of a task that its statistics depend on. */
export interface Summed extends Shape {
  readonly fractionBits: number;
  readonly maximumOwners: number;
  readonly maximumSamplesPerOwner: number;
}

/** The part of a setting of differential privacy that methods look at. */
export interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
  readonly neighbours: 'add-remove' | 'replace';
  readonly clippingNorm: number | null;
  readonly noise: 'servers' | 'csp' | 'owners';
}

/** The members of a proposed task that a method has rules for. */
export interface Proposed extends Summed {
  readonly method: { readonly kind: string };
  readonly components: number;
  readonly outputs: readonly Output[];
  readonly twoParty: TwoPartyName;
  readonly allowFullRank: boolean;
  readonly exact: boolean;
  readonly basis?: string | undefined;
  readonly differentialPrivacy: Guarantee | null;
}

/** Counts of one histogram: of its bins, and then of cells that are no number. */
export interface Counts {
  readonly values: number;
  /** Indices of the features whose cells are counted together, all of a row. */
  readonly features: readonly number[];
  /** Returns the edges of its bins, ascending, one more than there are bins. */
  readonly edges: () => readonly number[];
}

/**
 * The sums that owners contribute, besides the number of owners. Places, widths, bounds and noise follow from it
 * (shared/task/src/values).
 */
export interface Sums {
  /** True if R is summed, the upper triangle of products of features. */
  readonly R: boolean;
  /** Columns of a sketch, with one value per feature in each; 0: no sketch. */
  readonly columns: number;
  readonly counts: readonly Counts[];
  /** Classes that are summed apart, per labelling: V, the sum of rows, and M, their number, of each. */
  readonly classes: readonly number[];
}

/** The matrix that the vectors decompose: the total scatter, its correlation matrix, or a pencil of two. */
export type Decomposed = 'scatter' | 'correlation' | 'pencil';

/**
 * A discriminant method as one problem of the total scatter, (S_B + ρ′I) w = ν (S̄ + ρI) w, of whose ν its
 * eigenvalues λ are a function. ν is at most 1, since S_B is at most S̄, as long as ρ′ is at most ρ.
 */
export interface Pencil {
  readonly ridge: number;
  readonly signalRidge: number;
  readonly eigenvalue: (nu: number) => number;
  /** True if λ has 1 − ν for a divisor: the method's own noise matrix has what is left of S̄ + ρI. */
  readonly divides: boolean;
}

/** A method with the parameters of one task. */
export interface Method {
  /** Undefined for a method that has no vectors. */
  readonly decomposes: Decomposed | undefined;
  /** The pencil, where a method decomposes one. */
  readonly pencil?: Pencil;
  readonly sums: (shape: Shape) => Sums;
  /** The weights of values in noise for differential privacy; undefined: no such noise on sums fits the method. */
  readonly weights: SumWeights | undefined;
  /**
   * Checks what a proposed task of the method must keep to.
   * @throws ERR_TASK_INVALID
   */
  readonly check: (task: Proposed) => void;
  /**
   * Checks what the method's statistics and their slots rest on, beyond the rules of all methods.
   * @throws ERR_TASK_INVALID
   */
  readonly checkSums: (task: Summed) => void;
  /**
   * Checks what a decomposition of the method rests on, beyond the rules of all methods.
   * @throws ERR_TASK_INVALID
   */
  readonly checkProgram: (program: Checked) => void;
  /**
   * Checks what rests on `check`, `checkSums` and `checkProgram`.
   * @throws ERR_TASK_INVALID, ERR_FULL_RANK, ERR_DP_PARAMETER
   */
  readonly checkLast: (task: Proposed, told: Told) => void;
  /** The most components that the method has: the rank that its signal matrix can reach; 0 without vectors. */
  readonly maximumComponents: (sizes: Sizes) => number;
  /**
   * The least rank of the decomposed matrix from which a result may be revealed without `allowFullRank`.
   * Its number of components is the one that comes out.
   */
  readonly leastRank: (told: Omit<Told, 'classCounts'>) => number;
  /**
   * The most components by `rotated` without `allowFullRank`, of a task with so many features that are not
   * constant; 0 where not even one is safe.
   */
  readonly mostRotatedComponents: (told: Pick<Told, 'classCounts' | 'twoValued'>, varying: number) => number;
  /**
   * Returns whether the outputs determine the scatter matrix whatever the rows are. Constant features are known to be
   * zero, and n rows have a rank of n − 1 at most. Features that depend on each other are unknown to a task,
   * and are found when the result is computed.
   */
  readonly revealsScatter: (task: Proposed, told: Told) => boolean;
  readonly words: MethodWords;
}

/** The words of a method for people. */
export interface MethodWords {
  /** The name at the head of a page: `PCA`. */
  readonly title: string;
  /** The decomposed matrix behind the title: ` of the covariance matrix`; empty for other methods. */
  readonly matrix: string;
  /** The amount that comes out: `3 components`. */
  readonly size: (task: Shape & { readonly components: number }) => string;
  /** The sums that a linear method opens: `noisy sums`. */
  readonly opened?: string;
  /** The result for owners who contributed: `vectors and eigenvalues`. */
  readonly result: string;
  /** The matrix whose eigenvalues the output `spectrum` tells. */
  readonly spectrum: string;
  /**
   * Returns what the data user learns in any case, a line each.
   * @param components the number that comes out
   */
  readonly tells: (task: Shape, components: number) => readonly string[];
  /** Lines on what `rotated` tells the data user as well. */
  readonly tellsByRotation: readonly string[];
  /** Lines on what the matrices behind the result tell beyond it. */
  readonly tellsBeyond: readonly string[];
  /** Lines on what the vectors tell of features, whatever is declared. */
  readonly tellsOfFeatures: readonly string[];
}

/** A kind of parameters, and the method with the parameters of one task. */
export interface Definition<
  Parameters extends z.ZodObject,
  Own extends Flags = Flags,
  Form extends ResultForm = ResultForm,
> {
  /** The number of labellings. Where there are two, the first one is of utility, the second of privacy. */
  readonly labellings: 0 | 1 | 2;
  /** The outputs that the data user learns by `rotated` in any case: docs/rotated.md has why. */
  readonly revealedByRotation: readonly Output[];
  /**
   * True if the servers open noisy sums, by the protocol `linear`, and compute nothing together; then noise
   * for differential privacy is all that hides rows, and there is no floor.
   */
  readonly isLinear: boolean;
  /** The signed form of the parameters. */
  readonly parameters: Parameters;
  readonly result: Form;
  readonly of: (task: MethodOf<Immutable<z.infer<Parameters>>>) => Method;
  readonly draft: MethodDraft<Immutable<z.infer<Parameters>>, Own>;
}

export const defineMethod = <
  Parameters extends z.ZodObject,
  const Own extends Flags,
  Form extends ResultForm,
>(
  definition: Definition<Parameters, Own, Form>,
): Definition<Parameters, Own, Form> => definition;
