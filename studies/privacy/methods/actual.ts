/** The ε that noise really gives, and the nominal ε at which a method keeps a wanted one: methods are ranked at equal ε that is kept. */

import { dpDeltaOfGaussian } from '@eigenveil/privacy';
import { leastThatHolds } from '@eigenveil/privacy/parts';
import type { Kept, PcaMethod, PcaSetting, Site } from './method.ts';

/** The least ε that Gaussian noise of this deviation gives a query of this L2 sensitivity, exactly; Infinity without noise. */
export function epsilonOfGaussian(of: {
  readonly sigma: number;
  readonly sensitivity: number;
  readonly dpDelta: number;
}): number {
  const { sigma, sensitivity, dpDelta } = of;
  if (sigma === 0) return Infinity;
  return leastThatHolds((epsilon) => dpDeltaOfGaussian({ sigma, sensitivity, epsilon }) <= dpDelta, 1);
}

/** What that noise keeps of a query of this sensitivity, with the setting's δ. */
export function keptByGaussian(of: {
  readonly sigma: number;
  readonly sensitivity: number;
  readonly dpDelta: number;
}): Kept {
  return { epsilon: epsilonOfGaussian(of), dpDelta: of.dpDelta };
}

/** The same setting with the nominal ε at which what is kept is the ε of this one; undefined where none is kept. */
export function nominalSetting(
  { promise }: Pick<PcaMethod, 'promise'>,
  sites: readonly Site[],
  setting: PcaSetting,
): PcaSetting | undefined {
  const kept = (epsilon: number): Kept => promise.keeps(sites, { ...setting, epsilon });
  const told = kept(setting.epsilon);
  if ('none' in told) return undefined;
  if (told.epsilon === setting.epsilon) return setting;
  // The smaller 1/ε, the less noise and the more is spent: the least 1/ε that spends no more than is wanted.
  const within = (inverse: number): boolean => {
    const at = kept(1 / inverse);
    return !('none' in at) && at.epsilon <= setting.epsilon;
  };
  return { ...setting, epsilon: 1 / leastThatHolds(within, 1 / setting.epsilon) };
}
