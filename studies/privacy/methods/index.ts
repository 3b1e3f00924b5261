/** Published methods of differentially private PCA over distributed rows, on one footing. */
import {
  analyzeGauss,
  centralJoint,
  centralJointTwice,
  centralJointZcdp,
  centralPublished,
  centralTriangle,
  type MomentsMethod,
  nonPrivate,
  ppdp,
  wishart,
  wishartPublished,
} from './central.ts';
import { dpdispca, dpdispcaPublished, dpdispcaRecalibrated } from './dpdispca.ts';
import { elfedpca, elfedpcaCorrected, elfedpcaRepaired } from './elfedpca.ts';
import { hpdp } from './hpdp.ts';
import { lgm, lgmPerNode } from './local-gaussian.ts';
import type { PcaMethod } from './method.ts';
import { balcan, noisyPower } from './noisy-power.ts';
import { randomDirections } from './random-directions.ts';
import { eigenveil, eigenveilOne } from './stage.ts';
import { twoStageLocal } from './two-stage.ts';
import { twoStagePublic, twoStagePublicActual, twoStageWritten } from './two-stage-patent.ts';
import { eigenveilAround, eigenveilAroundOne } from './two-tasks.ts';

export { CURATOR } from './central.ts';
export { recoverCovariances, runElfedpca } from './elfedpca.ts';
export { boundedRow, fromUpperTriangle, times } from './matrix.ts';
export type { Panel, PcaMethod, PcaSetting, Row, Site } from './method.ts';
export { identityOf } from './method.ts';
export { MOST_ROUNDS } from './noisy-power.ts';
export { randomDirections } from './random-directions.ts';
export { eigenveil, stageRelease, stageTask, subtractOwnNoise } from './stage.ts';

/** The methods, in the order of reports. */
export const PCA_METHODS: readonly PcaMethod[] = [
  nonPrivate,
  randomDirections,
  centralJoint,
  centralJointZcdp,
  eigenveilOne,
  centralJointTwice,
  centralTriangle,
  eigenveil,
  eigenveilAroundOne,
  eigenveilAround,
  analyzeGauss,
  wishart,
  elfedpcaRepaired,
  elfedpcaCorrected,
  dpdispca,
  dpdispcaRecalibrated,
  lgmPerNode,
  noisyPower,
  balcan,
  ppdp,
  hpdp,
  lgm,
  twoStageLocal,
  twoStagePublicActual,
  elfedpca,
  wishartPublished,
  twoStageWritten,
  twoStagePublic,
];

/** The methods that ELFedPCA's publication compares, each with the noise that it states at every ε, beside what no noise gives. */
export const ELFEDPCA_EXPERIMENT: readonly PcaMethod[] = [
  elfedpca,
  dpdispcaPublished,
  centralPublished,
  nonPrivate,
];

/** Symmetric noise on one matrix, δ = 0 and (ε, δ), beside noise that keeps it positive semidefinite. */
export const NOISY_MOMENTS: readonly MomentsMethod[] = [ppdp, analyzeGauss, wishart, wishartPublished];
