/**
 * Methods with one trusted curator, who holds all rows and adds noise once: what distributed methods are measured against.
 *
 * Proofs stand beside the mechanisms: sensitivities of second moments in mechanisms/symmetric.ts, of the joint statistic in
 * stage/sensitivity.ts, the Wishart mechanism in wishart-calibration.ts. Over real numbers, for published methods.
 */

import { SCATTER_WEIGHTS } from '@eigenveil/methods';
import type { RandomSource } from '@eigenveil/privacy';
import { calibrateAnalyticGaussian, rhoOfBudget, sensitivitySquared } from '@eigenveil/privacy';
import { gaussianMechanism } from '../mechanisms/gaussian.ts';
import { calibrateLaplace } from '../mechanisms/laplace.ts';
import {
  secondMomentSensitivity,
  symmetricGaussianNoise,
  symmetricLaplaceNoise,
} from '../mechanisms/symmetric.ts';
import { wishartNoise } from '../mechanisms/wishart.ts';
import { calibrateWishart } from '../mechanisms/wishart-calibration.ts';
import { keptByGaussian } from './actual.ts';
import {
  add,
  bounded,
  centredExactly,
  centredScatter,
  featuresOf,
  fromUpperTriangle,
  pooled,
  rowsOf,
  type Square,
  secondMoment,
  sumOfRows,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import {
  keepsNominal,
  keepsNothing,
  keepsPure,
  type Panel,
  type PcaMethod,
  type PcaPromise,
  type PcaSetting,
  type Site,
} from './method.ts';

/** Of methods that trust one party with all rows. */
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
    neighbours: 'none',
    epsilon: 'none',
    trust: CURATOR,
    means: 'not protected',
    counts: 'public',
    remarks: 'Promises nothing, and clips nothing.',
    keeps: keepsNothing('there is no noise'),
  },
  run: (_source, sites, { components }) => {
    const { R, V, Q } = sums(sites);
    return topEigenvectors(centredScatter(R, V, Q), components);
  },
};

/** The deviation of the noise on the weighted statistics. */
type JointNoise = (setting: PcaSetting) => number;

const analytic: JointNoise = (setting) => gaussianDeviation(jointSensitivity(), setting);
const byZcdp: JointNoise = ({ epsilon, dpDelta }) =>
  jointSensitivity() / Math.sqrt(2 * rhoOfBudget({ epsilon, dpDelta }));

/** R, V and Q with Gaussian noise at once, weighted as the protocol's stage weights them. */
function jointMethod(of: {
  readonly name: string;
  readonly title: string;
  readonly remarks: string;
  readonly deviation: JointNoise;
  /** Weight of the entries of R off the diagonal. */
  readonly offDiagonal: number;
}): PcaMethod {
  const { name, title, remarks, deviation, offDiagonal } = of;
  return {
    name,
    title,
    reference:
      'Balle and Wang, "Improving the Gaussian mechanism for differential privacy" (2018), on the statistics of Eigenveil',
    panel: 'approximate',
    dependsOnSites: false,
    promise: {
      neighbours: 'add-remove',
      epsilon: 'approximate',
      trust: CURATOR,
      means: 'protected',
      counts: 'protected',
      remarks,
      keeps: (_sites, setting) =>
        keptByGaussian({
          sigma: deviation(setting),
          sensitivity: jointSensitivity(),
          dpDelta: setting.dpDelta,
        }),
    },
    // Of the second moments alone: the mean has noise of its own.
    noiseDeviation: (sites, setting) => deviation(setting) / rowsOf(sites),
    run: (source, sites, setting) => {
      const { R, V, Q } = sums(bounded(sites, setting));
      const weights = SCATTER_WEIGHTS;
      const triangle = upperTriangle(weighOffDiagonal(R, offDiagonal));
      const weighted = [...triangle, ...V.map((x) => x * weights.V), Q * weights.M];
      const noisy = gaussianMechanism(source, weighted, { sigma: deviation(setting) });
      const count = noisy.at(-1)! / weights.M;
      // As the protocol does: no projection of what looks like no rows.
      if (count <= 0) return undefined;
      const mean = noisy.slice(triangle.length, -1).map((x) => x / weights.V);
      const noisyR = weighOffDiagonal(fromUpperTriangle(noisy, V.length), 1 / offDiagonal);
      return topEigenvectors(centredScatter(noisyR, mean, count), setting.components);
    },
  };
}

