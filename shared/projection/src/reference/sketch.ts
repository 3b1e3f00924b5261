/**
 * PCA from a sketch, in the clear: the reference for sketched tasks. T ≈ TΩ (ΩᵀTΩ)⁻¹ (TΩ)ᵀ (Tropp, Yurtsever,
 * Udell, Cevher, "Fixed-rank approximation of a positive-semidefinite matrix from streaming data", NeurIPS
 * 2017), with a shift that keeps ΩᵀTΩ from being nearly singular.
 */
import { type Components, sketchScaleBits } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics';
import { checkProgram, type Program, raiseOf } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import { SCATTER } from './components.ts';
import { cholesky, type EigenPairs, fixSign, symmetricEigen } from './eigen.ts';
import type { Reference } from './form.ts';
import { rankOf, rankRefusal } from './pca.ts';
import { checkShape, checkStatistics } from './pooled.ts';
import { meanOfRows, totals } from './scatter.ts';

/**
 * ν, as a part of the mean of the diagonal of ΩᵀTΩ, for each of the d features: the columns of Ω have a
 * square of d or so.
 */
const SHIFT = 1e-7;

type Matrix = readonly (readonly number[])[];

/** A sketch: its result must keep to what one of the scatter must. */
export const SKETCHED = { ...SCATTER, fromStatistics: decomposeSketch } satisfies Reference;

/**
 * Decomposes a sketch; the outputs are those that each one declares.
 * @throws as `decompose`
 */
function decomposeSketch(program: Program, pooled: Statistics, signs?: Int32Array): Components {
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
  const { noisedSums } = pooled;
  const raise = noisedSums ? Number(raiseOf(program.floor)) * 4 ** -fractionBits : 0;
  const spectrum = values.map((value) => value - raise);
  const tooFew = program.floor && rankRefusal(spectrum, program);
  if (tooFew) throw tooFew;
  const told = noisedSums ? [[{ V: noisedSums[0]![0]!, M: totals(pooled).M }]] : pooled.labellings;
  return {
    kind: 'components',
    vectors: vectors.slice(0, components),
    eigenvalues: spectrum.slice(0, components),
    mean: meanOfRows({ ...pooled, labellings: told }, fractionBits),
    sampleCount,
  };
}

/**
 * A sketch of a positive semidefinite matrix T (d × d) by Ω of l columns: of signs, or of numbers about as
 * large.
 */
export interface Sketch {
  /** TΩ: l columns of d numbers. */
  readonly columns: Matrix;
  /** Ω, row by row. */
  readonly signs: ArrayLike<number>;
}

/**
 * A sketch of the total scatter S̄ = R − V Vᵀ/Q, centred exactly before it is rounded: S̄Ω = Y − V (VᵀΩ)/Q.
 * Of what servers compute with where there is a floor, it is one of S̄ + E, raised, about whole numbers p
 * near to the mean that is told: R − pVᵀ − Vpᵀ + Qppᵀ is S̄ except for (V − Qp)(V − Qp)ᵀ/Q.
 * @param signs Ω, row by row, as sketchMatrix makes it
 * @throws RangeError for signs of another size
 */
export function sketchOf(
  { Y = [], labellings, noisedSums }: Statistics,
  signs: Int32Array,
  { fractionBits, floor, ...task }: Pick<Program, 'fractionBits' | 'sketch' | 'floor'>,
): Sketch {
  const unit = 2 ** sketchScaleBits(task);
  const { V, M } = labellings[0]![0]!;
  const l = Y.length / V.length;
  if (signs.length !== Y.length)
    throw new RangeError(`"signs" expected ${V.length} × ${l} of them, got ${signs.length}`);
  const sumsOf = (values: readonly bigint[]) =>
    Array.from({ length: l }, (_, a) =>
      values.reduce((sum, value, i) => sum + value * BigInt(signs[i * l + a]!), 0n),
    );
  const p = noisedSums && noisedSums[0]![0]!.map((sum) => sum / M);
  const raise = noisedSums ? raiseOf(floor) : 0n;
  const [ofSums, ofMean] = [sumsOf(V), sumsOf(p ?? [])];
  const scale = Number(M) * 4 ** fractionBits * unit;
  const centred = (place: number, i: number, a: number) => {
    if (p === undefined) return M * Y[place]! - V[i]! * ofSums[a]!;
    const local = (M * p[i]! - V[i]!) * ofMean[a]! - p[i]! * ofSums[a]!;
    return M * (Y[place]! + local + raise * BigInt(signs[place]!));
  };
  const columns = ofSums.map((_, a) => V.map((__, i) => Number(centred(i * l + a, i, a)) / scale));
  return { columns, signs: Float64Array.from(signs, (entry) => entry / unit) };
}

