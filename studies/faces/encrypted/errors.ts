/** Errors of reconstruction of any arm, by the study's own function, from only the rows that the arm has reduced. */
import type { Components } from '../components.ts';
import { type Errors, reconstructionErrors } from '../reconstruction.ts';
import { type Beyond, dot, gramOf, type Matrix, type Span, spanOf } from '../span.ts';
import type { Arm, SizedSplit } from './arms.ts';

/**
 * The vectors by which training rows were reduced, in principal directions of these rows: a direction is a sum of centred rows, so its
 * product with a vector is the same sum of reduced rows. What a vector has beyond the span of the training rows does not show in them;
 * that of PCA, of a sketch and of DCA on either is in the span, except for rounding.
 */
export function componentsOf({ weights }: Span, train: readonly number[], reduced: Matrix): Components {
  const vectors = reduced[0]!.map((_, c) => {
    const column = train.map((row) => reduced[row]![c]!);
    return weights.map((weight) => dot(weight, column));
  });
  return { vectors, before: vectors.length, lengthBeyond: undefined };
}

/** No arm has components there. */
const NOTHING_BEYOND: Beyond = { directions: 0, centre: new Float64Array(0), rows: new Map() };

/** The part of the pixels that the first k components of reduced rows lead back, for each arm and k; numbers of components that it has not are left out. */
export function errorsOf(
  { rows, train, test }: Pick<SizedSplit, 'rows' | 'train' | 'test'>,
  arms: readonly Arm[],
): readonly ReadonlyMap<number, Errors>[] {
  const gram = gramOf(rows);
  const span = spanOf(gram, train);
  return arms.map(({ reduced, dimensions }) => {
    const components = componentsOf(span, train, reduced);
    const own = dimensions.filter((k) => k <= components.vectors.length);
    const errors = reconstructionErrors(
      gram,
      { span, beyond: NOTHING_BEYOND, components },
      { train, test },
      own,
    );
    return new Map(own.map((k, i) => [k, errors[i]!]));
  });
}