function weighOffDiagonal(matrix: Square, weight: number): number[][] {
  return matrix.map((row, i) => row.map((entry, j) => (i === j ? entry : entry * weight)));
}

export const centralJoint: PcaMethod = jointMethod({
  name: 'central',
  title: 'central Gaussian',
  remarks:
    'R, V and Q with the relation and the weights of the stage of Eigenveil, and the least deviation that Gaussian noise can have (analytic calibration).',
  deviation: analytic,
  offDiagonal: Math.SQRT2,
});

export const centralJointZcdp: PcaMethod = jointMethod({
  name: 'central-zcdp',
  title: 'central Gaussian, accounted by zCDP',
  remarks: 'The same with the deviation that the step from zCDP to (ε, δ) gives: what that accounting costs.',
  deviation: byZcdp,
  offDiagonal: Math.SQRT2,
});

export const centralJointTwice: PcaMethod = jointMethod({
  name: 'central-twice',
  title: 'central Gaussian, drawn twice',
  remarks: 'The analytic deviation times √2: what two servers that do not trust each other have to add.',
  deviation: (setting) => Math.SQRT2 * analytic(setting),
  offDiagonal: Math.SQRT2,
});

/** As publications have it, with noise of one deviation on the whole triangle: larger than it has to be off the diagonal. */
export const centralTriangle: PcaMethod = jointMethod({
  name: 'central-triangle',
  title: 'central Gaussian, one deviation',
  remarks:
    'The analytic deviation on every entry of R. Entries off the diagonal count twice in the norm of a symmetric matrix, so 1/√2 of it would do for them.',
  deviation: analytic,
  offDiagonal: 1,
});

/** Of R, V/2 and Q/2 together, when a row is added or removed; L2. */
export function jointSensitivity(): number {
  return Math.sqrt(
    sensitivitySquared({ weights: SCATTER_WEIGHTS, collectsR: true, classes: [1] }, 'add-remove'),
  );
}

export const analyzeGauss: PcaMethod = secondMomentMethod({
  name: 'analyze-gauss',
  title: 'Analyze Gauss',
  reference: 'Dwork, Talwar, Thakurta and Zhang, "Analyze Gauss" (2014)',
  panel: 'approximate',
  epsilon: 'approximate',
  remarks: `${CENTRED} The analytic deviation in place of the published one, which is larger and does not hold for ε > 1.`,
  keeps: keepsNominal,
  deviation: secondMomentGaussian,
  noise: (source, dimension, setting) =>
    symmetricGaussianNoise(source, dimension, { sigma: secondMomentGaussian(dimension, setting) }),
});

/** The more degrees of freedom, the less noise, towards that of Gaussian noise; from here on little changes. */
const DEGREES_OF_FREEDOM_FACTOR = 256;

interface Wishart {
  readonly degreesOfFreedom: number;
  readonly scale: number;
}

function wishartParameters(dimension: number, { epsilon, dpDelta }: PcaSetting): Wishart {
  const degreesOfFreedom = DEGREES_OF_FREEDOM_FACTOR * dimension;
  return { degreesOfFreedom, scale: calibrateWishart({ dimension, degreesOfFreedom, epsilon, dpDelta }) };
}

function publishedWishart(dimension: number, { epsilon }: PcaSetting): Wishart {
  return { degreesOfFreedom: dimension + 1, scale: 3 / (2 * epsilon) };
}

/** A diagonal entry is the scale times a chi-square; its mean, the same on the whole diagonal, moves no component. */
function wishartDeviation({ degreesOfFreedom, scale }: Wishart): number {
  return scale * Math.sqrt(2 * degreesOfFreedom);
}

export const wishart: PcaMethod = secondMomentMethod({
  name: 'wishart',
  title: 'Wishart',
  reference:
    'Jiang, Xie and Zhang, "Wishart mechanism for differentially private principal components analysis" (2016)',
  panel: 'approximate',
  epsilon: 'approximate',
  remarks: `${CENTRED} With 256 d degrees of freedom and the scale at which (ε, δ) does hold: as published it does not, see below.`,
  keeps: keepsNominal,
  deviation: (dimension, setting) => wishartDeviation(wishartParameters(dimension, setting)),
  noise: (source, dimension, setting) =>
    wishartNoise(source, dimension, wishartParameters(dimension, setting)),
});

