/**
 * Discriminant component analysis and linear discriminant analysis as a circuit, from additive shares to components (Kung's DCA,
 * "Privacy-Preserving Machine Learning", Zhuang et al., chapter 9). The number of steps is public and always the same; docs/precision.md has
 * the widths and their reasons.
 */

import { cappedComponents, type Method, type Program, type StatisticsTask } from '@eigenveil/task';
import {
  addModulo,
  all,
  lanesOf,
  multiply,
  type Num,
  negate,
  resize,
  shiftLeftBy,
  sign,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { alignColumns, columnsFit, contrasts, EXPONENT_BITS } from './between.ts';
import { checkEquation, type Images, undoScaling, unitVectors } from './directions.ts';
import { INTEGER_BITS, MARGIN_PLACES, SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { type Layout, upperByColumns, upperByRows } from './layouts.ts';
import { multiplyMatrices, outerProducts, timesOuter } from './matrices.ts';
import { allOfLanes, broadcast, constantNumbers } from './numbers.ts';
import type { CheckedDecomposition } from './pca.ts';
import { DENSE_WORD, type Noise, type Solution, solveDense, solveLowRank } from './pencils.ts';
import { REVEALED_FRACTION } from './precision.ts';
import { revealComponents } from './reveal.ts';
import { toFraction } from './scaling.ts';
import { poolStatistics, type Shares } from './statistics.ts';
import { publicNumber, ridgeUnits, type TotalNoise, totalNoise } from './total-noise.ts';

type DiscriminantMethod = Extract<Method, { kind: 'dca' | 'lda' }>;

/**
 * Runs the program of a `dca` or `lda` task; the evaluator's session gets the decomposition, the garbler's nothing.
 *
 * LDA, and the book's form without a ridge on the signal, are solved as S_B w = μ (S̄ + ρ I) w, which has the same vectors: with
 * S_W = S̄ − S_B their eigenvalues are μ / (1 − μ) and 1 / (1 − μ).
 * @throws as `revealComponents`, at the evaluator; all other outputs are zero then
 */
export async function discriminant(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
  method: DiscriminantMethod,
): Promise<CheckedDecomposition | undefined> {
  const d = task.features.length;
  const count = cappedComponents(program);
  const columns = task.labellings[0]!.classes.length - 1;
  const pooled = await poolStatistics(session, task, program.minimumOwners, shares);
  const { Q } = pooled;
  const total = await totalNoise(session, task, pooled, method.ridge);
  const contrast = await contrasts(session, pooled.labellings[0]!, d, {
    rows: total.places,
    most: total.most,
    Q,
  });
  const scale = await session.step((gates) =>
    constantNumbers(gates, [BigInt(total.digits / 2)], EXPONENT_BITS),
  );
  const U = await alignColumns(session, contrast, scale);
  const noise: Noise = { B: total.matrix, d, count };
  const signalRidge = method.kind === 'dca' ? method.signalRidge : 0;
  const ridge = signalRidge === 0 ? undefined : await signalRidgeOf(session, task, Q, signalRidge, total);
  const { solution, images } =
    ridge === undefined
      ? await lowRank(session, noise, U, columns)
      : await dense(session, noise, U, columns, {
          ridge: ridge.entries,
          indefinite: signalRidge < 0,
          book: method.kind === 'dca' && method.form === 'book',
          noisy: Boolean(task.differentialPrivacy),
        });
  const solved = await checkEquation(session, images, solution.values, d, count);
  // Of a matrix that did not fit its numbers, equations that hold say nothing.
  const fits = [
    ...(ridge ? [ridge.fits] : []),
    ...(task.differentialPrivacy ? [await columnsFit(session, contrast, scale)] : []),
  ];
  const converged =
    fits.length === 0
      ? solved
      : await session.step((gates) =>
          gates.and(solved, gates.concat(new Array<Wires>(count).fill(all(gates, fits)))),
        );
  const inverted = signalRidge === 0 && (method.kind === 'lda' || method.form === 'book');
  const found = inverted ? await withMargin(session, solution) : solution.definite;
  // Only a matrix that is not positive definite does not fit, and what was factored is another then.
  const { fits: held } = total;
  const definite = held ? await session.step((gates) => gates.and(found, held)) : found;
  const scaled = await undoScaling(session, solution.vectors, total, d, count);
  const vectors = await unitVectors(session, scaled, d, count);
  const numbers = { values: solution.values, vectors, converged };
  const result = await revealComponents(session, task, program, pooled, total.scatter, definite, numbers);
  if (result === undefined || !inverted) return result;
  const eigenvalue = method.kind === 'lda' ? (mu: number) => mu / (1 - mu) : (mu: number) => 1 / (1 - mu);
  return { ...result, eigenvalues: result.eigenvalues.map(eigenvalue) };
}

/** ρ′ I scaled as the noise is: one lane per row, DENSE_WORD bits; and whether all of it is below 2^(INTEGER_BITS - 1), so that it fits. */
async function signalRidgeOf(
  session: Session,
  { fractionBits, features }: StatisticsTask,
  Q: Num,
  signalRidge: number,
  { places, digits, most }: TotalNoise,
): Promise<{ entries: Num; fits: Wires }> {
  return session.step((gates) => {
    const units = publicNumber(gates, ridgeUnits(signalRidge, fractionBits));
    const whole = multiply(gates, Q, units);
    const term = broadcast(gates, resize(whole, whole.length + 2 * most), 0, features.length);
    const scaled = shiftLeftBy(gates, shiftLeftBy(gates, term, places), places);
    const fraction = toFraction(gates, scaled, digits, SOLVE_FRACTION);
    const high = fraction.slice(SOLVE_FRACTION + INTEGER_BITS - 1, -1).map((bit) => gates.not(bit));
    const lanes = features.length;
    const each = high.length === 0 ? gates.constant(lanes, 1) : all(gates, high);
    const rows = Array.from({ length: lanes }, (_, i) => gates.slice(each, i, i + 1));
    const entries = resize(fraction, DENSE_WORD);
    return { entries: signalRidge < 0 ? negate(gates, entries) : entries, fits: all(gates, rows) };
  });
}

interface Solved {
  readonly solution: Solution;
  readonly images: Images;
}

/** A = U Uᵀ. */
async function lowRank(session: Session, noise: Noise, U: Num, columns: number): Promise<Solved> {
  const { d, count } = noise;
  const solution = await solveLowRank(session, noise, U, columns, 0);
  return {
    solution,
    images: {
      signal: await timesOuter(session, U, solution.vectors, d, columns, count),
      noise: await timesTriangle(session, noise.B, upperByRows(d), solution.vectors, count),
    },
  };
}

/** A symmetric matrix times z. */
function timesTriangle(session: Session, numbers: Num, { at }: Layout, z: Num, count: number): Promise<Num> {
  const d = lanesOf(z) / count;
  const left = { numbers, rows: d, columns: d, at };
  const bits = numbers.length + Math.ceil(Math.log2(d)) + 1;
  return multiplyMatrices(session, left, z, count, SOLVE_FRACTION, bits);
}

interface DenseSignal {
  readonly ridge: Num;
  readonly indefinite: boolean;
  readonly book: boolean;
  /** Whether S_B may be larger than B, and its entries above 2. */
  readonly noisy: boolean;
}

/** A = S_B + ρ′ I and B as it is, or A = B + ρ′ I and B − S_B instead of B. */
async function dense(
  session: Session,
  { B: total, d, count }: Noise,
  U: Num,
  columns: number,
  { ridge, indefinite, book, noisy }: DenseSignal,
): Promise<Solved> {
  const bits = noisy ? DENSE_WORD : SOLVE_WORD;
  const between = await outerProducts(session, U, d, columns, SOLVE_FRACTION, bits);
  const [byRows, byColumns] = [upperByRows(d), upperByColumns(d)];
  const { A, B, fits } = await session.step((gates) => {
    const packed = byColumns.gather(gates, total, byRows.at);
    const signal = resize(book ? packed : between, DENSE_WORD);
    const diagonal = byColumns.diagonal(gates, signal);
    const sum = addModulo(gates, diagonal, ridge, DENSE_WORD);
    const within = book ? subtractModulo(gates, packed, between, bits) : packed;
    // What B's own bits do not hold: no more than copies of their sign, unless it is not positive definite.
    const top = within.slice(SOLVE_WORD - 1);
    const kept = top.slice(1).map((bit) => gates.not(gates.xor(bit, top[0]!)));
    return {
      A: byColumns.withDiagonal(gates, signal, sum),
      B: byRows.gather(gates, resize(within, SOLVE_WORD), byColumns.at),
      fits: kept.length === 0 ? undefined : allOfLanes(gates, all(gates, kept)),
    };
  });
  const noise = { B, d, count };
  const solved = await solveDense(session, noise, A, indefinite);
  const { definite } = solved;
  const solution = fits
    ? { ...solved, definite: await session.step((gates) => gates.and(definite, fits)) }
    : solved;
  return {
    solution,
    images: {
      signal: await timesTriangle(session, A, byColumns, solution.vectors, count),
      noise: await timesTriangle(session, B, byRows, solution.vectors, count),
    },
  };
}

/** Whether 1 − λ_1 is clearly positive, too. */
function withMargin(session: Session, { values, definite }: Solution): Promise<Wires> {
  return session.step((gates) => {
    const most =
      (1n << BigInt(REVEALED_FRACTION.pencil)) - (1n << BigInt(REVEALED_FRACTION.pencil - MARGIN_PLACES));
    const limit = constantNumbers(gates, [most], values.length);
    const distance = subtractModulo(gates, limit, sliceLanes(gates, values, 0, 1), values.length);
    return gates.and(definite, gates.not(sign(distance)));
  });
}
