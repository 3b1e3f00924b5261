/** The figures of an arm: error rates of its test scores, with thresholds from the rows before. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import {
  type Comparison,
  type ErrorRates,
  equalErrorRate,
  equalErrorThreshold,
  errorRatesAt,
  operatingPoints,
  overWindows,
  pool,
  pooledEqualErrorRate,
} from '@eigenveil/testbed/recognition/error-rates';
import type { Runs } from './arms.ts';

/** In [0, 1], means over runs. */
interface ArmRates {
  readonly perSample: number;
  readonly overFive: number;
  readonly overTen: number;
  /** The rate of single rows of the 20 % before the test, with the same templates: what time has done since. */
  readonly before: number;
  /** Mean of every user's own EER of single rows, each with a threshold of their own. */
  readonly perUser: number;
  /** The rates at the threshold where both were equal on the 20 % before. */
  readonly atThreshold: ErrorRates;
  readonly atThresholdOverFive: ErrorRates;
  /** FNMR of single rows where FMR is at most this, by FMR. */
  readonly det: readonly ErrorRates[];
}

/** The false match rates of a DET curve. */
const FALSE_MATCH_RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

export function ratesOf({ thresholds, test }: Runs): ArmRates {
  const over = (windows: number) => mean(test.map((run) => pooledEqualErrorRate(overWindows(run, windows))));
  const at = (windows: number): ErrorRates => {
    const rates = test.map((run, i) => {
      const before = pool(overWindows(thresholds[i]!, windows));
      return errorRatesAt(pool(overWindows(run, windows)), equalErrorThreshold(before));
    });
    return { fmr: mean(rates.map(({ fmr }) => fmr)), fnmr: mean(rates.map(({ fnmr }) => fnmr)) };
  };
  return {
    perSample: over(1),
    overFive: over(5),
    overTen: over(10),
    before: mean(thresholds.map(pooledEqualErrorRate)),
    perUser: mean(test.map(meanPerUser)),
    atThreshold: at(1),
    atThresholdOverFive: at(5),
    det: detOf(test),
  };
}

export function meanPerUser(comparisons: readonly Comparison[]): number {
  const targets = [...Map.groupBy(comparisons, ({ target }) => target).values()];
  return mean(
    targets.map((own) => {
      const { genuine, impostor } = pool(own);
      return equalErrorRate(genuine, impostor);
    }),
  );
}

function detOf(runs: Runs['test']): ErrorRates[] {
  const points = runs.map((run) => operatingPoints(pool(run)));
  return FALSE_MATCH_RATES.map((rate) => ({
    fmr: rate,
    fnmr: mean(points.map((of) => of.findLast(({ fmr }) => fmr <= rate)?.fnmr ?? 1)),
  }));
}
