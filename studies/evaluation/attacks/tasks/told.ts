/** Reads what a PCA tells as matrices, and derives what follows from k eigenpairs of a matrix that grew from another. */
import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen, totalScatter } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { inverse, Matrix } from 'ml-matrix';
import { squareOf } from '../../../privacy/methods/matrix.ts';
import { releasedBy } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import type { Population } from './population.ts';

/** Eigenvectors of S̄ in columns (W), and their eigenvalues (Λ). */
export interface Told {
  readonly vectors: Matrix;
  readonly values: readonly number[];
}

export const toldBy = ({ vectors, eigenvalues }: Pick<FlatResult, 'vectors' | 'eigenvalues'>): Told => ({
  vectors: new Matrix(vectors).transpose(),
  values: eigenvalues,
});

/** S̄ of exact sums. */
export const scatterOf = (task: TaskProposal, statistics: Statistics): Matrix =>
  new Matrix(totalScatter(statistics, task.fractionBits));

/** I − W Wᵀ. */
export const outsideOf = ({ vectors }: Pick<Told, 'vectors'>): Matrix =>
  Matrix.sub(Matrix.eye(vectors.rows), vectors.mmul(vectors.transpose()));

/** W Λ Wᵀ. */
export const knownPart = ({ vectors, values }: Told): Matrix =>
  vectors.mmul(Matrix.diag([...values])).mmul(vectors.transpose());

/** Expects S̄ of a number of rows outside of W as the population lets it. */
export function expectedRest(told: Pick<Told, 'vectors'>, { covariance }: Population, rows: number): Matrix {
  const outside = outsideOf(told);
  return outside.mmul(covariance).mmul(outside).mul(rows);
}

/** A part of S̄ with these eigenvalues, and the directions that are expected. */
export function restBySpectrum(expected: Matrix, values: readonly number[]): Matrix {
  const { vectors } = symmetricEigen(expected.to2DArray());
  return knownPart({ vectors: new Matrix(vectors.slice(0, values.length)).transpose(), values });
}

/** The result of a task, and S̄ outside of its vectors: as the population lets it expect, and as a task with consent would show it. */
export function openPart(task: TaskProposal, rows: readonly SceneRow[], population: Population) {
  const released = releasedBy(task, [rows]);
  const told = toldBy(released);
  const outside = outsideOf(told);
  const all = toldBy(releasedBy({ ...task, components: task.features.length, allowFullRank: true }, [rows]));
  return {
    released,
    outside,
    blind: expectedRest(told, population, rows.length),
    truth: knownPart({ ...all, vectors: outside.mmul(all.vectors) }),
  };
}

/** Knowledge beside two tasks that differ in a row. */
interface Beside {
  readonly population: Population;
  /** About the number of rows of the first task. */
  readonly rows: number;
  /** Rounding of eigenvalues and vectors, relative to the largest eigenvalue. */
  readonly precision: number;
}

/**
 * y, up to its sign, where S̄′ = S̄ + y yᵀ and of both k eigenpairs are told: √(Q/(Q + 1)) times what the row differs from the mean by.
 *
 * Within W: w_iᵀy · yᵀw′_j = (λ′_j − λ_i) w_iᵀw′_j, a matrix of rank one. Outside of it (λ′_j − S̄) w′_j = y · yᵀw′_j, so that each vector of the second task
 * gives y⊥ = (λ′_j − S̄⊥) z_j, z_j being its part outside of W over yᵀw′_j: so all of y follows, not only its k coordinates, up to S̄⊥, which the population
 * lets expect. What that expectation is wrong by shows in all j alike, so that the weights of least variance (Gauss, Markov) let it cancel.
 */
