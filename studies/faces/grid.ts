/** Grid search of a machine by cross-validation in the training rows, and its answers for the test rows. */
import { type Kernel, type Learning, learn } from './machine.ts';

/** The book's: linear with each C, then RBF with each C and γ. Of equals the first is taken. */
const COSTS = [0.1, 1, 10, 100, 1000];
const GAMMAS = [1e-5, 1e-4, 1e-3, 1e-2];

export interface GridProblem {
  /** Reduced rows, row by row: n × width, and t × width. */
  readonly train: Float64Array;
  readonly test: Float64Array;
  readonly width: number;
  readonly labels: readonly number[];
  /** The fold of each training row. */
  readonly folds: readonly number[];
  /**
   * Squared distances of test rows from all training rows in components that training rows do not differ in: a test part for each list.
   * They reach an RBF kernel alone, since what a linear one makes of them is the same for all training rows.
   */
  readonly apart: readonly Float64Array[];
  /** The most iterations of a machine for two classes. */
  readonly iterations: number;
}

export interface GridOutcome {
  /** The predictions for each list of `apart`, per test row. */
  readonly predicted: readonly (readonly number[])[];
  /** Such as `linear 0.1` or `rbf 10 0.001`. */
  readonly chosen: string;
}

interface Candidate {
  readonly cost: number;
  readonly gamma: number | undefined;
}

const CANDIDATES: readonly Candidate[] = [
  ...COSTS.map((cost) => ({ cost, gamma: undefined })),
  ...COSTS.flatMap((cost) => GAMMAS.map((gamma) => ({ cost, gamma }))),
];

export function searchGrid(problem: GridProblem): GridOutcome {
  const { train, test, width, labels, folds, iterations } = problem;
  const n = labels.length;
  const within = products(train, train, width);
  const across = products(test, train, width);
  const kernels = new Map<number | undefined, Kernel>();
  const kernelOf = (gamma: number | undefined): Kernel => {
    const known = kernels.get(gamma) ?? {
      n,
      values: gamma === undefined ? within.dots : rbf(within.squares, gamma),
    };
    kernels.set(gamma, known);
    return known;
  };
  let best = { candidate: CANDIDATES[0]!, score: Number.NEGATIVE_INFINITY };
  for (const candidate of CANDIDATES) {
    const score = validated(kernelOf(candidate.gamma), labels, folds, { ...candidate, iterations });
    if (score > best.score) best = { candidate, score };
  }
  const { cost, gamma } = best.candidate;
  const machine = learn(kernelOf(gamma), [...labels.keys()], labels, { cost, iterations });
  const predicted = problem.apart.map((squares) =>
    Array.from(squares, (square, row) => {
      const of = (values: Float64Array) => values.subarray(row * n, (row + 1) * n);
      return machine(
        gamma === undefined
          ? of(across.dots)
          : rbf(
              of(across.squares).map((value) => value + square),
              gamma,
            ),
      );
    }),
  );
  return { predicted, chosen: gamma === undefined ? `linear ${cost}` : `rbf ${cost} ${gamma}` };
}

/** The mean over folds of the share of rows that a machine which has not seen them is right about. */
function validated(
  kernel: Kernel,
  labels: readonly number[],
  folds: readonly number[],
  learning: Learning,
): number {
  const rows = [...labels.keys()];
  const kinds = [...new Set(folds)];
  const scores = kinds.map((fold) => {
    const outside = rows.filter((row) => folds[row] !== fold);
    const inside = rows.filter((row) => folds[row] === fold);
    const machine = learn(kernel, outside, labels, learning);
    const { values, n } = kernel;
    const right = inside.filter((row) => machine(values.subarray(row * n, (row + 1) * n)) === labels[row]);
    return right.length / inside.length;
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function products(rows: Float64Array, others: Float64Array, width: number) {
  const [n, m] = [rows.length / width, others.length / width];
  const [dots, squares] = [new Float64Array(n * m), new Float64Array(n * m)];
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < m; j += 1) {
      let [dot, square] = [0, 0];
      for (let f = 0; f < width; f += 1) {
        const [a, b] = [rows[i * width + f]!, others[j * width + f]!];
        dot += a * b;
        square += (a - b) ** 2;
      }
      dots[i * m + j] = dot;
      squares[i * m + j] = square;
    }
  }
  return { dots, squares };
}

const rbf = (squares: Float64Array, gamma: number): Float64Array =>
  squares.map((square) => Math.exp(-gamma * square));
