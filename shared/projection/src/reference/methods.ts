/**
 * PCA, DCA, LDA, MDR and ridge regression from exact statistics, in the clear: the reference for every
 * two-party protocol. The methods are those of Kung's discriminant component analysis ("Privacy-Preserving
 * Machine Learning", Zhuang et al., chapter 9); each is an eigenproblem A w = λ B w, with B = I for PCA.
 * Standardised features are those of another A, and scale its vectors back.
 */

import { type Components, type Fitted, methodOf, ofKind, type Result } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics';
import { cappedComponents, checkProgram, type Program, raiseOf } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import { asReleased, noComponents } from './decomposition.ts';
import { generalisedEigen, symmetricEigen } from './eigen.ts';
import { correlationNoise, correlationOf, rankRefusal, undividedVariances, unstandardised } from './pca.ts';
import { regressionOnComponents } from './pcr.ts';
import { ridgeRegression } from './ridge.ts';
import {
  betweenClassScatter,
  meanOfRows,
  nonEmptyClasses,
  totalScatter,
  totals,
  traceOfTotalScatter,
  withinClassScatter,
} from './scatter.ts';
import { sketchEigen, sketchOf, sketchRefusal } from './sketch.ts';

/** Symmetric d × d matrices of A w = λ B w; without B, of A w = λ w. */
export interface Pencil {
  readonly A: number[][];
  readonly B?: number[][];
}

/**
 * The method's eigenproblem for the pooled statistics. MDR needs rows of two utility classes, as the other
 * discriminant methods do of theirs; with one privacy class there is nothing to hide from, its between-class
 * scatter is zero and B = ρI stays a valid problem.
 * @throws ERR_TASK_INVALID, ERR_TOO_MANY_COMPONENTS, ERR_STATISTICS_INVALID, ERR_NO_SAMPLES,
 *   ERR_MINIMUM_OWNERS, ERR_SINGLE_CLASS
 */
export function pencil(program: Program, pooled: Statistics): Pencil {
  checkProgram(program);
  checkShape(program, pooled);
  const statistics = usable(program, pooled);
  checkStatistics(program, statistics);
  const { method, floor } = program;
  const { total, between, within } = scattersOf(program, statistics);
  /** Raises a matrix that must be positive definite. */
  const definite = (matrix: number[][], ridge: number) => addRidge(matrix, ridge, floor?.ridge);
  switch (method.kind) {
    case 'pca': {
      const scatter = total();
      return {
        A:
          methodOf({ method }).decomposes === 'correlation'
            ? correlationOf(scatter, undividedVariances(scatter, floor))
            : scatter,
      };
    }
    case 'dca': {
      const { form, ridge, signalRidge } = method;
      return form === 'standard'
        ? { A: addRidge(between(0), signalRidge), B: definite(total(), ridge) }
        : { A: definite(total(), ridge + signalRidge), B: definite(within(), ridge) };
    }
    case 'lda':
      return { A: between(0), B: definite(within(), method.ridge) };
    case 'mdr':
      return { A: between(0), B: addRidge(between(1), method.ridge) };
    case 'ridge':
    case 'pcr':
    case 'histogram':
      throw noComponents(method.kind);
  }
}

/**
 * The program's projection vectors, eigenvalues and declared outputs from the statistics of all owners
 * together. There are `cappedComponents(program)` of them. Eigenvalues that are zero on paper may be negative
 * by rounding.
 * @param signs of a program with a sketch: Ω, as sketchMatrix makes it
 * @throws as `pencil`, and ERR_NOT_POSITIVE_DEFINITE, ERR_FULL_RANK
 * @example
 * import { decompose } from '@eigenveil/projection';
 * import { programOf } from '@eigenveil/task';
 *
 * const { vectors, eigenvalues } = decompose(programOf(task), pooled);
 */
export function decompose(program: Program, pooled: Statistics, signs?: Int32Array): Components {
  return ofKind('components', resultInClear(program, pooled, signs));
}

/**
 * The result of whatever method from the statistics of all owners together.
 * @param signs as of `decompose`
 * @throws as `decompose`
 */
export function resultInClear(program: Program, pooled: Statistics, signs?: Int32Array): Result {
  return asReleased(program, resultUncut(program, pooled, signs));
}

