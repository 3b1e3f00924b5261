/**
 * HPDP: sites add parts of Laplace noise before they encrypt, so that the sum under Paillier carries one whole Laplace noise.
 *
 * The encrypted sum is over integers. So rows are rounded first, towards zero to multiples of 2^-16, which no row makes longer; Σ x xᵀ is then a
 * matrix of integers in units of 2^-32, exactly, and has the sensitivity (d + 1)/2 of rows with ‖x‖₂ <= 1, without an error of rounding in it.
 * Each site adds its part of discrete Laplace noise (random/polya.ts), and the sum of all is exactly that of integers with discrete Laplace noise
 * of scale b = Δ/ε: probabilities of neighbouring sums differ by a factor of at most exp(Δ/b) = exp(ε). Rounding after the noise would not do: what a
 * site encrypts would be rounded parts, whose sum is not the rounded noisy sum, so that it is no post-processing of it.
 *
 * Assumed (the publication could not be read): noise on the upper triangle, and rows centred by a mean that is given. The
 * result is the sum of the very integers, encrypted or not, which a test shows.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { rationalOf } from '@eigenveil/privacy/parts';
import { discreteLaplacePartSampler } from '../random/polya.ts';
import { secondMomentLaplace } from './central.ts';
import {
  centredExactly,
  featuresOf,
  fromUpperTriangle,
  rowsOf,
  secondMoment,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import { CENTRED, GIVEN, type PcaMethod, type PcaSetting, PURE, type Site } from './method.ts';

const ROW_UNIT = 2 ** 16;
const UNIT = ROW_UNIT ** 2;

/**
 * Per site the integers that it encrypts: the upper triangle of its second moments with its part of the noise, in units of 2^-32. Sums of fewer than
 * 2^21 rows are exact in doubles.
 */
export function hpdpContributions(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
): bigint[][] {
  const dimension = featuresOf(sites);
  const scale = rationalOf('scale', UNIT * secondMomentLaplace(dimension, setting));
  const part = discreteLaplacePartSampler(source, { scale, parts: sites.length });
  return centredExactly(sites, setting).map((site) => {
    const rounded = site.map((row) => row.map((x) => Math.trunc(x * ROW_UNIT)));
    return upperTriangle(secondMoment(rounded, dimension)).map((entry) => BigInt(entry) + part());
  });
}

/** The holder of the key computes these of the decrypted sum. */
export function hpdpComponents(sum: readonly bigint[], dimension: number, components: number): number[][] {
  const entries = sum.map((entry) => Number(entry) / UNIT);
  return topEigenvectors(fromUpperTriangle(entries, dimension), components);
}

export const hpdp: PcaMethod = {
  name: 'hpdp',
  title: 'HPDP',
  reference: 'distributed Laplace noise by differences of Pólya numbers, under Paillier',
  panel: 'pure',
  // The noise of the sum has one distribution for any number of sites.
  dependsOnSites: false,
  promise: {
    ...{ ...PURE, ...GIVEN },
    trust:
      'all sites to add their part and to keep it to themselves; who holds the key not to open single contributions',
    remarks: `${CENTRED} Noise on Σ x xᵀ with the exact sensitivity (d + 1)/2.`,
  },
  noiseDeviation: (sites, setting) =>
    (Math.SQRT2 * secondMomentLaplace(featuresOf(sites), setting)) / rowsOf(sites),
  run: (source, sites, setting) => {
    const contributions = hpdpContributions(source, sites, setting);
    const sum = contributions.reduce((a, b) => a.map((value, i) => value + b[i]!));
    return hpdpComponents(sum, featuresOf(sites), setting.components);
  },
};
