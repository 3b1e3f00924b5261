/**
 * LGM, the local Gaussian mechanism: every row's owner adds symmetric Gaussian noise to its own x xᵀ, and sends that.
 *
 * Wang and Xu, "Principal component analysis in the local differential privacy model" (2020). In the local model a row is replaced by any other
 * one, of which ‖x xᵀ − y yᵀ‖ <= √2 (mechanisms/symmetric.ts). The sum of n independent Gaussians is one Gaussian of √n times the deviation: drawn so
 * here. Assumed: the analytic deviation, and rows centred by a mean that is given.
 */

import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/symmetric.ts';
import { gaussianDeviation } from './central.ts';
import { add, centredExactly, featuresOf, pooled, secondMoment, topEigenvectors } from './matrix.ts';
import { keepsNominal, type PcaMethod } from './method.ts';

export const lgm: PcaMethod = {
  name: 'lgm',
  title: 'LGM',
  reference: 'Wang and Xu, "Principal component analysis in the local differential privacy model" (2020)',
  panel: 'local',
  dependsOnSites: false,
  promise: {
    neighbours: 'replace',
    epsilon: 'approximate',
    trust: 'nobody: each row protects itself',
    means: 'not protected',
    counts: 'public',
    remarks: 'Rows are centred by their exact mean, which nothing protects. Assumed: the analytic deviation.',
    keeps: keepsNominal,
  },
  run: (source, sites, setting) => {
    const dimension = featuresOf(sites);
    const rows = pooled(centredExactly(sites, setting));
    const one = gaussianDeviation(secondMomentSensitivity(dimension, 'replace').l2, setting);
    const noise = symmetricGaussianNoise(source, dimension, { sigma: Math.sqrt(rows.length) * one });
    return topEigenvectors(add(secondMoment(rows, dimension), noise), setting.components);
  },
};
