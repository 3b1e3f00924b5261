/**
 * The two-stage local method: every row's owner first sends the row with Laplace noise, for the mean, and then the centred row through a bounded
 * mechanism; the server takes the covariance of what it got.
 *
 * After the outline of LDP-PPA, "Local differential privacy protection for principal component analysis" (Information Sciences, 2025), whose full text could not
 * be read. Assumed: ε₁ = ε₂ = ε/2, so that a row spends ε in all; entries in ±1/√d, so that ‖x − y‖₁ <= 2 √d between any two rows and the Laplace
 * scale is 2 √d/ε₁; the largest magnitude of a centred entry is taken to be the public 2/√d and not the maximum of the data, which would leak; ε₂/d for
 * each entry through the piecewise mechanism; no correction of the variance that it adds, which is nearly the same on the whole diagonal.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { calibrateLaplace } from '../mechanisms/additive.ts';
import { RealDraws } from '../random/real.ts';
import { bounded, featuresOf, secondMoment, topEigenvectors } from './matrix.ts';
import { NOBODY, type PcaMethod, type PcaSetting, PURE, type Row, type Site } from './method.ts';
import { piecewise } from './piecewise.ts';

/** Between any two rows with ‖x‖₂ <= 1, in the box ±1/√d or not: L1. */
export const rowSensitivity = (dimension: number): number => 2 * Math.sqrt(dimension);

/** The largest entry of a row in the box ±1/√d that is clipped to C and divided by it. */
export const largestEntry = (dimension: number, clippingNorm: number): number =>
  Math.min(1, 1 / (Math.min(clippingNorm, 1) * Math.sqrt(dimension)));

function perturbedRows(source: RandomSource, sites: readonly Site[], setting: PcaSetting): Row[] {
  const { epsilon, clippingNorm } = setting;
  const dimension = featuresOf(sites);
  const rows = bounded(sites, setting).flat();
  const draws = new RealDraws(source);
  const scale = calibrateLaplace({ sensitivity: rowSensitivity(dimension), epsilon: epsilon / 2 });
  const sum = new Array<number>(dimension).fill(0);
  for (const row of rows) {
    for (let i = 0; i < dimension; i += 1) sum[i]! += row[i]! + (scale === 0 ? 0 : scale * draws.laplace());
  }
  const largest = largestEntry(dimension, clippingNorm);
  // No mean lies outside of the range of its attribute.
  const mean = sum.map((x) => Math.min(largest, Math.max(-largest, x / rows.length)));
  const centred = rows.map((row) => row.map((x, i) => x - mean[i]!));
  if (epsilon === Infinity) return centred;
  const mechanism = piecewise(epsilon / 2 / dimension);
  return centred.map((row) => row.map((x) => mechanism.draw(draws, x / (2 * largest))));
}

export const twoStageLocal: PcaMethod = {
  name: 'two-stage-local',
  title: 'two-stage local, after LDP-PPA',
  reference:
    '"LDP-PPA: Local differential privacy protection for principal component analysis" (2025), in outline',
  panel: 'local',
  dependsOnSites: false,
  promise: {
    ...{ ...PURE, neighbours: 'replace', trust: NOBODY, means: 'protected', counts: 'public' },
    remarks:
      'Half of ε for the mean, half for the rows, divided among the features. Assumed: public ranges in place of the maxima of the data.',
  },
  run: (source, sites, setting) =>
    topEigenvectors(
      secondMoment(perturbedRows(source, sites, setting), featuresOf(sites)),
      setting.components,
    ),
};