export function rowBetween(before: Told, after: Told, { population, rows, precision }: Beside): number[] {
  const { vectors: W, values } = before;
  const [largest, k] = [values[0]!, values.length];
  const products = W.transpose().mmul(after.vectors);
  const rankOne = new Matrix(squareOf(k, (i, j) => (after.values[j]! - values[i]!) * products.get(i, j)));
  const a = Matrix.columnVector(symmetricEigen(rankOne.mmul(rankOne.transpose()).to2DArray()).vectors[0]!);
  const b = rankOne.transpose().mmul(a).to1DArray();
  const rest = expectedRest(before, population, rows);
  const outer = outsideOf(before).mmul(after.vectors);
  // A vector that the row does not move tells nothing about it: its z_j gets no weight.
  const z = b.map((moved, j) => outer.getColumnVector(j).div(moved || Infinity));
  const wrong = rest.norm() ** 2 / (population.rows.length * W.rows);
  const variances = squareOf(k, (i, j) => {
    const rounding = i === j ? ((precision * largest) / (b[j]! || Number.MIN_VALUE)) ** 2 : 0;
    return Math.min(Number.MAX_VALUE, wrong * z[i]!.dot(z[j]!) + rounding);
  });
  const weights = inverse(new Matrix(variances), true).mmul(Matrix.ones(k, 1)).to1DArray();
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const outerRow = z.reduce(
    (sum, part, j) => {
      const candidate = Matrix.mul(part, after.values[j]!).sub(rest.mmul(part));
      return sum.add(candidate.mul(weights[j]! / total));
    },
    Matrix.zeros(W.rows, 1),
  );
  // Its length: 1 = yᵀ (λ′ − S̄)⁻¹ y, for the vector that was moved most.
  const most = b.reduce((best, moved, j) => (Math.abs(moved) > Math.abs(b[best]!) ? j : best), 0);
  const inner = a.to1DArray().reduce((sum, x, i) => sum + x ** 2 / (after.values[most]! - values[i]!), 0);
  return W.mmul(a)
    .add(outerRow)
    .mul(Math.abs(inner + outerRow.dot(z[most]!)) ** -0.5)
    .to1DArray();
}

/**
 * D, the scatter of n rows that were added to a known S̄, from its product K = D W with the k vectors that are told of the sum. What W says of the rest is exact
 * where n ≤ k (D = K (WᵀK)⁺ Kᵀ then, Nyström); beyond that n − k rows' worth of what the population leaves open given W is the mean of what it can be (a Wishart
 * matrix's Schur complement).
 * @param rounding what D's eigenvalues on W must exceed, relative to the largest, to be more than what K is wrong by
 */
export function grownBy(
  before: Matrix,
  after: Told,
  rows: number,
  rounding: number,
  { covariance: C }: Population,
): Matrix {
  const { vectors: W, values } = after;
  const K = Matrix.sub(W.mmul(Matrix.diag([...values])), before.mmul(W));
  const outside = outsideOf(after);
  const within = W.transpose().mmul(K);
  const inner = Matrix.add(within, within.transpose()).div(2);
  const across = outside.mmul(K);
  const oneSided = across.mmul(W.transpose());
  const { inverted, rank } = pseudoInverseOf(inner, rounding);
  const CW = C.mmul(W);
  const taken = CW.mmul(pseudoInverseOf(W.transpose().mmul(CW), 0).inverted).mmul(CW.transpose());
  const open = outside.mmul(Matrix.sub(C, taken)).mmul(outside);
  return W.mmul(inner)
    .mmul(W.transpose())
    .add(oneSided)
    .add(oneSided.transpose())
    .add(across.mmul(inverted).mmul(across.transpose()))
    .add(open.mul(Math.max(0, rows - rank)));
}

/** Inverts a symmetric matrix without negative eigenvalues except by rounding, where it is not 0. */
function pseudoInverseOf(matrix: Matrix, rounding: number): { inverted: Matrix; rank: number } {
  const { values, vectors } = symmetricEigen(matrix.to2DArray());
  const kept = values.filter((value) => value > rounding * values[0]!);
  const rank = kept.length;
  const told = {
    vectors: vectors.slice(0, Math.max(1, rank)),
    eigenvalues: rank === 0 ? [0] : kept.map((value) => 1 / value),
  };
  return { inverted: knownPart(toldBy(told)), rank };
}