/**
 * The refusal of a sketch that is, or may be, the whole scatter matrix: of as many columns as the rank can be
 * with this number of rows, or of more than the rank is.
 */
export function sketchRefusal(sketch: Sketch, rows: number): CodedError | undefined {
  const l = sketch.columns.length;
  const isWhole = rows - 1 <= l || rankOf(symmetricEigen(coreOf(sketch)).values) < l;
  return isWhole ? sketchIsWhole(l) : undefined;
}

/** The refusal of a sketch of so many columns that is the whole scatter matrix. */
export function sketchIsWhole(columns: number): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_FULL_RANK,
    `"sketch.columns" expected fewer than the rank of the scatter matrix, and than rows less one, got ${columns}: propose a task with fewer columns, or with more rows`,
  );
}

/** ΩᵀTΩ (l × l), from whose pencil with (TΩ)ᵀTΩ the vectors come. */
export function coreOf({ columns, signs }: Sketch): number[][] {
  const l = columns.length;
  const half = columns.map((column) =>
    Array.from({ length: l }, (_, a) => {
      let sum = 0;
      for (let i = 0; i < column.length; i += 1) sum += signs[i * l + a]! * column[i]!;
      return sum;
    }),
  );
  return half.map((row, a) => row.map((entry, b) => (entry + half[b]![a]!) / 2));
}

/**
 * All l eigenpairs of TΩ (ΩᵀTΩ + νdI)⁻¹ (TΩ)ᵀ that are not zero, as of the pencil ((TΩ)ᵀTΩ, ΩᵀTΩ + νdI): ν is
 * 1e-7 of the mean of the diagonal of ΩᵀTΩ. No eigenvalue is larger than that of T in its place.
 * @throws ERR_NOT_FINITE, ERR_NOT_POSITIVE_DEFINITE
 */
export function sketchEigen(sketch: Sketch): EigenPairs {
  const core = coreOf(sketch);
  const l = core.length;
  const d = sketch.columns[0]!.length;
  const shift = (SHIFT * d * core.reduce((sum, row, a) => sum + row[a]!, 0)) / l;
  const L = cholesky(core.map((row, a) => row.map((entry, b) => (a === b ? entry + shift : entry))));
  const { columns } = sketch;
  // E = TΩ L⁻ᵀ, so that the product is E Eᵀ; EᵀE has its eigenvalues.
  const E: number[][] = [];
  for (let a = 0; a < l; a += 1) {
    const column = [...columns[a]!];
    for (let b = 0; b < a; b += 1)
      for (let i = 0; i < column.length; i += 1) column[i]! -= L[a]![b]! * E[b]![i]!;
    E.push(column.map((entry) => entry / L[a]![a]!));
  }
  const small = symmetricEigen(E.map((one) => E.map((other) => inner(one, other))));
  const vectors = small.vectors.map((x) => {
    const vector = new Array<number>(columns[0]!.length).fill(0);
    for (const [a, weight] of x.entries())
      for (let i = 0; i < vector.length; i += 1) vector[i]! += weight * E[a]![i]!;
    const length = Math.sqrt(inner(vector, vector));
    return fixSign(vector.map((entry) => entry / length));
  });
  return { values: small.values, vectors };
}

function inner(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}
