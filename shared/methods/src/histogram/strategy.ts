/** The strategy of a drafted histogram: the one with the least expected error for what will be asked. */

import { CodedError } from '@eigenveil/platform';
import { type Candidate, chooseStrategy, type Workload } from '@eigenveil/release';
import { METHOD_CODES } from '../codes.ts';
import type { Drafted } from '../draft.ts';
import { LIMITS } from '../limits.ts';
import { SERVERS } from './bins.ts';
import type { HistogramParameters } from './parameters.ts';

/**
 * Returns the part of the parameters that follows from what will be asked, before anything is contributed.
 * @throws ERR_TASK_INVALID for too many bins; ERR_DP_PARAMETER
 */
export function draftStrategy(
  { height, workload }: { readonly height: number; readonly workload: Workload },
  { features: { length }, epsilon, delta }: Drafted,
): Pick<HistogramParameters, 'strategy' | 'fanouts'> {
  const bins = length * 2 ** height;
  if (bins > LIMITS.bins)
    throw new CodedError(
      METHOD_CODES.ERR_TASK_INVALID,
      `"height" expected at most ${LIMITS.bins} bins of all features together, got ${bins}`,
    );
  const { strategy } = chooseStrategy({
    height,
    features: length,
    neighbours: 'add-remove',
    budget: delta === 0 ? { epsilon: epsilon! } : { epsilon: epsilon!, dpDelta: delta },
    workload,
    servers: SERVERS,
  }).find(isTaken)!;
  return {
    strategy: strategy.kind,
    ...(strategy.kind === 'tree' && { fanouts: [...strategy.fanouts] }),
  };
}

/** A tree of one level has no place in a task: see the sensitivity of cells that are no number. */
function isTaken({ strategy }: Candidate): boolean {
  return strategy.kind !== 'tree' || strategy.fanouts.length >= 2;
}
