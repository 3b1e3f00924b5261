/**
 * The floor, simulated: statistics with one server's noise in them as the real protocol then takes them. The other server's noise is as good as absent to an attacker
 * that knows it.
 */
import type { Decomposition } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import { GRAIN } from './scatter.ts';

/** Of one server, in products of grains, for two releases over the same rows. */
export const FLOOR_DEVIATION = 0.5 * Math.SQRT2;
/** A released mean has no more fraction bits. */
export const CUT_MEAN_BITS = 14;
/** Eigenvalues of the noise of d features are above −φ√2·(2√d + 7.5). */
const RIDGE_DEVIATIONS = 7.5;

export interface Floored {
  readonly task: Task;
  readonly statistics: Statistics;
}

/** As fine as tasks can be. Noise on sums of rows then has 2^20 units and more, and on products twice as many bits. */
const FINE_BITS = 20;

/**
 * Task and statistics in finer units, with noise on R that leaves V exact inside of S̄ and S_W, and noise on the sums that means and S_B are made of: R takes
 * Σ (V′V′ᵀ − VVᵀ)/M over classes as well, so that it cancels there.
 * @param deviation of the noise on R in products of grains, and unless `sums` says otherwise of that on sums in grains
 */
export function floored(
  task: Task,
  pooled: Statistics,
  deviation: number,
  draws: Draws,
  { fractionBits = FINE_BITS, sums = deviation }: { fractionBits?: number; sums?: number } = {},
): Floored {
  const finer = BigInt(fractionBits - task.fractionBits);
  const unit = 2 ** fractionBits;
  const noise = (size: number) => BigInt(Math.round(draws.normal() * size));
  const exact = pooled.labellings.map((classes) =>
    classes.map(({ V, M }) => ({ V: V.map((v) => v << finer), M })),
  );
  const labellings = exact.map((classes) =>
    classes.map(({ V, M }) => ({ V: V.map((v) => v + noise(sums * GRAIN * unit)), M })),
  );
  const classes = exact[0]!.map(({ V, M }, k) => ({ V, M, noised: labellings[0]![k]!.V }));
  const d = task.features.length;
  const places = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d - i }, (__, j) => [i, i + j]),
  ).flat();
  const R = pooled.R.map((value, place) => {
    const [i, j] = places[place] as [number, number];
    const own = noise(deviation * (GRAIN * unit) ** 2 * (i === j ? Math.SQRT2 : 1));
    const cancelled = classes.map(({ V, M, noised }) =>
      M === 0n ? 0n : (noised[i]! * noised[j]! - V[i]! * V[j]!) / M,
    );
    return cancelled.reduce((sum, part) => sum + part, (value << (2n * finer)) + own);
  });
  const method = withRidge(task.method, deviation * Math.SQRT2 * (2 * Math.sqrt(d) + RIDGE_DEVIATIONS));
  return { task: { ...task, fractionBits, method }, statistics: { ...pooled, R, labellings } };
}

/** What must be positive definite takes a public part of its diagonal, in products of grains. */
function withRidge(method: Task['method'], ridge: number): Task['method'] {
  if (method.kind !== 'lda' && method.kind !== 'dca' && method.kind !== 'ridge') return method;
  return { ...method, ridge: method.ridge + ridge * GRAIN ** 2 };
}

/** What is released of a result, with its mean cut. */
export function cut(result: Decomposition): Decomposition {
  const { mean } = result;
  const unit = 2 ** CUT_MEAN_BITS;
  return mean ? { ...result, mean: mean.map((value) => Math.trunc(value * unit) / unit) } : result;
}
