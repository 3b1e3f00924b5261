/**
 * Every method in the clear: the reference for every two-party protocol, and what a claimed result must keep
 * to. It is the one table of methods here; nothing else of this package asks which method a task has.
 */
import {
  type Components,
  entryOf,
  type MethodOf,
  type MethodParameters,
  type MethodTable,
  ofKind,
  type Result,
} from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import type { Program, StatisticsTask } from '@eigenveil/task';
import { addRidge, bothBetween, CORRELATION, discriminant, SCATTER } from './components.ts';
import type { Pencil, Reference } from './form.ts';
import { histogramReference } from './histograms.ts';
import { regressionOnComponents } from './pcr.ts';
import { MOMENTS } from './released-moments.ts';
import { regression, ridgeRegression } from './ridge.ts';
import { SKETCHED } from './sketch.ts';

const REFERENCE = {
  pca: () => SCATTER,
  correlation: () => CORRELATION,
  sketch: () => SKETCHED,
  dca: ({ method }) =>
    discriminant({
      pencil: ({ between, total, within }, definite) =>
        method.form === 'standard'
          ? { A: addRidge(between(0), method.signalRidge), B: definite(total(), method.ridge) }
          : {
              A: definite(total(), method.ridge + method.signalRidge),
              B: definite(within(), method.ridge),
            },
      allowed: { ...method, isRatio: method.form === 'standard' && method.signalRidge === 0 },
    }),
  lda: ({ method }) =>
    discriminant({
      pencil: ({ between, within }, definite) => ({ A: between(0), B: definite(within(), method.ridge) }),
      allowed: method,
    }),
  mdr: ({ method }) =>
    discriminant({
      pencil: ({ between }) => ({ A: between(0), B: addRidge(between(1), method.ridge) }),
      allowed: { ...method, parts: 2 },
      summed: bothBetween,
    }),
  ridge: ({ method }) =>
    regression(method, ({ floor }, given) => ridgeRegression({ ...given, diagonal: floor?.ridge })),
  pcr: ({ method }) => regression(method, regressionOnComponents),
  histogram: ({ method }) => histogramReference(method),
  moments: () => MOMENTS,
} as const satisfies MethodTable<Reference>;

/** Returns what this package knows of the method of a task. */
export function referenceOf(task: MethodOf<MethodParameters>): Reference {
  return entryOf<Reference>(REFERENCE, task);
}

/**
 * The method's eigenproblem for the pooled statistics.
 * @throws ERR_TASK_INVALID, ERR_TOO_MANY_COMPONENTS, ERR_STATISTICS_INVALID, ERR_NO_SAMPLES,
 *   ERR_MINIMUM_OWNERS, ERR_SINGLE_CLASS; ERR_PROGRAM_INVALID for a method that decomposes nothing
 */
export function pencil(program: Program, pooled: Statistics): Pencil {
  return referenceOf(program).pencil(program, pooled);
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
 * @throws as `decompose`; ERR_PROGRAM_INVALID for a method that has sums opened instead
 */
export function resultInClear(program: Program, pooled: Statistics, signs?: Int32Array): Result {
  return asReleased(program, referenceOf(program).fromStatistics(program, pooled, signs));
}

/**
 * The result of a method whose noisy sums the servers open.
 * @param sums with both servers' noise, without the number of owners
 * @throws ERR_PROGRAM_INVALID for a method that opens none, or another number of them; ERR_DP_PARAMETER
 */
export function resultOfSums(task: StatisticsTask, sums: readonly bigint[]): Result {
  return referenceOf(task).fromSums(task, sums);
}

/** Returns a result with every number cut as `ReleasedFraction` says; as it is without a floor. */
export function asReleased<Of extends Result>(
  program: Pick<Program, 'method' | 'sketch' | 'floor'>,
  result: Of,
): Of {
  const { floor } = program;
  return floor === undefined ? result : (referenceOf(program).cut(result, floor.released) as Of);
}
