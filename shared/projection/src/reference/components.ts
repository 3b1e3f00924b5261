/**
 * The methods with vectors: PCA, DCA, LDA and MDR. They are those of Kung's discriminant component analysis
 * ("Privacy-Preserving Machine Learning", Zhuang et al., chapter 9); each is an eigenproblem A w = λ B w, with
 * B = I for PCA. Standardised features are those of another A, and scale its vectors back.
 */
import type { Components } from '@eigenveil/methods';
import { cappedComponents, type Program, type ReleasedFraction } from '@eigenveil/task';
import { principalAngles } from '../accuracy/compare.ts';
import {
  allowedOfCorrelation,
  allowedOfPencil,
  allowedOfScatter,
  checkComponents,
} from '../claims/components.ts';
import { cutOutputs, toBits, toLargest } from './cut.ts';
import { type EigenPairs, generalisedEigen, symmetricEigen } from './eigen.ts';
import { fromSums, type Pencil, type Reference } from './form.ts';
import { correlationNoise, correlationOf, rankRefusal, undividedVariances, unstandardised } from './pca.ts';
import { type Pooled, pooledOf, type Scatters, sumOf } from './pooled.ts';

/** The members of every method with vectors. */
export const COMPONENTS = {
  fromSums,
  longest: () => ({}),
  forecast: () => [],
  distance: (exact: Components, other: Components) => principalAngles(exact.vectors, other.vectors).at(-1)!,
};

/** Principal components of the total scatter. */
export const SCATTER = {
  ...COMPONENTS,
  pencil: (program, statistics) => ({ A: pooledOf(program, statistics).total() }),
  fromStatistics(program, statistics) {
    const pooled = pooledOf(program, statistics);
    const pairs = symmetricEigen(pooled.total());
    const refusal = rankRefusal(pairs.values, program);
    if (refusal) throw refusal;
    return componentsOf(program, pooled, pairs, { spectrum: () => pairs.values });
  },
  check: checkComponents(allowedOfScatter),
  cut(result: Components, released) {
    const ofScatter = toBits(released.scatter);
    return cutComponents(result, released, { eigenvalues: ofScatter, spectrum: ofScatter });
  },
} satisfies Reference;

/** Principal components of the correlation matrix. */
export const CORRELATION = {
  ...COMPONENTS,
  pencil: (program, statistics) => ({ A: standardised(program, pooledOf(program, statistics)).matrix }),
  fromStatistics(program, statistics) {
    const pooled = pooledOf(program, statistics);
    const { matrix, undivided } = standardised(program, pooled);
    const { values, vectors } = symmetricEigen(matrix);
    const noise = program.floor && correlationNoise(program.floor, undivided);
    const refusal = rankRefusal(values, program, undefined, noise);
    if (refusal) throw refusal;
    const variances = undivided.map((variance) => variance / pooled.samples);
    const result = componentsOf(
      program,
      pooled,
      { values, vectors },
      {
        spectrum: () => values,
        trace: () => variances.filter((v) => v > 0).length,
      },
    );
    return {
      ...result,
      vectors: result.vectors.map((v) => unstandardised(v, variances)),
      ...(program.outputs.includes('variances') && { variances }),
    };
  },
  check: checkComponents(allowedOfCorrelation),
  cut: (result: Components, released) =>
    cutComponents(result, released, { eigenvalues: toLargest, spectrum: toLargest }),
} satisfies Reference;

function standardised({ floor }: Program, { total }: Scatters) {
  const scatter = total();
  const undivided = undividedVariances(scatter, floor);
  return { matrix: correlationOf(scatter, undivided), undivided };
}

interface Discriminant {
  /**
   * Makes the eigenproblem.
   * @param definite adds a ridge to a matrix that must be positive definite, and the one of the floor
   */
  readonly pencil: (
    scatters: Scatters,
    definite: (matrix: number[][], ridge: number) => number[][],
  ) => Required<Pencil>;
  readonly allowed: Parameters<typeof allowedOfPencil>[0];
  /** The matrix whose spectrum a task declares; left out: the total scatter. */
  readonly summed?: (scatters: Scatters) => number[][];
}

/** Makes the reference of a method that distinguishes classes. */
export function discriminant({
  pencil: make,
  allowed,
  summed = ({ total }) => total(),
}: Discriminant): Reference {
  const pencilOf = ({ floor }: Program, scatters: Scatters) =>
    make(scatters, (matrix, ridge) => addRidge(matrix, ridge, floor?.ridge));
  return {
    ...COMPONENTS,
    pencil: (program, statistics) => pencilOf(program, pooledOf(program, statistics)),
    fromStatistics(program, statistics) {
      const pooled = pooledOf(program, statistics);
      const { A, B } = pencilOf(program, pooled);
      return componentsOf(program, pooled, generalisedEigen(A, B), {
        spectrum: () => symmetricEigen(summed(pooled)).values,
      });
    },
    check: checkComponents(allowedOfPencil(allowed)),
    cut: (result: Components, released) =>
      cutComponents(result, released, { eigenvalues: toLargest, spectrum: toBits(released.scatter) }),
  };
}

/** S_B of utility and S_B of privacy together, in place of the total scatter: MDR does not collect R. */
export const bothBetween = ({ between }: Scatters): number[][] => sumOf(between(0), between(1));

/** The leading pairs, and the declared outputs. */
function componentsOf(
  program: Program,
  pooled: Pooled,
  { values, vectors }: EigenPairs,
  { spectrum, trace = pooled.trace }: { readonly spectrum: () => number[]; readonly trace?: () => number },
): Components {
  const { outputs } = program;
  const count = cappedComponents(program);
  return {
    kind: 'components',
    vectors: vectors.slice(0, count),
    eigenvalues: values.slice(0, count),
    ...(outputs.includes('mean') && { mean: pooled.mean() }),
    ...(outputs.includes('trace') && { trace: trace() }),
    ...(outputs.includes('sampleCount') && { sampleCount: pooled.samples }),
    ...(outputs.includes('spectrum') && { spectrum: spectrum() }),
    ...(outputs.includes('classCounts') && { classCounts: pooled.classCounts() }),
  };
}

function cutComponents(
  result: Components,
  released: ReleasedFraction,
  of: Readonly<Record<'eigenvalues' | 'spectrum', (values: readonly number[]) => number[]>>,
): Components {
  return {
    ...result,
    vectors: result.vectors.map(toLargest),
    eigenvalues: of.eigenvalues(result.eigenvalues),
    ...cutOutputs(result, released, of.spectrum),
  };
}

export function addRidge(matrix: number[][], ridge: number, diagonal: readonly number[] = []): number[][] {
  return matrix.map((row, i) =>
    row.map((entry, j) => (i === j ? entry + ridge + (diagonal[i] ?? 0) : entry)),
  );
}
