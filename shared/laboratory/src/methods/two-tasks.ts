/**
 * Two tasks of Eigenveil, one after the other: the first spends a third of the budget and releases a mean, the second has ranges around that mean
 * and releases components.
 *
 * Proof note. The second task depends on the first by its noisy mean alone, a function of what was released. So (ε₁, δ₁) and (ε₂, δ₂)-differential
 * privacy compose to (ε₁ + ε₂, δ₁ + δ₂), adaptively (Dwork and Roth 2014, theorem 3.16). Rows around the mean are clipped to
 * half of C: they are shorter than rows around the middle of their ranges, so that the noise of the same budget is a quarter.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { featuresOf } from './matrix.ts';
import { keepsNominal, type PcaMethod, type PcaSetting, type Site } from './method.ts';
import { type Draws, stageComponents, stageMean, stageRelease } from './stage.ts';

/** Of ε: what the mean gets. Chosen on iris, pima, australian and optdigits. */
const SHARE_OF_MEAN = 1 / 3;

/** The rows less the mean that a first task releases, which is moved into the ranges; as they are where that task gives up. */
function aroundMean(source: RandomSource, sites: readonly Site[], setting: PcaSetting, draws: Draws): Site[] {
  const dimension = featuresOf(sites);
  // 1/√d is the end of a feature's range.
  const end = 1 / Math.sqrt(dimension);
  const inside = (x: number) => Math.max(-end, Math.min(end, x));
  const mean = stageMean(stageRelease(source, sites, setting, draws).noisy, dimension, setting)?.map(inside);
  if (mean === undefined) return [...sites];
  return sites.map((site) => site.map((row) => row.map((x, i) => x - mean[i]!)));
}

function method(draws: Draws): PcaMethod {
  return {
    name: draws === 1 ? 'eigenveil-around-one' : 'eigenveil-around',
    title:
      draws === 1 ? 'Eigenveil around a private mean, one server’s noise' : 'Eigenveil around a private mean',
    reference: 'two tasks of this project: ranges of the second around the mean that the first releases',
    panel: 'approximate',
    dependsOnSites: false,
    promise: {
      neighbours: 'add-remove',
      epsilon: 'approximate',
      trust:
        draws === 1
          ? 'the two servers not to join, and nobody to show the CSP the results'
          : 'the two servers not to join: each alone is promised (ε, δ) by the other’s noise',
      means: 'protected',
      counts: 'protected',
      remarks:
        'A third of ε for the mean, the rest for the components, and half of δ for each; owners contribute twice.',
      keeps: keepsNominal,
    },
    run: (source, sites, setting) => {
      const { epsilon, dpDelta, clippingNorm } = setting;
      const spend = (share: number): PcaSetting => ({
        ...setting,
        epsilon: share * epsilon,
        dpDelta: dpDelta / 2,
      });
      const around = aroundMean(source, sites, spend(SHARE_OF_MEAN), draws);
      const second = { ...spend(1 - SHARE_OF_MEAN), clippingNorm: clippingNorm / 2 };
      return stageComponents(
        stageRelease(source, around, second, draws).noisy,
        featuresOf(sites),
        setting.components,
      );
    },
  };
}

export const eigenveilAroundOne: PcaMethod = method(1);
export const eigenveilAround: PcaMethod = method(2);
