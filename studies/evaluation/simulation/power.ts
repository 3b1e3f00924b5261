/** The size that a planted leak must have for a test to find it: the power curve. */

import type { Chart } from '../../instrument/report/document.ts';
import { type Interval, shareOf } from '../../recognition/intervals.ts';
import { lineChart } from '../shown.ts';
import type { Features, Leak, Party } from './party.ts';
import { compareViews } from './two-sample.ts';

/** A leak counts as one that is found where this share of the tests find it. */
export const POWER = 0.8;
/** A test finds a leak at this level: Holm's first step over a hundred experiments at 0.05. */
const POWER_LEVEL = 0.0005;

export interface Curve {
  readonly leak: Leak;
  readonly points: readonly { readonly size: number; readonly found: Interval }[];
}

/**
 * Each test has runs of its own, `runs` real and as many simulated ones, which are drawn alike at all sizes: so the curve is that of one leak that grows, and
 * a party whose leaks are planted into runs that are over need not run them again.
 */
export async function measureCurve(
  leak: Leak,
  repetitions: number,
  runs: number,
  simulated: readonly Features[],
  real: (test: number, size: number) => Promise<readonly Features[]>,
): Promise<Curve> {
  const points: Curve['points'][number][] = [];
  for (const size of leak.sizes) {
    let found = 0;
    for (let test = 0; test < repetitions; test += 1) {
      const { p } = compareViews(await real(test, size), simulated.slice(test * runs, (test + 1) * runs));
      if (p <= POWER_LEVEL) found += 1;
    }
    points.push({ size, found: shareOf(found, repetitions) });
  }
  return { leak, points };
}

/** The least size from which on every size is found with power POWER, as measured. */
export function leastFound({ points }: Curve): number | undefined {
  const missed = points.findLastIndex(({ found }) => found.value < POWER);
  return points[missed + 1]?.size;
}

export function powerChart(
  { id, repetitions }: Pick<Party, 'id' | 'repetitions'>,
  curve: Curve,
  scene: string,
  runs: number,
): Chart {
  const { leak, points } = curve;
  return lineChart(
    {
      name: `power-${scene}-${id}-${leak.id}`,
      caption: `How often a test of ${runs} real and ${runs} simulated runs finds, at the level ${POWER_LEVEL}: ${leak.title} ${repetitions} tests at each size; whiskers are intervals of 95 % (Clopper and Pearson).`,
    },
    { title: leak.size, scale: 'category' },
    'share of tests that find it',
    [
      {
        name: 'found',
        points: points.map(({ size, found: { value, low, high } }) => ({ x: size, y: value, low, high })),
      },
    ],
    { [`power ${POWER}`]: POWER },
  );
}
