/**
 * LGM, the local Gaussian mechanism, in two readings.
 *
 * Per node: each node adds symmetric Gaussian noise to its covariance, the server adds up and decomposes. Assumed: Σ x xᵀ/N_t of rows centred by a mean
 * that is given, so that nodes weigh alike; noise of its own at each node; the analytic deviation for adding or removing a row, 1/N_t in L2.
 * Covariances alone are protected, not the means.
 *
 * Per row: every row's owner adds the noise to its own x xᵀ. Wang and Xu, "Principal component analysis in the local differential privacy model" (2020).
 * In the local model a row is replaced by any other one, of which ‖x xᵀ − y yᵀ‖ <= √2 (mechanisms/symmetric.ts). The sum of n independent Gaussians is one Gaussian of √n times the deviation: drawn so
 * here. Assumed: the analytic deviation, and rows centred by a mean that is given.
 */

import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/matrices.ts';
import { gaussianDeviation, secondMomentGaussian } from './central.ts';
import {
  add,
  centredExactly,
  featuresOf,
  norm,
  rowsOf,
  scaled,
  secondMoment,
  topEigenvectors,
} from './matrix.ts';
import { APPROXIMATE, CENTRED, GIVEN, NOBODY, OWN_SITE, type PcaMethod, type PcaSetting } from './method.ts';

export const lgmPerNode: PcaMethod = {
  name: 'lgm-node',
  title: 'LGM, per node',
  reference: 'Wang et al., as a patent on distributed local differential privacy retells it',
  panel: 'approximate',
  dependsOnSites: true,
  promise: {
    ...{ ...APPROXIMATE, ...GIVEN, trust: OWN_SITE },
    remarks: `${CENTRED} Assumed: covariances of weight 1/N_t, and the analytic deviation.`,
  },
  noiseDeviation: (sites, setting) =>
    meanOfNodes(sites.map(({ length }) => secondMomentGaussian(featuresOf(sites), setting) / length)),
  run: (source, sites, setting) => {
    const dimension = featuresOf(sites);
    const sigma = secondMomentGaussian(dimension, setting);
    const covariances = centredExactly(sites, setting).map((rows) => {
      const noise = symmetricGaussianNoise(source, dimension, { sigma });
      return scaled(add(secondMoment(rows, dimension), noise), 1 / rows.length);
    });
    return topEigenvectors(covariances.reduce(add), setting.components);
  },
};

/** The deviation of the mean of independent noises. */
export const meanOfNodes = (deviations: readonly number[]): number => norm(deviations) / deviations.length;

/** The deviation of the noise on one x xᵀ. */
const rowDeviation = (dimension: number, setting: PcaSetting): number =>
  gaussianDeviation(secondMomentSensitivity(dimension, 'replace').l2, setting);

export const lgm: PcaMethod = {
  name: 'lgm',
  title: 'LGM, per row',
  reference: 'Wang and Xu, "Principal component analysis in the local differential privacy model" (2020)',
  panel: 'local',
  dependsOnSites: false,
  promise: {
    ...{ ...APPROXIMATE, ...GIVEN, neighbours: 'replace', trust: NOBODY },
    remarks: `${CENTRED} Assumed: the analytic deviation.`,
  },
  noiseDeviation: (sites, setting) => rowDeviation(featuresOf(sites), setting) / Math.sqrt(rowsOf(sites)),
  run: (source, sites, setting) => {
    const dimension = featuresOf(sites);
    const sigma = Math.sqrt(rowsOf(sites)) * rowDeviation(dimension, setting);
    const noise = symmetricGaussianNoise(source, dimension, { sigma });
    const moments = secondMoment(centredExactly(sites, setting).flat(), dimension);
    return topEigenvectors(add(moments, noise), setting.components);
  },
};
