/** The one list of methods: every other table of methods is `satisfies Record<MethodName, …>`. */
import { z } from 'zod';
import { expecting } from './codes.ts';
import { correlation } from './correlation.ts';
import { dca } from './dca.ts';
import type { Drafted, Flag, Flags, FlagValues, MethodDraft } from './draft.ts';
import type { Feature } from './features.ts';
import { histogram } from './histogram/histogram.ts';
import type { Immutable } from './immutable.ts';
import { lda } from './lda.ts';
import { mdr } from './mdr.ts';
import type { Definition, Method } from './method.ts';
import { moments } from './moments.ts';
import type { MethodOf } from './parameters.ts';
import { pca } from './pca.ts';
import { pcr } from './pcr.ts';
import { ridge } from './ridge.ts';
import { sketch } from './sketch.ts';

export const METHODS = { pca, correlation, sketch, dca, lda, mdr, ridge, pcr, histogram, moments } as const;
export type MethodName = keyof typeof METHODS;

/** The signed form of a method: its kind, which `pca`, `correlation` and `sketch` share, and its parameters. */
export type MethodParameters = Immutable<Mutable>;
type Mutable = z.infer<(typeof METHODS)[MethodName]['parameters']>;

const FORMS = new Set(
  Object.values<{ readonly parameters: z.ZodObject }>(METHODS).map((it) => it.parameters),
);

export const MethodParameters = z
  .discriminatedUnion('kind', [...FORMS] as [z.ZodObject, ...z.ZodObject[]])
  .describe('What is computed. Reveals: see components.') as unknown as z.ZodType<Mutable>;

/** Returns which method a task has: a PCA is one of the covariance, of the correlation, or a sketch. */
export function methodNameOf({ method, sketch }: MethodOf<MethodParameters>): MethodName {
  if (method.kind !== 'pca') return method.kind;
  if (method.scale === 'correlation') return 'correlation';
  return sketch === undefined ? 'pca' : 'sketch';
}

/**
 * Returns the method of a task, with its parameters.
 * @example
 * import { methodOf } from '@eigenveil/methods';
 *
 * methodOf({ method: { kind: 'lda', ridge: 1 } }).labellings; // → 1
 */
export function methodOf(task: MethodOf<MethodParameters>): TaskMethod {
  const name = methodNameOf(task);
  const { of, labellings, revealedByRotation, isLinear, result } = METHODS[name];
  return {
    ...(of as (task: MethodOf<MethodParameters>) => Method)(task),
    name,
    labellings,
    revealedByRotation,
    isLinear,
    result: result.kind,
  };
}

/** A table of methods: an entry for each, by the parameters of a task. */
export type MethodTable<Entry> = {
  readonly [Name in MethodName]: (task: Parameters<(typeof METHODS)[Name]['of']>[0]) => Entry;
};

/** Returns the entry of a task's method. */
export function entryOf<Entry>(table: MethodTable<Entry>, task: MethodOf<MethodParameters>): Entry {
  return (table[methodNameOf(task)] as (task: MethodOf<MethodParameters>) => Entry)(task);
}

/** A method with its name, and what it has whatever its parameters are. */
export type TaskMethod = Method &
  Pick<Definition<z.ZodObject>, 'labellings' | 'revealedByRotation' | 'isLinear'> & {
    readonly name: MethodName;
    readonly result: ResultKind;
  };

/** Returns whether the vectors of a method are principal components, whose eigenvalues are parts of a trace. */
export const isPrincipal = ({ decomposes }: Pick<Method, 'decomposes'>): boolean =>
  decomposes === 'scatter' || decomposes === 'correlation';

/** The kinds of results. */
export type ResultKind = (typeof METHODS)[MethodName]['result']['kind'];

/** Returns what is known of the drafts of a method, whichever it is. */
export function draftingOf(
  name: MethodName,
): Omit<MethodDraft<MethodParameters, Flags>, 'parameters' | 'features'> {
  return METHODS[name].draft;
}

/** Returns the schema of a method's flags, which fills in their defaults and refuses other flags. */
export function flagsSchema(name: MethodName): z.ZodType<FlagValues<Flags>> {
  const { flags } = draftingOf(name);
  return z.strictObject(
    Object.fromEntries(
      Object.entries(flags).map(([flag, { schema, default: usual }]) => [
        flag,
        usual === undefined ? schema : schema.prefault(usual),
      ]),
    ),
  );
}

/** The part of a task that a method drafts. */
export interface DraftedMethod extends MethodOf<MethodParameters> {
  readonly features: readonly Feature[];
}

/**
 * Returns what a method drafts from the values of its flags.
 * @param flags those that are left out have their defaults
 * @throws ZodError for flags that the method does not have, and values that they do not take;
 *   ERR_TASK_INVALID, ERR_DP_PARAMETER
 * @example
 * import { draftedMethod } from '@eigenveil/methods';
 *
 * const features = [{ name: 'a', min: 0, max: 1 }, { name: 'b', min: 0, max: 1 }];
 * const drafted = { features, components: 1, ridge: 1, epsilon: undefined, delta: 1e-6 };
 * (await draftedMethod('lda', {}, drafted)).method; // → { kind: 'lda', ridge: 1 }
 */
export async function draftedMethod(
  name: MethodName,
  flags: Readonly<Record<string, unknown>>,
  drafted: Drafted,
): Promise<DraftedMethod> {
  const { isLinear, draft } = METHODS[name];
  const values = flagsSchema(name).parse(flags);
  const own = values as never; // those of the method's own flags
  expecting(
    !isLinear || drafted.epsilon !== undefined,
    `"epsilon" expected: ${name} is released with noise alone`,
  )();
  return {
    ...(await draft.parameters(own, drafted)),
    features: 'features' in draft ? draft.features(drafted.features, own) : drafted.features,
  };
}

/** Returns the flag of a method whose value names a column or a result, with that value if it is given. */
export function flagNaming(
  what: NonNullable<Flag['names']>,
  name: MethodName,
  values: Readonly<Record<string, unknown>>,
): { readonly flag: string; readonly value: string } | undefined {
  const { flags } = draftingOf(name);
  const flag = Object.keys(flags).find((it) => flags[it]!.names === what);
  const value = flag === undefined ? undefined : values[flag];
  return flag !== undefined && typeof value === 'string' ? { flag, value } : undefined;
}

/** The kinds of methods whose result is a projection. */
export type ProjectionKind = 'pca' | 'dca' | 'lda' | 'mdr';