/** `resultInClear` before numbers are cut to what a floor leaves them worth. */
export function resultUncut(program: Program, pooled: Statistics, signs?: Int32Array): Result {
  if (program.sketch !== undefined) return decomposeSketch(program, pooled, signs);
  if (program.method.kind === 'ridge' || program.method.kind === 'pcr')
    return regress(program, pooled, program.method.ridge);
  const { A, B } = pencil(program, pooled);
  const statistics = usable(program, pooled);
  const { total, mean, trace, summed } = scattersOf(program, statistics);
  const { method, outputs, floor } = program;
  const undivided =
    methodOf({ method }).decomposes === 'correlation' ? undividedVariances(total(), floor) : undefined;
  const { values, vectors } = B === undefined ? symmetricEigen(A) : generalisedEigen(A, B);
  const components = cappedComponents(program);
  const noise = undivided && floor && correlationNoise(floor, undivided);
  const refusal = B === undefined ? rankRefusal(values, program, undefined, noise) : undefined;
  if (refusal) throw refusal;
  const leading = vectors.slice(0, components);
  const samples = Number(totals(statistics).M);
  const variances = undivided?.map((variance) => variance / samples);
  return {
    kind: 'components',
    vectors: variances ? leading.map((v) => unstandardised(v, variances)) : leading,
    eigenvalues: values.slice(0, components),
    ...(outputs.includes('mean') && { mean: mean() }),
    ...(outputs.includes('trace') && {
      trace: variances ? variances.filter((v) => v > 0).length : trace(),
    }),
    ...(outputs.includes('sampleCount') && { sampleCount: samples }),
    ...(outputs.includes('spectrum') && {
      spectrum: B === undefined ? values : symmetricEigen(summed()).values,
    }),
    ...(outputs.includes('classCounts') && { classCounts: classCountsOf(statistics) }),
    ...(variances && outputs.includes('variances') && { variances }),
  };
}

function regress(program: Program, pooled: Statistics, ridge: number): Fitted {
  checkProgram(program);
  checkShape(program, pooled);
  const statistics = usable(program, pooled);
  checkStatistics(program, statistics);
  const { outputs, floor } = program;
  const { total, trace, ...scatters } = scattersOf(program, statistics);
  const mean = scatters.mean();
  return {
    kind: 'regression',
    regression:
      program.method.kind === 'pcr'
        ? regressionOnComponents(program, { scatter: total(), mean, ridge })
        : ridgeRegression({ scatter: total(), mean, ridge, diagonal: floor?.ridge }),
    ...(outputs.includes('mean') && { mean }),
    ...(outputs.includes('trace') && { trace: trace() }),
    ...(outputs.includes('sampleCount') && { sampleCount: Number(totals(statistics).M) }),
  };
}

/** Decomposes a sketch; the outputs are those that each one declares. */
function decomposeSketch(program: Program, pooled: Statistics, signs: Int32Array | undefined): Components {
  checkProgram(program);
  checkShape(program, pooled);
  checkStatistics(program, pooled);
  if (signs === undefined) throw new RangeError('"signs" expected for a program with a sketch');
  const { fractionBits, components } = program;
  const sampleCount = Number(totals(pooled).M);
  const sketch = sketchOf(pooled, signs, program);
  const refusal = sketchRefusal(sketch, sampleCount);
  if (refusal) throw refusal;
  const { values, vectors } = sketchEigen(sketch);
  const { noisedSums } = pooled;
  const raise = noisedSums ? Number(raiseOf(program.floor)) * 4 ** -fractionBits : 0;
  const spectrum = values.map((value) => value - raise);
  const tooFew = program.floor && rankRefusal(spectrum, program);
  if (tooFew) throw tooFew;
  const told = noisedSums ? [[{ V: noisedSums[0]![0]!, M: totals(pooled).M }]] : pooled.labellings;
  return {
    kind: 'components',
    vectors: vectors.slice(0, components),
    eigenvalues: spectrum.slice(0, components),
    mean: meanOfRows({ ...pooled, labellings: told }, fractionBits),
    sampleCount,
  };
}

/**
 * The matrices and the mean that a method is made of. Of what servers compute with, V is exact inside T and
 * S_W, which R's noise hides, and what is released of V itself, S_B and the mean, is made of the noised sums;
 * the total scatter of rows with classes is then that S_W and that S_B. Statistics without noised sums, as
 * those of a sample, are what they are.
 */
