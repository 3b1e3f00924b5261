/**
 * PCA, DCA, LDA, MDR and ridge regression from exact statistics, in the clear: the reference for every two-party protocol. The methods are
 * those of Kung's discriminant component analysis ("Privacy-Preserving Machine Learning", Zhuang et al., chapter 9);
 * each is an eigenproblem A w = λ B w, with B = I for PCA. Standardised features are those of another A, and scale its vectors back.
 */

import type { Statistics } from '@eigenveil/statistics';
import { cappedComponents, checkProgram, collectsR, isStandardised, type Program } from '@eigenveil/task';
import { correlationOf, unstandardised } from './correlation.ts';
import type { Decomposition } from './decomposition.ts';
import { generalisedEigen, symmetricEigen } from './eigen.ts';
import { ProjectionError } from './errors.ts';
import { rankRefusal } from './rank.ts';
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
 * The method's eigenproblem for the pooled statistics. MDR needs rows of two utility classes, as the other discriminant
 * methods do of theirs; with one privacy class there is nothing to hide from, its between-class scatter is zero and
 * B = ρI stays a valid problem.
 * @throws ERR_TASK_INVALID, ERR_TOO_MANY_COMPONENTS, ERR_STATISTICS_INVALID, ERR_NO_SAMPLES,
 *   ERR_MINIMUM_OWNERS, ERR_SINGLE_CLASS
 */
export function pencil(program: Program, pooled: Statistics): Pencil {
  checkProgram(program);
  checkShape(program, pooled);
  const statistics = usable(program, pooled);
  checkStatistics(program, statistics);
  const { method, fractionBits } = program;
  const total = (): number[][] => totalScatter(statistics, fractionBits);
  const between = (labelling: number): number[][] => betweenClassScatter(statistics, labelling, fractionBits);
  const within = (): number[][] => withinClassScatter(statistics, fractionBits);
  switch (method.kind) {
    case 'pca':
      return { A: isStandardised(method) ? correlationOf(total()) : total() };
    case 'dca': {
      const { form, ridge, signalRidge } = method;
      return form === 'standard'
        ? { A: addRidge(between(0), signalRidge), B: addRidge(total(), ridge) }
        : { A: addRidge(total(), ridge + signalRidge), B: addRidge(within(), ridge) };
    }
    case 'lda':
      return { A: between(0), B: addRidge(within(), method.ridge) };
    case 'mdr':
      return { A: between(0), B: addRidge(between(1), method.ridge) };
    case 'ridge':
    case 'histogram':
      throw new ProjectionError(
        'ERR_PROGRAM_INVALID',
        `"method" expected one that decomposes, got ${method.kind}`,
      );
  }
}

/**
 * The program's projection vectors, eigenvalues and declared outputs from the statistics of all owners together.
 * There are `cappedComponents(program)` of them. Eigenvalues that are zero on paper may be negative by rounding.
 * @param signs of a program with a sketch: Ω, as sketchMatrix makes it
 * @throws as `pencil`, and ERR_NOT_POSITIVE_DEFINITE, ERR_FULL_RANK
 * @example
 * import { decompose } from '@eigenveil/projection';
 * import { programOf } from '@eigenveil/task';
 *
 * const { vectors, eigenvalues } = decompose(programOf(task), pooled);
 */
export function decompose(program: Program, pooled: Statistics, signs?: Int32Array): Decomposition {
  if (program.sketch !== undefined) return decomposeSketch(program, pooled, signs);
  if (program.method.kind === 'ridge') return regress(program, pooled, program.method.ridge);
  const { A, B } = pencil(program, pooled);
  const statistics = usable(program, pooled);
  const { values, vectors } = B === undefined ? symmetricEigen(A) : generalisedEigen(A, B);
  const components = cappedComponents(program);
  const refusal = B === undefined ? rankRefusal(values, program) : undefined;
  if (refusal) throw refusal;
  const { method, outputs, fractionBits } = program;
  const leading = vectors.slice(0, components);
  const samples = Number(totals(statistics).M);
  const variances = isStandardised(method)
    ? totalScatter(statistics, fractionBits).map((row, i) => row[i]! / samples)
    : undefined;
  return {
    vectors: variances ? leading.map((v) => unstandardised(v, variances)) : leading,
    eigenvalues: values.slice(0, components),
    ...(outputs.includes('mean') && { mean: meanOfRows(statistics, fractionBits) }),
    ...(outputs.includes('trace') && {
      trace: variances
        ? variances.filter((v) => v > 0).length
        : traceOfTotalScatter(statistics, fractionBits),
    }),
    ...(outputs.includes('sampleCount') && { sampleCount: samples }),
    ...(outputs.includes('spectrum') && {
      spectrum: B === undefined ? values : symmetricEigen(summedScatter(program, statistics)).values,
    }),
    ...(outputs.includes('classCounts') && { classCounts: classCountsOf(statistics) }),
    ...(variances && outputs.includes('variances') && { variances }),
  };
}