export const wishartPublished: PcaMethod = secondMomentMethod({
  name: 'wishart-published',
  title: 'Wishart, as published',
  reference:
    'Jiang, Xie and Zhang, "Wishart mechanism for differentially private principal components analysis" (2016)',
  panel: 'unkept',
  epsilon: 'none',
  remarks: `${CENTRED} The publication claims (ε, 0) with d + 1 degrees of freedom and scale 3/(2ε). It promises nothing of the kind: some outputs are possible without a row only (mechanisms/wishart-calibration.ts).`,
  keeps: keepsNothing('some outputs are possible without a row only'),
  deviation: (dimension, setting) => wishartDeviation(publishedWishart(dimension, setting)),
  noise: (source, dimension, setting) =>
    wishartNoise(source, dimension, publishedWishart(dimension, setting)),
});

export const ppdp: PcaMethod = secondMomentMethod({
  name: 'ppdp',
  title: 'PPDP',
  reference:
    'Jiang, Ji, Wang, Mohammed, Cheng and Ohno-Machado, "Differential-private data publishing through component analysis" (2013)',
  panel: 'pure',
  epsilon: 'pure',
  remarks: `${CENTRED} Assumed: symmetric Laplace noise on Σ x xᵀ of rows with ‖x‖₂ ≤ 1; its scale is the exact sensitivity (d + 1)/2 over ε, no more than any published bound.`,
  keeps: keepsPure,
  deviation: (dimension, setting) => Math.SQRT2 * secondMomentLaplace(dimension, setting),
  noise: (source, dimension, setting) =>
    symmetricLaplaceNoise(source, dimension, { scale: secondMomentLaplace(dimension, setting) }),
});

/** The deviation of Gaussian noise on Σ x xᵀ; 0 for ε = Infinity. */
export function secondMomentGaussian(dimension: number, setting: PcaSetting): number {
  return gaussianDeviation(secondMomentSensitivity(dimension, 'add-remove').l2, setting);
}

/** The scale of Laplace noise on the upper triangle of Σ x xᵀ; 0 for ε = Infinity. */
export function secondMomentLaplace(dimension: number, { epsilon }: PcaSetting): number {
  return calibrateLaplace({ sensitivity: secondMomentSensitivity(dimension, 'add-remove').l1, epsilon });
}

/** The deviation of Gaussian noise for a query of this L2 sensitivity; 0 for ε = Infinity. */
export function gaussianDeviation(sensitivity: number, { epsilon, dpDelta }: PcaSetting): number {
  return calibrateAnalyticGaussian({ sensitivity, epsilon, dpDelta });
}

function secondMomentMethod(of: {
  readonly name: string;
  readonly title: string;
  readonly reference: string;
  readonly panel: Panel;
  readonly epsilon: 'none' | 'pure' | 'approximate';
  readonly remarks: string;
  readonly keeps: PcaPromise['keeps'];
  /** Of a diagonal entry of the noise. */
  readonly deviation: (dimension: number, setting: PcaSetting) => number;
  readonly noise: (source: RandomSource, dimension: number, setting: PcaSetting) => Square;
}): PcaMethod {
  const { name, title, reference, panel, epsilon, remarks, keeps, deviation, noise } = of;
  return {
    name,
    title,
    reference,
    panel,
    dependsOnSites: false,
    promise: {
      neighbours: epsilon === 'none' ? 'none' : 'add-remove',
      epsilon,
      trust: CURATOR,
      means: 'not protected',
      counts: 'public',
      remarks,
      keeps,
    },
    noiseDeviation: (sites, setting) => deviation(featuresOf(sites), setting) / rowsOf(sites),
    run: (source, sites, setting) => {
      const rows = pooled(centredExactly(sites, setting));
      const dimension = featuresOf(sites);
      const moments = secondMoment(rows, dimension);
      return topEigenvectors(add(moments, noise(source, dimension, setting)), setting.components);
    },
  };
}

function sums(sites: readonly Site[]): { R: number[][]; V: number[]; Q: number } {
  const dimension = featuresOf(sites);
  const rows = pooled(sites);
  return { R: secondMoment(rows, dimension), V: sumOfRows(rows, dimension), Q: rows.length };
}
