/**
 * Discriminant component analysis and linear discriminant analysis as a circuit, from additive shares to
 * components (Kung's DCA, "Privacy-Preserving Machine Learning", Zhuang et al., chapter 9). The number of
 * steps is public and always the same; docs/precision.md has the widths and their reasons.
 */

import { type Components, methodOf } from '@eigenveil/methods';
import { cappedComponents, computedFractionBits, type Program, type StatisticsTask } from '@eigenveil/task';
import { all } from '../circuits/index.ts';
import { allOfLanes, Fixed, type Layout, spread, upperByColumns, upperByRows } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { alignColumns, columnsFit, contrasts, publicExponent } from './between.ts';
import { checkEquation, type Images, undoScaling, unitVectors } from './directions.ts';
import { traceOf } from './eigen.ts';
import type { Shares } from './inputs.ts';
import { multiplyMatrices, outerProducts, timesOuter } from './matrices.ts';
import { exchangeSums, roomForNoise } from './noised-sums.ts';
import { vectorFraction } from './outputs.ts';
import { DENSE_WORD, type Noise, type Solution, solveDense, solveLowRank } from './pencils.ts';
import { INTEGER_BITS, MARGIN_PLACES, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { revealComponents } from './reveal.ts';
import {
  exactClasses,
  isNoisy,
  type PooledClass,
  poolStatistics,
  publicNumber,
  releasedClasses,
} from './statistics.ts';
import { ridgeUnits, type TotalNoise, totalNoise } from './total-noise.ts';

/**
 * Runs the program of a `dca` or `lda` task; the evaluator's session gets the decomposition, the garbler's
 * nothing.
 *
 * LDA, and the book's form without a ridge on the signal, are solved as S_B w = μ (S̄ + ρ I) w, which has the
 * same vectors: with S_W = S̄ − S_B their eigenvalues are functions of μ.
 * @param rho ρ, the ridge on the noise matrix
 * @throws as `revealComponents`, at the evaluator; all other outputs are zero then
 */
export async function discriminant(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
  rho: number,
): Promise<Components | undefined> {
  const d = task.features.length;
  const count = cappedComponents(program);
  const columns = task.labellings[0]!.classes.length - 1;
  const pooled = await poolStatistics(session, task, program.minimumOwners, shares);
  const { Q } = pooled;
  const noisy = isNoisy(task);
  const exact = await totalNoise(session, task, pooled, rho, roomForNoise(task));
  const scale = await session.step((gates) => publicExponent(gates, exact.digits / 2, 1));
  const classes = pooled.labellings[0]!;
  const own = await contrastsIn(session, task, exactClasses(classes), exact, Q, scale);
  const noised =
    pooled.noised && (await contrastsIn(session, task, releasedClasses(classes), exact, Q, scale));
  const exchanged = noised && (await exchangeSums(session, exact, own.U, noised.U, d, columns));
  const total = exchanged ? { ...exact, matrix: exchanged.matrix } : exact;
  const { U } = noised ?? own;
  const noise: Noise = { B: total.matrix, d, count };
  const { signalRidge, divides, eigenvalue } = methodOf(task).pencil!;
  const ridge = signalRidge === 0 ? undefined : await signalRidgeOf(session, task, Q, signalRidge, total);
  const { solution, images } =
    ridge === undefined
      ? await lowRank(session, noise, U, columns)
      : await dense(session, noise, U, columns, {
          ridge: ridge.entries,
          indefinite: signalRidge < 0,
          book: divides,
          noisy,
        });
  const solved = await checkEquation(session, images, solution.values, d, count);
  // Equations that hold say nothing about a matrix that did not fit its numbers.
  const fits = [
    ...(ridge ? [ridge.fits] : []),
    ...[own, noised].flatMap((columnsOf) => (columnsOf?.fits ? [columnsOf.fits] : [])),
  ];
  const converged =
    fits.length === 0
      ? solved
      : await session.step((gates) => gates.and(solved, spread(gates, all(gates, fits), count)));
  const inverted = divides && signalRidge === 0;
  const found = inverted ? await withMargin(session, solution) : solution.definite;
  // Only a matrix that is not positive definite does not fit, and what was factored is another then.
  const held = [total.fits, exchanged?.fits].filter((wires) => wires !== undefined);
  const definite = await session.step((gates) => held.reduce((both, fit) => gates.and(both, fit), found));
  const scaled = await undoScaling(session, solution.vectors, total, d, count);
  const vectors = await unitVectors(session, scaled, d, count, vectorFraction(task));
  const numbers = { values: solution.values, vectors, converged };
  const trace = (): Fixed => {
    const whole = traceOf(total.scatter, d);
    return exchanged ? whole.plus(exchanged.added.sums()) : whole;
  };
  const result = await revealComponents(session, task, program, pooled, trace, definite, numbers);
  if (result === undefined || !inverted) return result;
  return { ...result, eigenvalues: result.eigenvalues.map(eigenvalue) };
}

/** The contrasts of classes at the scale of the total noise; under noise also whether they fit. */
async function contrastsIn(
  session: Session,
  task: StatisticsTask,
  classes: readonly PooledClass[],
  { places, most }: TotalNoise,
  Q: Fixed,
  scale: Fixed,
): Promise<{ U: Fixed; fits: Wires | undefined }> {
  const d = task.features.length;
  const columns = await contrasts(session, classes, d, computedFractionBits(task), { rows: places, most, Q });
  const U = await alignColumns(session, columns, scale);
  return { U, fits: isNoisy(task) ? await columnsFit(session, columns, scale) : undefined };
}

/**
 * ρ′ I scaled as the noise is: one lane per row, DENSE_WORD bits; and whether all of it is below
 * 2^(INTEGER_BITS - 1), so that it fits.
 */
async function signalRidgeOf(
  session: Session,
  task: StatisticsTask,
  Q: Fixed,
  signalRidge: number,
  { places, digits, most }: TotalNoise,
): Promise<{ entries: Fixed; fits: Wires }> {
  return session.step((gates) => {
    const fractionBits = computedFractionBits(task);
    const units = publicNumber(gates, ridgeUnits(signalRidge, fractionBits), 2 * fractionBits);
    const whole = Q.timesExactly(units);
    const term = whole.resized(whole.bits + 2 * most).spread(task.features.length);
    const scaled = term.up(places).up(places).readAt(digits).at(SOLVE_FRACTION);
    const entries = scaled.resized(DENSE_WORD);
    return {
      entries: signalRidge < 0 ? entries.negated() : entries,
      fits: allOfLanes(gates, scaled.isWithin(INTEGER_BITS - 1)),
    };
  });
}

interface Solved {
  readonly solution: Solution;
  readonly images: Images;
}

/** A = U Uᵀ. */
async function lowRank(session: Session, noise: Noise, U: Fixed, columns: number): Promise<Solved> {
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
function timesTriangle(
  session: Session,
  entries: Fixed,
  { at }: Layout,
  z: Fixed,
  count: number,
): Promise<Fixed> {
  const d = z.lanes / count;
  const bits = entries.bits + Math.ceil(Math.log2(d)) + 1;
  const left = { entries, rows: d, columns: d, at };
  return multiplyMatrices(session, left, z, count, { fraction: SOLVE_FRACTION, bits });
}

interface DenseSignal {
  readonly ridge: Fixed;
  readonly indefinite: boolean;
  readonly book: boolean;
  /** True if S_B may be larger than B, and its entries above 2. */
  readonly noisy: boolean;
}

/** A = S_B + ρ′ I and B as it is, or A = B + ρ′ I and B − S_B instead of B. */
async function dense(
  session: Session,
  { B: total, d, count }: Noise,
  U: Fixed,
  columns: number,
  { ridge, indefinite, book, noisy }: DenseSignal,
): Promise<Solved> {
  const bits = noisy ? DENSE_WORD : SOLVE_WORD;
  const between = await outerProducts(session, U, d, columns, { fraction: SOLVE_FRACTION, bits });
  const [byRows, byColumns] = [upperByRows(d), upperByColumns(d)];
  const { A, B, fits } = await session.step((gates) => {
    const packed = total.as(byColumns, byRows.at);
    const signal = (book ? packed : between).resized(DENSE_WORD);
    const sum = signal.diagonal(byColumns).plus(ridge, DENSE_WORD);
    const within = book ? packed.minus(between, bits) : packed;
    return {
      A: signal.withDiagonal(byColumns, sum),
      B: within.resized(SOLVE_WORD).as(byRows, byColumns.at),
      // B's own bits hold it, unless it is not positive definite.
      fits:
        within.bits > SOLVE_WORD
          ? allOfLanes(gates, within.isWithin(SOLVE_WORD - 1 - SOLVE_FRACTION))
          : undefined,
    };
  });
  const solved = await solveDense(session, { B, d, count }, A, indefinite);
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

/** Adds the check that 1 − λ_1 is clearly positive, too. */
function withMargin(session: Session, { values, definite }: Solution): Promise<Wires> {
  return session.step((gates) => {
    const most = (1n << BigInt(values.fraction)) - (1n << BigInt(values.fraction - MARGIN_PLACES));
    const distance = Fixed.of(gates, [most], values).minus(values.lane(0));
    return gates.and(definite, gates.not(distance.sign));
  });
}