function regress(program: Program, pooled: Statistics, ridge: number): Decomposition {
  checkProgram(program);
  checkShape(program, pooled);
  checkStatistics(program, pooled);
  const { outputs, fractionBits } = program;
  const mean = meanOfRows(pooled, fractionBits);
  return {
    vectors: [],
    eigenvalues: [],
    regression: ridgeRegression({ scatter: totalScatter(pooled, fractionBits), mean, ridge }),
    ...(outputs.includes('mean') && { mean }),
    ...(outputs.includes('trace') && { trace: traceOfTotalScatter(pooled, fractionBits) }),
    ...(outputs.includes('sampleCount') && { sampleCount: Number(totals(pooled).M) }),
  };
}

/** From a sketch; the outputs are those that each one declares. */
function decomposeSketch(program: Program, pooled: Statistics, signs: Int32Array | undefined): Decomposition {
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
  return {
    vectors: vectors.slice(0, components),
    eigenvalues: values.slice(0, components),
    mean: meanOfRows(pooled, fractionBits),
    sampleCount,
  };
}

/** What the declared spectrum of a pencil is that of: S̄, or for MDR, which does not collect R, both between-class scatters together. */
function summedScatter({ method, fractionBits }: Program, statistics: Statistics): number[][] {
  if (method.kind !== 'mdr') return totalScatter(statistics, fractionBits);
  const [utility, privacy] = [0, 1].map((labelling) =>
    betweenClassScatter(statistics, labelling, fractionBits),
  );
  return utility!.map((row, i) => row.map((entry, j) => entry + privacy![i]![j]!));
}

function classCountsOf({ labellings }: Statistics): number[][] {
  return labellings.map((classes) => classes.map(({ M }) => Number(M)));
}

/** Under noise a class may have a number of rows that is not positive: it counts as empty then, and its noisy sum as zero. */
function usable({ noisy }: Program, statistics: Statistics): Statistics {
  if (!noisy) return statistics;
  const labellings = statistics.labellings.map((sums) =>
    sums.map(({ V, M }) => (M > 0n ? { V, M } : { V: V.map(() => 0n), M: 0n })),
  );
  return { ...statistics, labellings };
}

/** Refuses statistics that no rows can have, which means that something upstream went wrong, and too few owners. */
function checkStatistics(program: Program, statistics: Statistics): void {
  const { V, M } = totals(statistics);
  for (const sums of statistics.labellings) {
    if (sums.some((k) => k.M < 0n || (k.M === 0n && k.V.some((value) => value !== 0n)))) {
      throw invalid('a class with fewer than no rows, or sums without rows');
    }
    // Every row has one class in each labelling, so all labellings have the same totals.
    if (program.noisy) continue;
    const own = totals({ ...statistics, labellings: [sums] });
    if (own.M !== M || own.V.some((value, i) => value !== V[i]))
      throw invalid('labellings of different rows');
  }
  const { owners } = statistics;
  if (owners < BigInt(program.minimumOwners)) {
    throw new ProjectionError(
      'ERR_MINIMUM_OWNERS',
      `expected contributions of at least ${program.minimumOwners} owners, got ${owners}`,
    );
  }
  if (M === 0n) throw new ProjectionError('ERR_NO_SAMPLES', 'expected at least one sample, got none');
  if (program.classCounts.length > 0 && nonEmptyClasses(statistics, 0).length < 2) {
    throw new ProjectionError('ERR_SINGLE_CLASS', 'expected samples of at least two classes, got one');
  }
}

function checkShape(program: Program, { R, Y = [], labellings }: Statistics): void {
  const { featureCount: d, sketch } = program;
  const counts = program.classCounts.length === 0 ? [1] : program.classCounts;
  const fits =
    R.length === (collectsR(program) ? (d * (d + 1)) / 2 : 0) &&
    Y.length === d * (sketch?.columns ?? 0) &&
    labellings.length === counts.length &&
    labellings.every((sums, l) => sums.length === counts[l] && sums.every(({ V }) => V.length === d));
  if (!fits) throw invalid('another shape');
}

function invalid(got: string): ProjectionError {
  return new ProjectionError(
    'ERR_STATISTICS_INVALID',
    `"statistics" expected those of rows of the program's shape, got ${got}`,
  );
}

function addRidge(matrix: number[][], ridge: number): number[][] {
  return matrix.map((row, i) => row.map((entry, j) => (i === j ? entry + ridge : entry)));
}
