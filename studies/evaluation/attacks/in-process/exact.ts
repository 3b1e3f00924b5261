/** Outcomes of experiments whose claim is exact: one exception refutes it, and silence says how rare exceptions may still be. */
import { shareOf } from '../../../recognition/intervals.ts';
import type { Test } from '../../experiment.ts';

const POWER = 0.8;

/**
 * @param runs of each whether it is an exception
 * @param leak what an exception is, in words
 */
export function exactly(
  runs: readonly boolean[],
  leak: string,
  shown: Pick<Test, 'facts' | 'blocks'> = {},
): Test {
  const n = runs.length;
  const exceptions = runs.filter(Boolean).length;
  const { low, high } = shareOf(exceptions, n);
  return {
    kind: 'test',
    p: exceptions > 0 ? 0 : 1,
    n,
    distance: { value: exceptions / n, low, high },
    // One run of n is an exception with this probability, if so large a share of all runs is.
    detectable: { leak: `${leak} in a share of runs`, size: 1 - (1 - POWER) ** (1 / n) },
    ...shown,
  };
}

/** Returns whether each differs from the first of its group. */
export function oddOnes(runs: readonly { readonly group: string; readonly shape: string }[]): boolean[] {
  const first = new Map<string, string>();
  return runs.map(({ group, shape }) => {
    if (!first.has(group)) first.set(group, shape);
    return first.get(group) !== shape;
  });
}
