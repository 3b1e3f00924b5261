/** The form of a method's draft: its own flags, and the parameters of a task that follow from them. */
import { z } from 'zod';
import { invalid } from './codes.ts';
import type { Feature } from './features.ts';
import type { MethodOf } from './parameters.ts';

/** A flag of a draft: the command makes an option of it, and the console a control. */
export interface Flag<Schema extends z.ZodType = z.ZodType> {
  /** The schema of the value; .optional() where there need not be one. */
  readonly schema: Schema;
  /** One line for help. */
  readonly description: string;
  /** The value where the flag is not given; a flag without it and without .optional() must be given. */
  readonly default?: z.input<Schema>;
  /** The name of the value in help: `NUMBER`. Left out for switches. */
  readonly placeholder?: string;
  /**
   * The thing that a text names. `target`: a column of the sample, the feature that is predicted and comes last.
   * `result`: the id of a task that is done, in whose place `parameters` takes the digest of its result.
   */
  readonly names?: 'target' | 'result';
}

/** Flags by the names of settings: `signalRidge` is `--signal-ridge`. */
export type Flags = Readonly<Record<string, Flag>>;
export type FlagValues<Own extends Flags> = { readonly [Name in keyof Own]: z.output<Own[Name]['schema']> };

/** The part of a draft that parameters may follow from, besides flags. */
export interface Drafted {
  readonly features: readonly Feature[];
  /** The number of components that is asked for; 0 for a method without. */
  readonly components: number;
  /** ρ where no flag gives it: 1 in units of the scatter of features in [−1, 1], of a chain those of its first task. */
  readonly ridge: number;
  /** Undefined without differential privacy. */
  readonly epsilon: number | undefined;
  /** δ of differential privacy. */
  readonly delta: number;
}

/** The way from a sample and flags to a task of a method. */
export interface MethodDraft<Parameters, Own extends Flags> {
  /** The purpose of the method, in one line that begins with a verb: `finds …`. */
  readonly purpose: string;
  /** Paragraphs on the method and its flags, for help. */
  readonly details: string;
  /** The flags of an example, its own and those that it needs of others. */
  readonly example: string;
  readonly flags: Own;
  readonly parameters: (
    flags: FlagValues<Own>,
    drafted: Drafted,
  ) => MethodOf<Parameters> | Promise<MethodOf<Parameters>>;
  /** Returns the features as the method has them; left out: those of the sample. */
  readonly features?: (sampled: readonly Feature[], flags: FlagValues<Own>) => Feature[];
  /** True if a number of components is asked for. */
  readonly hasComponents: boolean;
  /** True if differential privacy can be asked for. Linear methods need it. */
  readonly takesEpsilon: boolean;
  /**
   * True if values are counted by bins and nothing else: then ranges are wide on purpose, and nothing goes by grains or by how values are rounded.
   */
  readonly countsValues?: boolean;
  /**
   * Returns the clipping norm for a number of features; null where rows are not scaled down. Left out: √(d/3), which
   * shortens some rows for less noise.
   */
  readonly clippingNorm?: (features: number) => number | null;
  /**
   * True if columns stay that follow from others, as in every draft without a floor. They do with many
   * features: in a sample of fewer rows all of them follow from others.
   */
  readonly keepsDependent?: boolean;
}

/** The column that a regression predicts. */
export const TARGET_FLAG = {
  schema: z.string().min(1),
  description: 'the column that is predicted from the others',
  placeholder: 'NAME',
  names: 'target',
} as const satisfies Flag;

/** ρ of methods with a ridge. */
export const RIDGE_FLAG = {
  schema: z.number().min(0).optional(),
  description: 'ρ, in units of the scatter of features in [−1, 1] (default: 1)',
  placeholder: 'NUMBER',
} as const satisfies Flag;

/** In place of ρ of a discriminant: as the code that accompanies the book of compressive privacy takes it where none is given. */
export const BOOK_RIDGE = 'book';
/** ρ of BOOK_RIDGE, in units of the largest eigenvalue of S_W. */
export const BOOK_RIDGE_SHARE = 0.02;
/** ρ′ that goes with it in the book's form of DCA, in units of that ρ. */
export const BOOK_SIGNAL_SHARE = 0.1;

/** ρ of methods with labels, which may be taken from the sample. */
export const DISCRIMINANT_RIDGE_FLAG = {
  schema: z.union([RIDGE_FLAG.schema.unwrap(), z.literal(BOOK_RIDGE)]).optional(),
  description: `ρ, in units of the scatter of features in [−1, 1], or ${BOOK_RIDGE}: ${BOOK_RIDGE_SHARE} times the largest eigenvalue of the scatter within classes in the sample (default: 1)`,
  placeholder: `NUMBER|${BOOK_RIDGE}`,
} as const satisfies Flag;

/**
 * Returns ρ of a discriminant's draft.
 * @throws ERR_TASK_INVALID for BOOK_RIDGE, in whose place who drafts puts a number from the sample
 */
export function discriminantRidge(flag: number | typeof BOOK_RIDGE | undefined, { ridge }: Drafted): number {
  if (flag === BOOK_RIDGE) throw invalid('ridge', 'a number from the sample', BOOK_RIDGE);
  return flag ?? ridge;
}
