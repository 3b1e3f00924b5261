/**
 * ELFedPCA: federated PCA whose noise comes from a seed that all sites share.
 *
 * The steps, as retold for the comparison (the publication itself could not be read; what was assumed is marked *):
 * 1. Site i sends Σ x + a_i and N_i + b_i, with masks that cancel over the sites. The server learns the common mean.
 * 2. Rows are centred by it and normalised to ‖x‖₂ <= 1 (*: longer rows are divided by their length, the others stay).
 * 3. A_i = (N_i − 1)⁻¹ Σ x xᵀ. All sites draw the same symmetric Gaussian E from the shared seed; site i sends
 *    A_i′ = A_i + E/s. (*: one deviation for E, the least with which A′ is (ε, δ)-private.)
 * 4. The server takes the singular vectors V′ of A′ = Σ A_i′ = Σ A_i + E; site i projects Y_i = X_i V′.
 *
 * Where this fails:
 * - Σ A_i with 1/(N_i − 1) is not the pooled covariance unless all sites are of one size: a small site weighs as much as a large one,
 *   and the sensitivity is that of the smallest, 1/(min N_i − 1). `corrected` divides by the common N − 1.
 * - A_i′ holds 1/s of the noise, so whoever sees a single message is promised s times less in deviation.
 * - Every site can subtract E/s from any message (attack.ts): against a site nothing is promised.
 * - E/s is the same in all messages: A_i′ − A_j′ = A_i − A_j without any noise, also for who does not know the seed.
 * - The mean is exact: nothing of the promise covers it.
 */

import { predictableRandomness, type RandomSource } from '@eigenveil/privacy';
import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/symmetric.ts';
import { gaussianDeviation } from './central.ts';
import { masked, sumOfMasked, zeroSumMasks } from './masks.ts';
import { add, centreBy, featuresOf, scaled, secondMoment, sumOfRows, topEigenvectors } from './matrix.ts';
import type { PcaMethod, PcaSetting, Site } from './method.ts';

type Variant = 'published' | 'corrected';

/** Sums are masked as multiples of 2^-40. */
const UNIT = 2 ** 40;

/** All that the server sees, and what the sites know beside. */
export interface Elfedpca {
  readonly maskedSums: readonly (readonly bigint[])[];
  /** A_i′. */
  readonly messages: readonly number[][][];
  /** A_i. */
  readonly covariances: readonly number[][][];
  readonly seed: string;
  /** Of the entries of E. */
  readonly deviation: number;
}

export function runElfedpca(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  variant: Variant,
): Elfedpca {
  const dimension = featuresOf(sites);
  const masks = zeroSumMasks(source, sites.length, dimension + 1);
  const maskedSums = sites.map((site, i) => masked(sumsOf(site, dimension), masks[i]!));
  const { mean, count } = meanOf(maskedSums);
  const divisors = sites.map((site) => (variant === 'published' ? site.length : count) - 1);
  const covariances = sites.map((site, i) =>
    scaled(secondMoment(centreBy(site, mean), dimension), 1 / divisors[i]!),
  );
  const seed = Buffer.from(source(16)).toString('hex');
  const deviation = gaussianDeviation(elfedpcaSensitivity(divisors, dimension), setting);
  const share = scaled(sharedNoise(seed, dimension, deviation), 1 / sites.length);
  const messages = covariances.map((A) => add(A, share));
  return { maskedSums, messages, covariances, seed, deviation };
}

/** Σ x in units of 2^-40, and the number of rows: what is masked. */
export function sumsOf(site: Site, dimension: number): bigint[] {
  return [...sumOfRows(site, dimension).map((x) => BigInt(Math.round(x * UNIT))), BigInt(site.length)];
}

/** What the server computes of the masked sums. */
export function meanOf(maskedSums: readonly (readonly bigint[])[]): { mean: number[]; count: number } {
  const sums = sumOfMasked(maskedSums).map(Number);
  const count = sums.pop()!;
  return { mean: sums.map((sum) => sum / UNIT / count), count };
}

/** Of Σ A_i, for a given mean: L2, when a row is added or removed and the divisors stay. */
export function elfedpcaSensitivity(divisors: readonly number[], dimension: number): number {
  return secondMomentSensitivity(dimension, 'add-remove').l2 / Math.min(...divisors);
}

/** E: the same for all who know the seed. */
export function sharedNoise(seed: string, dimension: number, deviation: number): number[][] {
  return symmetricGaussianNoise(predictableRandomness(seed), dimension, { sigma: deviation });
}

function method(variant: Variant): PcaMethod {
  return {
    name: variant === 'published' ? 'elfedpca' : 'elfedpca-corrected',
    title: variant === 'published' ? 'ELFedPCA' : 'ELFedPCA, corrected',
    reference: 'ELFedPCA as published in outline',
    panel: 'approximate',
    dependsOnSites: true,
    promise: {
      neighbours: 'add-remove',
      epsilon: 'approximate',
      trust: 'the server, and every single site: each knows the seed of all noise',
      means: 'not protected',
      counts: 'public',
      remarks:
        variant === 'published'
          ? 'Covariances with 1/(N_i − 1) do not add up to the pooled one where sites differ in size. Promises nothing to a site, nor to who sees single messages.'
          : 'All sites divide by the common N − 1. Promises nothing to a site, nor to who sees single messages.',
    },
    run: (source, sites, setting) => {
      const { messages } = runElfedpca(source, sites, setting, variant);
      return topEigenvectors(messages.reduce(add), setting.components);
    },
  };
}

export const elfedpca: PcaMethod = method('published');
export const elfedpcaCorrected: PcaMethod = method('corrected');
