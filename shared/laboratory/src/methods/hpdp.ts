/**
 * HPDP: sites add parts of Laplace noise before they encrypt, so that the sum under Paillier carries one whole Laplace noise.
 *
 * A Laplace variable of scale b is the sum, over s sites, of b (G − G′) with independent gamma variables of shape 1/s (Goryczka and Xiong, "A comprehensive comparison of
 * multiparty secure additions with differential privacy", 2017). The encrypted sum is over integers, so contributions are rounded to multiples of 2^-20: the
 * result is the sum of the very integers, encrypted or not, which a test shows. Assumed (the publication could not be read): noise on the upper
 * triangle of Σ x xᵀ with the exact L1 sensitivity (d + 1)/2, and rows centred by a mean that is given. The rounding happens after the noise and is post-processing.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { calibrateLaplace } from '../mechanisms/laplace.ts';
import { secondMomentSensitivity } from '../mechanisms/symmetric.ts';
import { RealDraws } from '../random/real.ts';
import {
  centredExactly,
  featuresOf,
  fromUpperTriangle,
  secondMoment,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import type { PcaMethod, PcaSetting, Site } from './method.ts';

const UNIT = 2 ** 20;

/** Per site the integers that it encrypts: the upper triangle of its second moments with its part of the noise, in units of 2^-20. */
export function hpdpContributions(
  source: RandomSource,
  sites: readonly Site[],
  { epsilon }: PcaSetting,
): bigint[][] {
  const dimension = featuresOf(sites);
  const draws = new RealDraws(source);
  const scale = calibrateLaplace({
    sensitivity: secondMomentSensitivity(dimension, 'add-remove').l1,
    epsilon,
  });
  const part = () =>
    scale === 0 ? 0 : scale * (draws.gamma(1 / sites.length) - draws.gamma(1 / sites.length));
  return centredExactly(sites).map((site) =>
    upperTriangle(secondMoment(site, dimension)).map((entry) => BigInt(Math.round((entry + part()) * UNIT))),
  );
}

/** What the holder of the key computes of the decrypted sum. */
export function hpdpComponents(sum: readonly bigint[], dimension: number, components: number): number[][] {
  return topEigenvectors(
    fromUpperTriangle(
      sum.map((entry) => Number(entry) / UNIT),
      dimension,
    ),
    components,
  );
}

export const hpdp: PcaMethod = {
  name: 'hpdp',
  title: 'HPDP',
  reference: 'distributed Laplace noise by differences of gamma variables, under Paillier',
  panel: 'pure',
  // The noise of the sum has one distribution for any number of sites.
  dependsOnSites: false,
  promise: {
    neighbours: 'add-remove',
    epsilon: 'pure',
    trust:
      'all sites to add their part and to keep it to themselves; who holds the key not to open single contributions',
    means: 'not protected',
    counts: 'public',
    remarks:
      'Rows are centred by their exact mean, which nothing protects. Noise on Σ x xᵀ with the exact sensitivity (d + 1)/2.',
  },
  run: (source, sites, setting) => {
    const contributions = hpdpContributions(source, sites, setting);
    const sum = contributions.reduce((a, b) => a.map((value, i) => value + b[i]!));
    return hpdpComponents(sum, featuresOf(sites), setting.components);
  },
};
