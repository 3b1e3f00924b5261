/** The ε that noise really gives, and the nominal ε at which a method keeps a wanted one: methods are ranked at equal ε that is kept. */

import { dpDeltaOfGaussian } from '@eigenveil/privacy';
import { leastThatHolds } from '@eigenveil/privacy/parts';
import type { Kept, PcaMethod, PcaSetting, Site } from './method.ts';

/** Gaussian noise of a deviation on a query of an L2 sensitivity, and δ. */
interface Noisy {
  readonly sigma: number;
  readonly sensitivity: number;
  readonly dpDelta: number;
}

/** The least ε that the noise gives, exactly; Infinity without noise. */
export function epsilonOfGaussian({ sigma, sensitivity, dpDelta }: Noisy): number {
  if (sigma === 0) return Infinity;
  return leastThatHolds((epsilon) => dpDeltaOfGaussian({ sigma, sensitivity, epsilon }) <= dpDelta, 1);
}

export const keptByGaussian = (of: Noisy): Kept => ({ epsilon: epsilonOfGaussian(of), dpDelta: of.dpDelta });

/** This setting with the nominal ε at which its own ε is kept; undefined where none is kept. */
export function nominalSetting(
  { promise }: Pick<PcaMethod, 'promise'>,
  sites: readonly Site[],
  setting: PcaSetting,
): PcaSetting | undefined {
  const kept = (epsilon: number) => {
    const told = promise.keeps(sites, { ...setting, epsilon });
    return 'none' in told ? undefined : told.epsilon;
  };
  const told = kept(setting.epsilon);
  if (told === undefined) return undefined;
  if (told === setting.epsilon) return setting;
  // The smaller 1/ε, the less noise and the more is spent: the least 1/ε that spends no more than is wanted.
  const within = (inverse: number) => kept(1 / inverse)! <= setting.epsilon;
  return { ...setting, epsilon: 1 / leastThatHolds(within, 1 / setting.epsilon) };
}
