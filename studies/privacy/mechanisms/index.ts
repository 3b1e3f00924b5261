/** Mechanisms of differential privacy that the methods use, each with its calibration. */
export { calibrateDiscreteLaplace, discreteLaplaceMechanism } from './discrete-laplace.ts';
export { exponentialMechanism } from './exponential.ts';
export { calibrateClassicGaussian, gaussianMechanism } from './gaussian.ts';
export { calibrateLaplace, laplaceMechanism } from './laplace.ts';
export { randomisedResponse } from './randomised-response.ts';
export { secondMomentSensitivity, symmetricGaussianNoise, symmetricLaplaceNoise } from './symmetric.ts';
export { wishartNoise } from './wishart.ts';
export { calibrateWishart, dpDeltaOfWishart } from './wishart-calibration.ts';
