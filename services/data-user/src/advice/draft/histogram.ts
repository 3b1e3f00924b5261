/**
 * Drafts a histogram task: the columns of a sample, and the strategy with the least expected error for what
 * will be asked of the counts.
 */
import { LIMITS } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { type Candidate, chooseStrategy, type Workload } from '@eigenveil/release';
import type { TaskProposal } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire/errors';
import type { Draft } from './draft.ts';

export interface HistogramWishes {
  readonly epsilon: number;
  /** 0: discrete Laplace noise for pure ε. */
  readonly delta: number;
  /** h of 2^h bins. */
  readonly height: number;
  readonly workload: Workload;
  /** Bins are logarithmic down to this magnitude, on both sides of 0; equally wide where it is not given. */
  readonly logarithmic?: number | undefined;
}

const NEIGHBOURS = 'add-remove';

/**
 * Returns the part of a proposal that is a histogram's own.
 * @throws ERR_TASK_INVALID for too many bins; ERR_DP_PARAMETER
 */
export function histogramOf(
  { features: sampled }: Pick<Draft, 'features'>,
  { epsilon, delta, height, workload, logarithmic }: HistogramWishes,
): Pick<TaskProposal, 'method' | 'features' | 'components' | 'twoParty' | 'labellings'> & {
  readonly differentialPrivacy: object;
} {
  const bins = sampled.length * 2 ** height;
  if (bins > LIMITS.bins)
    throw new CodedError(
      CODES.ERR_TASK_INVALID,
      `"height" expected at most ${LIMITS.bins} bins of all features together, got ${bins}`,
    );
  const budget = delta === 0 ? { epsilon } : { epsilon, dpDelta: delta };
  const of = {
    height,
    features: sampled.length,
    neighbours: NEIGHBOURS,
    budget,
    workload,
    servers: 2,
  } as const;
  const { strategy } = chooseStrategy(of).find(isTaken)!;
  return {
    method: {
      kind: 'histogram',
      height,
      strategy: strategy.kind,
      ...(strategy.kind === 'tree' && { fanouts: [...strategy.fanouts] }),
    },
    features: sampled.map(({ name, min, max }) => {
      if (logarithmic === undefined) return { name, min, max };
      const most = Math.max(Math.abs(min), Math.abs(max), 2 * logarithmic);
      return { name, min: -most, max: most, logarithmic };
    }),
    labellings: [],
    components: 0,
    twoParty: 'linear',
    differentialPrivacy: {
      epsilon,
      delta,
      neighbours: NEIGHBOURS,
      clippingNorm: null,
      dataIndependentRanges: true,
    },
  };
}

/** A tree of one level has no place in a task: see the sensitivity of cells that are no number. */
function isTaken({ strategy }: Candidate): boolean {
  return strategy.kind !== 'tree' || strategy.fanouts.length >= 2;
}