function scattersOf(program: Program, statistics: Statistics) {
  const { method, floor } = program;
  const { noisedSums } = statistics;
  const isNoised = floor !== undefined && noisedSums !== undefined;
  const bits = isNoised ? floor.fractionBits : program.fractionBits;
  const told = isNoised
    ? {
        ...statistics,
        labellings: statistics.labellings.map((classes, l) =>
          classes.map(({ M }, k) => ({ M, V: noisedSums[l]![k]! })),
        ),
      }
    : statistics;
  const toldBits = isNoised ? floor.sumFractionBits : program.fractionBits;
  const between = (labelling: number) => betweenClassScatter(told, labelling, toldBits);
  const within = () => withinClassScatter(statistics, bits);
  const isOfBoth = isNoised && program.classCounts.length > 0;
  const total = () => (isOfBoth ? sumOf(within(), between(0)) : totalScatter(statistics, bits));
  return {
    between,
    within,
    total,
    trace: () =>
      isOfBoth ? total().reduce((sum, row, i) => sum + row[i]!, 0) : traceOfTotalScatter(statistics, bits),
    mean: () => meanOfRows(told, toldBits),
    /**
     * The matrix whose spectrum a task of a pencil declares: S̄, or for MDR, which does not collect R, both
     * between-class scatters together.
     */
    summed: () => (method.kind === 'mdr' ? sumOf(between(0), between(1)) : total()),
  };
}

function sumOf(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  return a.map((row, i) => row.map((entry, j) => entry + b[i]![j]!));
}

function classCountsOf({ labellings }: Statistics): number[][] {
  return labellings.map((classes) => classes.map(({ M }) => Number(M)));
}

/**
 * Under noise a class may have a number of rows that is not positive: it counts as empty then, and its noisy
 * sum as zero. Of an empty class noised sums are noise alone, and so are the others where owners have added a
 * floor of their own.
 */
function usable({ noisy, floor }: Program, statistics: Statistics): Statistics {
  const { labellings, noisedSums } = statistics;
  const zeros = (sums: readonly bigint[]) => sums.map(() => 0n);
  return {
    ...statistics,
    ...((noisy || floor) && {
      labellings: labellings.map((sums) =>
        sums.map(({ V, M }) => (M > 0n ? { V, M } : { V: zeros(V), M: noisy ? 0n : M })),
      ),
    }),
    ...(noisedSums && {
      noisedSums: noisedSums.map((classes, l) =>
        classes.map((sums, k) => (labellings[l]![k]!.M > 0n ? sums : zeros(sums))),
      ),
    }),
  };
}

/**
 * Refuses statistics that no rows can have, which means that something upstream went wrong, and too few
 * owners.
 */
function checkStatistics(program: Program, statistics: Statistics): void {
  const { V, M } = totals(statistics);
  for (const sums of statistics.labellings) {
    if (sums.some((k) => k.M < 0n || (k.M === 0n && k.V.some((value) => value !== 0n)))) {
      throw invalid('a class with fewer than no rows, or sums without rows');
    }
    // Every row has one class in each labelling, so all labellings have the same totals.
    if (program.noisy) continue;
    const own = totals({ ...statistics, labellings: [sums] });
    // Owners may have added noise to each sum of rows where there is a floor, and to no number of rows.
    if (own.M !== M || (!program.floor && own.V.some((value, i) => value !== V[i])))
      throw invalid('labellings of different rows');
  }
  const { owners } = statistics;
  if (owners < BigInt(program.minimumOwners)) {
    throw new CodedError(
      PROJECTION_CODES.ERR_MINIMUM_OWNERS,
      `expected contributions of at least ${program.minimumOwners} owners, got ${owners}`,
    );
  }
  if (M === 0n)
    throw new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  if (program.classCounts.length > 0 && nonEmptyClasses(statistics, 0).length < 2) {
    throw new CodedError(
      PROJECTION_CODES.ERR_SINGLE_CLASS,
      'expected samples of at least two classes, got one',
    );
  }
}

function checkShape(program: Program, { R, Y = [], labellings }: Statistics): void {
  const { featureCount: d, sketch } = program;
  const counts = program.classCounts.length === 0 ? [1] : program.classCounts;
  const fits =
    R.length === (methodOf(program).sums({ features: [], labellings: [] }).R ? (d * (d + 1)) / 2 : 0) &&
    Y.length === d * (sketch?.columns ?? 0) &&
    labellings.length === counts.length &&
    labellings.every((sums, l) => sums.length === counts[l] && sums.every(({ V }) => V.length === d));
  if (!fits) throw invalid('another shape');
}

function invalid(got: string): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_STATISTICS_INVALID,
    `"statistics" expected those of rows of the program's shape, got ${got}`,
  );
}

function addRidge(matrix: number[][], ridge: number, diagonal: readonly number[] = []): number[][] {
  return matrix.map((row, i) =>
    row.map((entry, j) => (i === j ? entry + ridge + (diagonal[i] ?? 0) : entry)),
  );
}
