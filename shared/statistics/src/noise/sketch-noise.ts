/** The floor of a sketch: E·Ω for noise E on the scatter matrix, without the d² numbers of E. docs/floor.md says why it is on the scatter and not on the sketch's entries. */
import type { RandomSource } from '@eigenveil/privacy';
import type { StatisticsTask } from '@eigenveil/task';
import { gaussiansOf } from './gaussians.ts';

/** A standard normal number is drawn in units of 2^−40. */
const NORMAL_UNIT = 2 ** 40;
/** A column of which no more is left beside those before it depends on them. */
const DEPENDENT = 1e-9;

interface Asked {
  /** Ω, d × l, row by row. */
  readonly signs: ArrayLike<number>;
  readonly columns: number;
  /** Per feature. Noise on entry (i, j) has the deviation scales[i]·scales[j], √2 times that on the diagonal. */
  readonly scales: readonly number[];
}

/**
 * E·Ω, d × l, row by row, rounded to whole numbers, for E = G W G with G = diag(scales) and W of the Gaussian orthogonal ensemble.
 *
 * G·Ω = B·R with orthonormal columns B. W·B has the part B·BᵀWB in their span, and BᵀWB is of the ensemble again; the rest of W·B, orthogonal to B, is as that of independent
 * normal numbers. So d·l of these and a small matrix of the ensemble have exactly the distribution of W·B.
 */
export function sketchNoise({ signs, columns: l, scales }: Asked, source: RandomSource): bigint[] {
  const d = scales.length;
  const draw = gaussiansOf(source);
  const normal = () => Number(draw(NORMAL_UNIT)) / NORMAL_UNIT;
  const { basis, factor } = orthonormal(
    Array.from({ length: l }, (_, a) => Float64Array.from(scales, (own, i) => own * signs[i * l + a]!)),
  );
  const inside = basis.map(() => new Float64Array(basis.length));
  for (let a = 0; a < basis.length; a += 1)
    for (let b = a; b < basis.length; b += 1)
      inside[a]![b] = inside[b]![a] = normal() * (a === b ? Math.SQRT2 : 1);
  // W·B, column by column.
  const turned = basis.map((_, b) => {
    const column = Float64Array.from({ length: d }, normal);
    for (const [a, other] of basis.entries()) add(column, other, inside[a]![b]! - inner(column, other));
    return column;
  });
  const noise = new Array<bigint>(d * l);
  for (let a = 0; a < l; a += 1) {
    const column = new Float64Array(d);
    for (const [b, weight] of factor[a]!.entries()) add(column, turned[b]!, weight);
    for (let i = 0; i < d; i += 1) noise[i * l + a] = BigInt(Math.round(scales[i]! * column[i]!));
  }
  return noise;
}

/**
 * Ω of the task.
 * @throws RangeError for another size, or none
 */
export function checkSigns(
  { features, sketch }: Pick<StatisticsTask, 'features' | 'sketch'>,
  signs: Int32Array | undefined,
): Int32Array {
  if (signs === undefined || signs.length !== features.length * (sketch?.columns ?? 0))
    throw new RangeError('"signs" expected those of the sketch, for its floor');
  return signs;
}

/** An orthonormal basis of these columns, and of each column what it is in the basis. */
function orthonormal(columns: readonly Float64Array[]): { basis: Float64Array[]; factor: number[][] } {
  const basis: Float64Array[] = [];
  const factor = columns.map((column) => {
    const rest = Float64Array.from(column);
    const weights = basis.map(() => 0);
    // Twice: once leaves what rounding left.
    for (let pass = 0; pass < 2; pass += 1) {
      for (const [b, other] of basis.entries()) {
        const part = inner(rest, other);
        weights[b]! += part;
        add(rest, other, -part);
      }
    }
    const left = Math.sqrt(inner(rest, rest));
    if (left <= DEPENDENT * Math.sqrt(inner(column, column))) return weights;
    basis.push(rest.map((entry) => entry / left));
    return [...weights, left];
  });
  return { basis, factor };
}

function inner(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}

function add(to: Float64Array, other: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i += 1) to[i]! += factor * other[i]!;
}
