/**
 * Results: in memory one of a union by kind, in the form that is signed one flat object with the members of
 * all kinds.
 */
import { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import { METHOD_CODES } from './codes.ts';
import { METHODS, type MethodName, type MethodParameters, methodOf, type ResultKind } from './methods.ts';
import type { MethodOf } from './parameters.ts';
import type { ResultForm } from './result.ts';

type Form = (typeof METHODS)[MethodName]['result'];
type Optional<Members extends z.ZodRawShape> = {
  -readonly [Name in keyof Members]: z.ZodOptional<Members[Name]>;
};
type All<Union> = (Union extends unknown ? (it: Union) => void : never) extends (it: infer Both) => void
  ? Both
  : never;

/** Each kind of results once. */
export const RESULT_FORMS: ReadonlySet<ResultForm> = new Set(
  Object.values<{ readonly result: ResultForm }>(METHODS).map((it) => it.result),
);

const OWN = Object.fromEntries(
  [...RESULT_FORMS].flatMap(({ members }) =>
    Object.entries<z.core.$ZodType>(members).map(([name, it]) => [name, z.optional(it)]),
  ),
) as unknown as All<Form extends ResultForm ? Optional<Form['members']> : never>;

/** The declared outputs of a task, and what its computation says of itself. */
const OUTPUTS = {
  /**
   * True for each component of which a computation of limited precision found the eigenpair; absent where
   * nothing is in doubt.
   */
  converged: z.array(z.boolean()).optional(),
  /** One mean per scaled feature, in [−1, 1]. */
  mean: z.array(z.number()).optional(),
  /** Trace of the total scatter; of a correlation matrix the number of features with variance. */
  trace: z.number().optional(),
  sampleCount: z.number().optional(),
  /**
   * All eigenvalues of the same matrix, descending; of MDR those of the sum of both between-class scatters.
   */
  spectrum: z.array(z.number()).optional(),
  /** One count of rows per labelling of the task and class. */
  classCounts: z.array(z.array(z.int().min(0))).optional(),
  /** One number per scaled feature, over rows: of features that were standardised. */
  variances: z.array(z.number()).optional(),
};

/** The members of the signed form of a result, of whatever kind. */
export const RESULT_MEMBERS = {
  /**
   * One vector per component over the scaled features, its entry of largest magnitude positive. Length 1; of
   * a correlation matrix such a one with each entry over its feature's standard deviation.
   */
  vectors: z.array(z.array(z.number())),
  /**
   * One eigenvalue per component, descending, of the undivided scatter of features in [−1, 1], or of its
   * correlation matrix.
   */
  eigenvalues: z.array(z.number()),
  ...OUTPUTS,
  ...OWN,
};
/** The signed form of a result as it is read. */
export type SignedResult = z.infer<z.ZodObject<typeof RESULT_MEMBERS>>;
/** The signed form of a result as it is made: what it does not have is not there. */
export interface FlatResult extends Exact<SignedResult> {}

type Exact<It> = { readonly [Name in keyof It]: Exclude<It[Name], undefined> };
interface Outputs extends Exact<z.infer<z.ZodObject<typeof OUTPUTS>>> {}
/** The result of a method with vectors. */
export interface Components extends Outputs, Pick<FlatResult, 'vectors' | 'eigenvalues'> {
  readonly kind: 'components';
}
type Own<It> =
  It extends ResultForm<Exclude<ResultKind, 'components'>>
    ? { readonly kind: It['kind'] } & Readonly<z.infer<z.ZodObject<It['members']>>> & Outputs
    : never;
/** A result in memory. Every kind but the first has the members that its form names. */
export type Result = Components | Own<Form>;
export type ResultOf<Kind extends ResultKind> = Extract<Result, { readonly kind: Kind }>;
/** The result of a regression. */
export interface Fitted extends ResultOf<'regression'> {}
/** The result of histograms. */
export interface Counted extends ResultOf<'counts'> {}

/**
 * Returns a result of the given kind.
 * @throws ERR_PROGRAM_INVALID for one of another kind
 */
export function ofKind<Kind extends ResultKind>(kind: Kind, result: Result): ResultOf<Kind> {
  if (result.kind === kind) return result as ResultOf<Kind>;
  throw new CodedError(
    METHOD_CODES.ERR_PROGRAM_INVALID,
    `"method" expected one whose result is ${kind}, got ${result.kind}`,
  );
}

/** Returns the signed form of a result. */
export function flatResult({ kind, ...members }: Result): FlatResult {
  return { vectors: [], eigenvalues: [], ...members };
}

/**
 * Returns what a signed result is in memory.
 * @param signed one that has been checked to be of its method's kind
 */
export function readResult<Signed extends MethodOf<MethodParameters> & SignedResult>(
  signed: Signed,
): Signed & Result {
  return { ...signed, kind: methodOf(signed).result } as Signed & Result;
}
