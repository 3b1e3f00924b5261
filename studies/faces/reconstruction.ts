/** Mean errors of faces that are led back from their first k components: as the book's listing computes them, and as one would mean them. */
import { type Components, partsOf } from './components.ts';
import { type Beyond, dot, type Matrix, orthonormal, type Span } from './span.ts';

export interface Errors {
  /** The listing's: rows not centred, and the i-th row of the set compared with the i-th of training rows and then test rows. */
  readonly listing: number;
  /** Rows not centred, each compared with itself. */
  readonly uncentred: number;
  /** Rows less the training rows' mean, each compared with itself. */
  readonly centred: number;
  /** The error of held-out rows alone. */
  readonly heldOut: number;
}

export interface Split {
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/** Returns, for each k, the means over all rows. */
export function reconstructionErrors(
  gram: Matrix,
  {
    span,
    beyond,
    components,
  }: { readonly span: Span; readonly beyond: Beyond; readonly components: Components },
  { train, test }: Split,
  dimensions: readonly number[],
): Errors[] {
  // The first vectors, in this number, span the same as the components, and are orthonormal.
  const basis = orthonormal(components.vectors);
  const turned = (coordinates: readonly number[]) => basis.map((direction) => dot(direction, coordinates));
  const inside = span.coordinates.map(turned);
  const centre = turned(span.centre);
  const outside = span.coordinates.map((_, row) => beyond.rows.get(row) ?? beyond.centre);
  const order = [...train, ...test];
  return dimensions.map((k) => {
    const parts = partsOf(components, k, beyond.directions);
    const product = (a: number, b: number) =>
      upTo(parts.inside, inside[a]!, inside[b]!) + upTo(parts.beyond, outside[a]!, outside[b]!);
    const centredError = (row: number): number => {
      const whole = gram[row]![row]! - 2 * span.withCentre[row]! + span.centreSquare;
      const kept =
        lengthOf(parts.inside, inside[row]!, centre) + lengthOf(parts.beyond, outside[row]!, beyond.centre);
      return Math.sqrt(Math.max(0, whole - kept));
    };
    return {
      listing: meanOf(order, (row, i) =>
        Math.sqrt(Math.max(0, gram[i]![i]! - 2 * product(i, row) + product(row, row))),
      ),
      uncentred: meanOf(order, (row) => Math.sqrt(Math.max(0, gram[row]![row]! - product(row, row)))),
      centred: meanOf(order, centredError),
      heldOut: meanOf(test, centredError),
    };
  });
}

function upTo(count: number, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

/** Squared, of the first entries of a difference. */
function lengthOf(count: number, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}

const meanOf = (rows: readonly number[], value: (row: number, at: number) => number): number =>
  rows.reduce((sum, row, at) => sum + value(row, at), 0) / rows.length;
