/**
 * Methods with one trusted curator, who holds all rows and adds noise once: what distributed methods are measured against.
 *
 * Proofs stand beside the mechanisms: sensitivities of second moments in mechanisms/matrices.ts, of the joint statistic in
 * stage/sensitivity.ts, the Wishart mechanism in wishart-calibration.ts. Over real numbers, for published methods.
 */

import { SCATTER_WEIGHTS } from '@eigenveil/methods';
import {
  calibrateAnalyticGaussian,
  type RandomSource,
  rhoOfBudget,
  sensitivitySquared,
} from '@eigenveil/privacy';
import { calibrateLaplace, gaussianMechanism, publishedGaussian } from '../mechanisms/additive.ts';
import {
  secondMomentSensitivity,
  symmetricGaussianNoise,
  symmetricLaplaceNoise,
  wishartNoise,
} from '../mechanisms/matrices.ts';
import { calibrateWishart } from '../mechanisms/wishart-calibration.ts';
import { keptByGaussian } from './actual.ts';
import {
  add,
  bounded,
  centredExactly,
  centredScatter,
  featuresOf,
  fromUpperTriangle,
  rowsOf,
  type Square,
  scatterOf,
  secondMoment,
  squareOf,
  sumOfRows,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import {
  APPROXIMATE,
  GIVEN,
  keepsNothing,
  type PcaMethod,
  type PcaPromise,
  type PcaSetting,
  PURE,
} from './method.ts';

/** The party with all rows, which such methods trust. */
export const CURATOR = 'a curator who holds all rows';
const CENTRED =
  'Rows are centred by their exact mean, which the publication takes as given and nothing protects.';

/** PCA of the pooled rows. */
export const nonPrivate: PcaMethod = {
  name: 'non-private',
  title: 'no noise',
  reference: 'the exact components of all rows',
  panel: 'baseline',
  dependsOnSites: false,
  promise: {
    ...{ ...GIVEN, neighbours: 'none', epsilon: 'none', trust: CURATOR },
    remarks: 'Promises nothing, and clips nothing.',
    keeps: keepsNothing('there is no noise'),
  },
  run: (_source, sites, { components }) => topEigenvectors(scatterOf(sites.flat()), components),
};

interface JointStatistics extends Pick<PcaMethod, 'name' | 'title'>, Pick<PcaPromise, 'remarks'> {
  /** The deviation of the noise on the weighted statistics. */
  readonly deviation: (setting: PcaSetting) => number;
  /** Weight of the entries of R off the diagonal. */
  readonly offDiagonal: number;
}

/** R, V and Q with Gaussian noise at once, weighted as the protocol's stage weights them. */
function jointMethod({ deviation, offDiagonal, remarks, ...named }: JointStatistics): PcaMethod {
  const weighed = (matrix: Square, weight: number) =>
    squareOf(matrix.length, (i, j) => (i === j ? matrix[i]![j]! : matrix[i]![j]! * weight));
  return {
    ...named,
    reference:
      'Balle and Wang, "Improving the Gaussian mechanism for differential privacy" (2018), on the statistics of Eigenveil',
    panel: 'approximate',
    dependsOnSites: false,
    promise: {
      ...{ ...APPROXIMATE, trust: CURATOR, means: 'protected', counts: 'protected', remarks },
      keeps: (_sites, setting) =>
        keptByGaussian({
          sigma: deviation(setting),
          sensitivity: jointSensitivity(),
          dpDelta: setting.dpDelta,
        }),
    },
    // The second moments alone have this: the mean has noise of its own.
    noiseDeviation: (sites, setting) => deviation(setting) / rowsOf(sites),
    run: (source, sites, setting) => {
      const d = featuresOf(sites);
      const rows = bounded(sites, setting).flat();
      const weights = SCATTER_WEIGHTS;
      const triangle = upperTriangle(weighed(secondMoment(rows, d), offDiagonal));
      const V = sumOfRows(rows, d).map((x) => x * weights.V);
      const exact = [...triangle, ...V, rows.length * weights.M];
      const noisy = gaussianMechanism(source, exact, { sigma: deviation(setting) });
      const count = noisy.at(-1)! / weights.M;
      // As the protocol does: no projection of what looks like no rows.
      if (count <= 0) return undefined;
      const sums = noisy.slice(triangle.length, -1).map((x) => x / weights.V);
      const R = weighed(fromUpperTriangle(noisy, d), 1 / offDiagonal);
      return topEigenvectors(centredScatter(R, sums, count), setting.components);
    },
  };
}

const analytic = (setting: PcaSetting): number => gaussianDeviation(jointSensitivity(), setting);

export const centralJoint = jointMethod({
  name: 'central',
  title: 'central Gaussian',
  remarks:
    'R, V and Q with the relation and the weights of the stage of Eigenveil, and the least deviation that Gaussian noise can have (analytic calibration).',
  deviation: analytic,
  offDiagonal: Math.SQRT2,
});

export const centralJointZcdp = jointMethod({
  name: 'central-zcdp',
  title: 'central Gaussian, accounted by zCDP',
  remarks:
    'As above, with the deviation that the step from zCDP to (ε, δ) gives: what that accounting costs.',
  deviation: ({ epsilon, dpDelta }) => jointSensitivity() / Math.sqrt(2 * rhoOfBudget({ epsilon, dpDelta })),
  offDiagonal: Math.SQRT2,
});

export const centralJointTwice = jointMethod({
  name: 'central-twice',
  title: 'central Gaussian, drawn twice',
  remarks: 'The analytic deviation times √2: what two servers that do not trust each other have to add.',
  deviation: (setting) => Math.SQRT2 * analytic(setting),
  offDiagonal: Math.SQRT2,
});

/** As publications have it, with noise of one deviation on the whole triangle: larger than it has to be off the diagonal. */
export const centralTriangle = jointMethod({
  name: 'central-triangle',
  title: 'central Gaussian, one deviation',
  remarks:
    'The analytic deviation on every entry of R. Entries off the diagonal count twice in the norm of a symmetric matrix, so 1/√2 of it would do for them.',
  deviation: analytic,
  offDiagonal: 1,
});

/** R, V/2 and Q/2 together, when a row is added or removed; L2. */
export const jointSensitivity = (): number =>
  Math.sqrt(sensitivitySquared({ weights: SCATTER_WEIGHTS, collectsR: true, classes: [1] }, 'add-remove'));

interface SecondMoments
  extends Pick<PcaMethod, 'name' | 'title' | 'reference' | 'panel'>,
    Pick<PcaPromise, 'neighbours' | 'epsilon' | 'remarks' | 'keeps'> {
  /** Standard deviation of a diagonal entry of the noise. */
  readonly deviation: (dimension: number, setting: PcaSetting) => number;
  readonly noise: (source: RandomSource, dimension: number, setting: PcaSetting) => Square;
}

/** A method whose noisy matrix can be looked at. */
export type MomentsMethod = PcaMethod & Required<Pick<PcaMethod, 'noisyMoments'>>;

/** Second moments of centred rows with symmetric noise. */
function secondMomentMethod(of: SecondMoments): MomentsMethod {
  const { neighbours, epsilon, remarks, keeps, deviation, noise, ...named } = of;
  const noisyMoments: MomentsMethod['noisyMoments'] = (source, sites, setting) => {
    const dimension = featuresOf(sites);
    const moments = secondMoment(centredExactly(sites, setting).flat(), dimension);
    return add(moments, noise(source, dimension, setting));
  };
  return {
    ...named,
    dependsOnSites: false,
    promise: {
      ...{ ...GIVEN, neighbours, epsilon, trust: CURATOR, keeps },
      remarks: `${CENTRED} ${remarks}`,
    },
    noiseDeviation: (sites, setting) => deviation(featuresOf(sites), setting) / rowsOf(sites),
    noisyMoments,
    run: (source, sites, setting) =>
      topEigenvectors(noisyMoments(source, sites, setting), setting.components),
  };
}

export const analyzeGauss = secondMomentMethod({
  name: 'analyze-gauss',
  title: 'Analyze Gauss',
  reference: 'Dwork, Talwar, Thakurta and Zhang, "Analyze Gauss" (2014)',
  panel: 'approximate',
  ...APPROXIMATE,
  remarks:
    'The analytic deviation in place of the published one, which is larger and does not hold for ε > 1.',
  deviation: secondMomentGaussian,
  noise: (source, dimension, setting) =>
    symmetricGaussianNoise(source, dimension, { sigma: secondMomentGaussian(dimension, setting) }),
});

/** For ELFedPCA's own experiment alone: the centralised Gaussian mechanism that it claims to equal, with the same τ. */
export const centralPublished = secondMomentMethod({
  name: 'central-published',
  title: 'central Gaussian',
  reference: 'Dwork, Talwar, Thakurta and Zhang, "Analyze Gauss" (2014)',
  panel: 'unkept',
  ...APPROXIMATE,
  remarks: 'τ = √(2 ln(1.25/δ))/(n ε) on Σ x xᵀ/n at every ε, as published.',
  keeps: (sites, setting) =>
    keptByGaussian({
      sigma: publishedSecondMoment(featuresOf(sites), setting),
      sensitivity: secondMomentSensitivity(featuresOf(sites), 'add-remove').l2,
      dpDelta: setting.dpDelta,
    }),
  deviation: publishedSecondMoment,
  noise: (source, dimension, setting) =>
    symmetricGaussianNoise(source, dimension, { sigma: publishedSecondMoment(dimension, setting) }),
});

/** The more degrees of freedom, the less noise, towards that of Gaussian noise; from here on little changes. */
const DEGREES_OF_FREEDOM_FACTOR = 256;

/** Wishart noise of these degrees of freedom and this scale. */
const wishartMethod = (
  parameters: (
    dimension: number,
    setting: PcaSetting,
  ) => { readonly degreesOfFreedom: number; readonly scale: number },
  of: Omit<SecondMoments, 'reference' | 'deviation' | 'noise'>,
): MomentsMethod =>
  secondMomentMethod({
    ...of,
    reference:
      'Jiang, Xie and Zhang, "Wishart mechanism for differentially private principal components analysis" (2016)',
    // A diagonal entry is the scale times a chi-square; its mean, the same on the whole diagonal, moves no component.
    deviation: (dimension, setting) => {
      const { degreesOfFreedom, scale } = parameters(dimension, setting);
      return scale * Math.sqrt(2 * degreesOfFreedom);
    },
    noise: (source, dimension, setting) => wishartNoise(source, dimension, parameters(dimension, setting)),
  });

export const wishart = wishartMethod(
  (dimension, { epsilon, dpDelta }) => {
    const degreesOfFreedom = DEGREES_OF_FREEDOM_FACTOR * dimension;
    return { degreesOfFreedom, scale: calibrateWishart({ dimension, degreesOfFreedom, epsilon, dpDelta }) };
  },
  {
    name: 'wishart',
    title: 'Wishart',
    panel: 'approximate',
    ...APPROXIMATE,
    remarks:
      'With 256 d degrees of freedom and the scale at which (ε, δ) does hold: as published it does not, see below.',
  },
);

export const wishartPublished = wishartMethod(
  (dimension, { epsilon }) => ({ degreesOfFreedom: dimension + 1, scale: 3 / (2 * epsilon) }),
  {
    name: 'wishart-published',
    title: 'Wishart, as published',
    panel: 'unkept',
    neighbours: 'none',
    epsilon: 'none',
    remarks:
      'The publication claims (ε, 0) with d + 1 degrees of freedom and scale 3/(2ε). It promises nothing of the kind: some outputs are possible without a row only (mechanisms/wishart-calibration.ts).',
    keeps: keepsNothing('some outputs are possible without a row only'),
  },
);

export const ppdp = secondMomentMethod({
  name: 'ppdp',
  title: 'PPDP',
  reference:
    'Jiang, Ji, Wang, Mohammed, Cheng and Ohno-Machado, "Differential-private data publishing through component analysis" (2013)',
  panel: 'pure',
  ...PURE,
  remarks:
    'Assumed: symmetric Laplace noise on Σ x xᵀ of rows with ‖x‖₂ ≤ 1; its scale is the exact sensitivity (d + 1)/2 over ε, no more than any published bound.',
  deviation: (dimension, setting) => Math.SQRT2 * secondMomentLaplace(dimension, setting),
  noise: (source, dimension, setting) =>
    symmetricLaplaceNoise(source, dimension, { scale: secondMomentLaplace(dimension, setting) }),
});

/** The deviation of Gaussian noise on Σ x xᵀ; 0 for ε = Infinity. */
export function secondMomentGaussian(dimension: number, setting: PcaSetting): number {
  return gaussianDeviation(secondMomentSensitivity(dimension, 'add-remove').l2, setting);
}

/** The published deviation of it, on Σ x xᵀ as on n times its mean. */
function publishedSecondMoment(dimension: number, setting: PcaSetting): number {
  return publishedGaussian({
    ...setting,
    sensitivity: secondMomentSensitivity(dimension, 'add-remove').l2,
  });
}

/** The scale of Laplace noise on the upper triangle of Σ x xᵀ; 0 for ε = Infinity. */
export function secondMomentLaplace(dimension: number, { epsilon }: PcaSetting): number {
  return calibrateLaplace({ sensitivity: secondMomentSensitivity(dimension, 'add-remove').l1, epsilon });
}

/** The deviation of Gaussian noise for a query of this L2 sensitivity; 0 for ε = Infinity. */
export function gaussianDeviation(sensitivity: number, { epsilon, dpDelta }: PcaSetting): number {
  return calibrateAnalyticGaussian({ sensitivity, epsilon, dpDelta });
}
