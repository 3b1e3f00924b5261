/** The one list of methods: every other table of methods is `satisfies Record<MethodName, …>`. */
import { z } from 'zod';
import { correlation } from './correlation.ts';
import { dca } from './dca.ts';
import { histogram } from './histogram/histogram.ts';
import type { Immutable } from './immutable.ts';
import { lda } from './lda.ts';
import { mdr } from './mdr.ts';
import type { Definition, Method, MethodOf } from './method.ts';
import { pca } from './pca.ts';
import { ridge } from './ridge.ts';
import { sketch } from './sketch.ts';

export const METHODS = { pca, correlation, sketch, dca, lda, mdr, ridge, histogram } as const;
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
  const { of, labellings, revealedByRotation } = METHODS[name];
  return {
    ...(of as (task: MethodOf<MethodParameters>) => Method)(task),
    name,
    labellings,
    revealedByRotation,
  };
}

/** A method with its name, and what it has whatever its parameters are. */
export type TaskMethod = Method &
  Pick<Definition<z.ZodObject>, 'labellings' | 'revealedByRotation'> & { readonly name: MethodName };

/** The kinds of methods whose result is a projection. */
export type ProjectionKind = 'pca' | 'dca' | 'lda' | 'mdr';
