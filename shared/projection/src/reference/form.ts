/** The form of what this package knows of one method. */
import type { FlatResult, Result } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics';
import type { Program, ReleasedFraction, StatisticsTask } from '@eigenveil/task';
import type { AgreedTask, ClaimedProjection } from '../claims/claimed.ts';
import { PROJECTION_CODES } from '../codes.ts';

/** Symmetric d × d matrices of A w = λ B w; without B, of A w = λ w. */
export interface Pencil {
  readonly A: number[][];
  readonly B?: number[][];
}

/** The part of a task that a forecast depends on. */
export type ForecastTask = Pick<StatisticsTask, 'features' | 'differentialPrivacy'>;

/**
 * All that this package knows of a method with the parameters of one task. Functions that take a result take one
 * of the method's kind.
 */
export interface Reference {
  /**
   * The method's eigenproblem for the pooled statistics.
   * @throws ERR_PROGRAM_INVALID for a method that has none, and as `pencil`
   */
  pencil(program: Program, pooled: Statistics): Pencil;
  /**
   * The result of pooled statistics, before numbers are cut to what a floor leaves them worth.
   * @throws ERR_PROGRAM_INVALID for a method that has sums opened instead, and as `decompose`
   */
  fromStatistics(program: Program, pooled: Statistics, signs?: Int32Array): Result;
  /**
   * The result of opened sums.
   * @throws ERR_PROGRAM_INVALID for a method that opens none, or another number of them; ERR_DP_PARAMETER
   */
  fromSums(task: StatisticsTask, sums: readonly bigint[]): Result;
  /**
   * Checks that a claimed result is one that the task can have.
   * @throws ERR_PROJECTION_INVALID
   */
  check(task: AgreedTask, claimed: ClaimedProjection): void;
  /** The result with every number cut to what a floor leaves it worth. */
  cut(result: Result, released: ReleasedFraction): Result;
  /** The longest that the members can be that the signed form has of this kind of results alone. */
  longest(task: StatisticsTask, longest: number): Partial<FlatResult>;
  /**
   * Returns what can be said of the result before anybody contributes, a line each.
   * @throws ERR_DP_PARAMETER
   */
  forecast(task: ForecastTask): readonly string[];
  /** The reason why rows are not reduced by the result; undefined where they are. */
  readonly withoutVectors?: string;
  /** The distance of a result from the one of exact rows: an angle in radians, or a part of its length. */
  distance(exact: Result, other: Result): number;
}

export function noComponents(got: string): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_PROGRAM_INVALID,
    `"method" expected one that decomposes, got ${got}`,
  );
}

/** The member of methods that open no sums. */
export function fromSums(task: StatisticsTask): never {
  throw new CodedError(
    PROJECTION_CODES.ERR_PROGRAM_INVALID,
    `"method" expected one that opens sums, got ${task.method.kind}`,
  );
}

/** The members of methods whose sums are opened, with noise of their own: it is no smaller than a floor. */
export const OPENED = {
  pencil,
  fromStatistics: pencil,
  cut: <Of extends Result>(result: Of) => result,
  distance: () => 0, // what follows from sums does not go by how cells are rounded
};

/** @throws ERR_PROGRAM_INVALID for another number of opened sums */
export function checkCount(sums: readonly bigint[], expected: number): void {
  if (sums.length !== expected)
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `expected ${expected} sums, got ${sums.length}`,
    );
}

/** The member of methods that decompose nothing. */
export function pencil({ method }: Program): never {
  throw noComponents(method.kind);
}
