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

import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/symmetric.ts';
import { gaussianDeviation, secondMomentGaussian } from './central.ts';
import {
  add,
  centredExactly,
  featuresOf,
  norm,
  pooled,
  rowsOf,
  scaled,
  secondMoment,
  topEigenvectors,
} from './matrix.ts';
import { keepsNominal, type PcaMethod, type PcaSetting } from './method.ts';

const MEAN = 'Rows are centred by their exact mean, which nothing protects.';

/** Of the noise on one x xᵀ. */
const rowDeviation = (dimension: number, setting: PcaSetting): number =>
  gaussianDeviation(secondMomentSensitivity(dimension, 'replace').l2, setting);

export const lgmPerNode: PcaMethod = {
  name: 'lgm-node',
  title: 'LGM, per node',
  reference: 'Wang et al., as a patent on distributed local differential privacy retells it',
  panel: 'approximate',
  dependsOnSites: true,
  promise: {
    neighbours: 'add-remove',
    epsilon: 'approximate',
    trust: 'each row’s own site',
    means: 'not protected',
    counts: 'public',
    remarks: `${MEAN} Assumed: covariances of weight 1/N_t, and the analytic deviation.`,
    keeps: keepsNominal,
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
export function meanOfNodes(deviations: readonly number[]): number {
  return norm(deviations) / deviations.length;
}

export const lgm: PcaMethod = {
  name: 'lgm',
  title: 'LGM, per row',
  reference: 'Wang and Xu, "Principal component analysis in the local differential privacy model" (2020)',
  panel: 'local',
  dependsOnSites: false,
  promise: {
    neighbours: 'replace',
    epsilon: 'approximate',
    trust: 'nobody: each row protects itself',
    means: 'not protected',
    counts: 'public',
    remarks: `${MEAN} Assumed: the analytic deviation.`,
    keeps: keepsNominal,
  },
  noiseDeviation: (sites, setting) => rowDeviation(featuresOf(sites), setting) / Math.sqrt(rowsOf(sites)),
  run: (source, sites, setting) => {
    const dimension = featuresOf(sites);
    const rows = pooled(centredExactly(sites, setting));
    const sigma = Math.sqrt(rows.length) * rowDeviation(dimension, setting);
    const noise = symmetricGaussianNoise(source, dimension, { sigma });
    return topEigenvectors(add(secondMoment(rows, dimension), noise), setting.components);
  },
};
