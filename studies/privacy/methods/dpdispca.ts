/**
 * DPdisPCA: every site releases its own second moments with Gaussian noise of its own.
 *
 * Imtiaz and Sarwate, "Differentially private distributed principal component analysis" (ICASSP 2018), compared in their "Distributed
 * differentially-private algorithms for matrix and tensor factorization" (2018). Site i forms A_i = Σ x xᵀ/N_i, adds symmetric Gaussian noise of
 * τ_i = √(2 ln(1.25/δ))/(N_i ε), and sends the root P_i = U_R Λ_R^½ of its R strongest components; the aggregator takes the components of
 * Σ P_i P_iᵀ/s.
 *
 * Assumed: R = d, so that a site leaves out only negative eigenvalues. The published τ_i is the classic calibration, which holds for ε <= 1
 * only; beyond, the analytic one takes its place. `recalibrated` takes the analytic one for all ε, to distinguish what the calibration
 * costs and what the many noises cost. The rows of different sites are different rows, so each site's budget is that of the whole.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { calibrateClassicGaussian, publishedGaussian } from '../mechanisms/additive.ts';
import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/matrices.ts';
import { keptByGaussian } from './actual.ts';
import { secondMomentGaussian } from './central.ts';
import { meanOfNodes } from './local-gaussian.ts';
import {
  add,
  centredExactly,
  eigenpairs,
  featuresOf,
  scaled,
  secondMoment,
  squareOf,
  topEigenvectors,
} from './matrix.ts';
import {
  APPROXIMATE,
  GIVEN,
  OWN_SITE,
  type PcaMethod,
  type PcaPromise,
  type PcaSetting,
  type Site,
} from './method.ts';

const sensitivityOf = (dimension: number): number => secondMomentSensitivity(dimension, 'add-remove').l2;

/** P_i P_iᵀ. */
function contribution(source: RandomSource, site: Site, dimension: number, deviation: number): number[][] {
  const noise = symmetricGaussianNoise(source, dimension, { sigma: deviation });
  const noisy = scaled(add(secondMoment(site, dimension), noise), 1 / site.length);
  const positive = eigenpairs(noisy).filter(({ value }) => value > 0);
  return squareOf(dimension, (i, j) =>
    positive.reduce((sum, { value, vector }) => sum + value * vector[i]! * vector[j]!, 0),
  );
}

/** @param deviationOf τ_i N_i: the deviation of the noise on Σ x xᵀ */
function method(
  deviationOf: (dimension: number, setting: PcaSetting) => number,
  { remarks, ...named }: Pick<PcaMethod, 'name' | 'title'> & Pick<PcaPromise, 'remarks'>,
): PcaMethod {
  return {
    ...named,
    reference: 'Imtiaz and Sarwate, "Differentially private distributed principal component analysis" (2018)',
    panel: 'approximate',
    dependsOnSites: true,
    promise: {
      ...{ ...APPROXIMATE, ...GIVEN, trust: OWN_SITE, remarks },
      // The classic deviation is larger than it has to be, so that less than the nominal ε is spent.
      keeps: (sites, setting) => {
        const sigma = deviationOf(featuresOf(sites), setting);
        return keptByGaussian({
          sigma,
          sensitivity: sensitivityOf(featuresOf(sites)),
          dpDelta: setting.dpDelta,
        });
      },
    },
    // This is before negative eigenvalues are left out.
    noiseDeviation: (sites, setting) => {
      const sum = deviationOf(featuresOf(sites), setting);
      return meanOfNodes(sites.map(({ length }) => sum / length));
    },
    run: (source, sites, setting) => {
      const dimension = featuresOf(sites);
      const deviation = deviationOf(dimension, setting);
      const sum = centredExactly(sites, setting)
        .map((site) => contribution(source, site, dimension, deviation))
        .reduce(add);
      return topEigenvectors(sum, setting.components);
    },
  };
}

export const dpdispca = method(
  (dimension, setting) =>
    setting.epsilon <= 1
      ? calibrateClassicGaussian({ sensitivity: sensitivityOf(dimension), ...setting })
      : secondMomentGaussian(dimension, setting),
  {
    name: 'dpdispca',
    title: 'DPdisPCA',
    remarks:
      'Rows are centred by their exact common mean, which nothing protects. Assumed R = d. The published deviation up to ε = 1, where it holds; beyond, the analytic one.',
  },
);

export const dpdispcaRecalibrated = method(secondMomentGaussian, {
  name: 'dpdispca-recalibrated',
  title: 'DPdisPCA, recalibrated',
  remarks: 'As above, with the analytic deviation for all ε.',
});

/** For ELFedPCA's own experiment alone: beyond ε = 1 nothing says that τ_i is enough, and from some ε on it is not. */
export const dpdispcaPublished = method(
  (dimension, setting) => publishedGaussian({ ...setting, sensitivity: sensitivityOf(dimension) }),
  {
    name: 'dpdispca-published',
    title: 'DPdisPCA',
    remarks:
      'Rows are centred by their exact common mean, which nothing protects. Assumed R = d. The published deviation at every ε.',
  },
);
