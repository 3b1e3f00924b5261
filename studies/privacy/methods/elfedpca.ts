/**
 * ELFedPCA: federated PCA whose noise comes from a seed that all sites share ("Horizontal federated PCA with differential privacy data publishing",
 * Application Research of Computers, 2022).
 *
 * The steps; what the outline leaves open and was assumed is marked *:
 * 1. Site 2 draws masks (a_i, b_i) for the sites 2 … s that sum to zero, and deals them (*: a vector for each site, all as integers
 *    modulo 2^64). Site i sends Σ x + a_i and N_i + b_i to site 1, which adds its own sums, unmasked, and sends the mean to all.
 * 2. Every row less the mean is divided by its length, always.
 * 3. A_i = (N_i − 1)⁻¹ Σ x xᵀ.
 * 4. Site 1 sends a seed. All sites draw the same E of deviation τ = √(2 ln(1.25/δ))/(n ε) (*: symmetric, so that the lower triangle mirrors the
 *    upper; for any ε, as the publication sets no limit) and send A_i′ = A_i + E/s to site 1.
 * 5. Site 1 takes the singular vectors V′ of A′ = Σ A_i′ = Σ A_i + E: eigenvectors by |λ| (*: E is symmetric).
 * 6. Site i sends its reduced rows Y_i = X_i V′ (*: of the rows of step 2) to site 1, which publishes them.
 *
 * What that keeps of a row, with proofs:
 * - Given mean and sizes, a row enters Σ A_i as x xᵀ/(N_i − 1): the L2 sensitivity is 1/(min N_i − 1) and not 1/n. So the noise falls short
 *   by n/(min N_i − 1) (times what the classic calibration wastes), and A′ keeps the ε of keptByGaussian at that sensitivity. `repaired` takes the
 *   deviation that does hide a row, and is the same as `published` at the nominal ε at which the kept ε is the wanted one.
 * - "Given the mean" is a real restriction. A row changes the mean by up to 2/n, and normalising magnifies any change: rows that lie closer to
 *   the mean than that all turn, and Σ A_i changes by as much as √2 Σ N_i/(N_i − 1), about s √2 (`corrected`: √2). Normalised after an exact mean, it
 *   has no sensitivity of order 1/n, and where the mean belongs to the rows no variant keeps anything near its nominal ε.
 * - A_i′ − A_j′ = A_i − A_j: who sees single messages needs no seed to be rid of the noise. Site 1, and every site that sees messages, knows the
 *   seed and subtracts E/s (recoverCovariances). Site 2 knows all masks.
 * - Y is computed from the rows without noise: no ε covers it.
 * - Σ A_i is not the pooled covariance unless all sites are of one size: a small site weighs as much as a large one. `corrected` divides
 *   by the common n − 1. Its A′ is that of Analyze Gauss on normalised rows.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { publishedGaussian } from '../mechanisms/additive.ts';
import { secondMomentSensitivity, symmetricGaussianNoise } from '../mechanisms/matrices.ts';
import { keptByGaussian } from './actual.ts';
import { gaussianDeviation } from './central.ts';
import { masked, signed, sumOfMasked, zeroSumMasks } from './masks.ts';
import {
  add,
  centreBy,
  featuresOf,
  rowsOf,
  scaled,
  secondMoment,
  sumOfRows,
  times,
  topSingularVectors,
} from './matrix.ts';
import { APPROXIMATE, GIVEN, type PcaMethod, type PcaSetting, type Row, type Site } from './method.ts';

type Variant = 'published' | 'repaired' | 'corrected';

/** Sums are masked as multiples of 2^-40. */
const UNIT = 2 ** 40;
/** The clipping norm of step 2: C = 0 normalises. */
const NORMALISED = 0;

/** Steps 2 to 4, given the mean. */
interface NoisyCovariances {
  /** Every site has it from site 1. */
  readonly seed: string;
  /** A_i′, which site 1 collects. */
  readonly messages: readonly number[][][];
  /** A_i, which only site i should know. */
  readonly covariances: readonly number[][][];
  /** X_i, site i's own. */
  readonly normalised: readonly Row[][];
  /** The deviation of the entries of E. */
  readonly deviation: number;
}

/** All that was sent, by who sees it. */
interface Elfedpca extends NoisyCovariances {
  /** Site 2 dealt them, so that it knows all. The first is of zeros: site 1 has none. */
  readonly masks: readonly (readonly bigint[])[];
  /** Site 1 collects these, its own first and plain. */
  readonly maskedSums: readonly (readonly bigint[])[];
  /** V′, which every site gets. */
  readonly components: number[][];
  /** Y_i, which site 1 publishes. */
  readonly reduced: readonly Row[][];
}

/** @throws RangeError when a site has fewer than two rows: its covariance takes two */
export function runElfedpca(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  variant: Variant,
): Elfedpca {
  const dimension = featuresOf(sites);
  // The masks of the others sum to zero, so that a single one is zero, too.
  const none = new Array<bigint>(dimension + 1).fill(0n);
  const masks = [none, ...(sites.length > 1 ? zeroSumMasks(source, sites.length - 1, dimension + 1) : [])];
  const maskedSums = sites.map((site, i) => masked(sumsOf(site, dimension), masks[i]!));
  const step = noisyCovariances(source, sites, meanOf(maskedSums).mean, setting, variant);
  const components = topSingularVectors(step.messages.reduce(add), setting.components);
  const reduced = step.normalised.map((rows) => rows.map((row) => times(components, row)));
  return { ...step, masks, maskedSums, components, reduced };
}

export function noisyCovariances(
  source: RandomSource,
  sites: readonly Site[],
  mean: readonly number[],
  setting: PcaSetting,
  variant: Variant,
): NoisyCovariances {
  const dimension = featuresOf(sites);
  const normalised = sites.map((site) => centreBy(site, mean, NORMALISED));
  const divisors = divisorsOf(sites, variant);
  const covariances = normalised.map((rows, i) => scaled(secondMoment(rows, dimension), 1 / divisors[i]!));
  const seed = Buffer.from(source(16)).toString('hex');
  const deviation = elfedpcaDeviation(sites, setting, variant);
  const share = scaled(sharedNoise(seed, dimension, deviation), 1 / sites.length);
  const messages = covariances.map((A) => add(A, share));
  return { seed, messages, covariances, normalised, deviation };
}

/** Σ x in units of 2^-40, and the number of rows: what is masked. */
export function sumsOf(site: Site, dimension: number): bigint[] {
  return [...sumOfRows(site, dimension).map((x) => BigInt(Math.round(x * UNIT))), BigInt(site.length)];
}

/** Site 1 computes this of the masked sums. */
export function meanOf(maskedSums: readonly (readonly bigint[])[]): { mean: number[]; count: number } {
  const sums = sumOfMasked(maskedSums).map(Number);
  const count = sums.pop()!;
  return { mean: sums.map((sum) => sum / UNIT / count), count };
}

/** Each site divides its Σ x xᵀ by one of these. */
function divisorsOf(sites: readonly Site[], variant: Variant): number[] {
  if (sites.some((site) => site.length < 2))
    throw new RangeError('"sites" expected two rows or more in each');
  return sites.map((site) => (variant === 'corrected' ? rowsOf(sites) : site.length) - 1);
}

/** The L2 sensitivity of Σ A_i for a given mean, when a row is added or removed and the divisors stay. */
export function elfedpcaSensitivity(sites: readonly Site[], variant: Variant): number {
  const { l2 } = secondMomentSensitivity(featuresOf(sites), 'add-remove');
  return l2 / Math.min(...divisorsOf(sites, variant));
}

/** τ, of the entries of E. */
export function elfedpcaDeviation(sites: readonly Site[], setting: PcaSetting, variant: Variant): number {
  return variant === 'published'
    ? publishedGaussian({ ...setting, sensitivity: 1 / rowsOf(sites) })
    : gaussianDeviation(elfedpcaSensitivity(sites, variant), setting);
}

/** E: the same for all who know the seed. */
const sharedNoise = (seed: string, dimension: number, sigma: number): number[][] =>
  symmetricGaussianNoise(predictableRandomness(seed), dimension, { sigma });

/** A_i of every site, by one that knows the seed: it draws E again and subtracts E/s from the messages. */
export function recoverCovariances({
  messages,
  seed,
  deviation,
}: Pick<Elfedpca, 'messages' | 'seed' | 'deviation'>): number[][][] {
  const noise = sharedNoise(seed, messages[0]!.length, deviation);
  return messages.map((message) => add(message, scaled(noise, -1 / messages.length)));
}

/** Every site's Σ x and number of rows, by site 2, which dealt the masks, once it sees what site 1 gets. */
export const unmaskedSums = ({ masks, maskedSums }: Pick<Elfedpca, 'masks' | 'maskedSums'>): bigint[][] =>
  maskedSums.map((sums, i) => sums.map((sum, j) => signed(sum - masks[i]![j]!)));

const LIMITS =
  'Every row divided by its length after the exact mean, so that this holds for a mean that is given. Promises nothing to a site, to who sees single messages, nor of the reduced rows that it publishes.';

const VARIANTS: Readonly<Record<Variant, Pick<PcaMethod, 'name' | 'title' | 'panel'> & { remarks: string }>> =
  {
    published: {
      name: 'elfedpca',
      title: 'ELFedPCA, as published',
      panel: 'unkept',
      remarks:
        'The noise is for a sensitivity of 1/n; that of Σ A_i with 1/(N_i − 1) is 1/(min N_i − 1), so that the kept ε is many times the nominal.',
    },
    repaired: {
      name: 'elfedpca-repaired',
      title: 'ELFedPCA, repaired',
      panel: 'approximate',
      remarks:
        'As published with the deviation that hides a row of Σ A_i: the same as published at the nominal ε that keeps this one.',
    },
    corrected: {
      name: 'elfedpca-corrected',
      title: 'ELFedPCA, corrected',
      panel: 'approximate',
      remarks: 'All sites divide by the common n − 1, so that Σ A_i is the pooled covariance.',
    },
  };

function method(variant: Variant): PcaMethod {
  const { name, title, panel, remarks } = VARIANTS[variant];
  return {
    name,
    title,
    reference:
      '"Horizontal federated PCA with differential privacy data publishing", Application Research of Computers (2022)',
    panel,
    dependsOnSites: true,
    promise: {
      ...{ ...APPROXIMATE, ...GIVEN, trust: 'every single site: each knows the seed of all noise' },
      remarks: `${remarks} ${LIMITS}`,
      ...(variant === 'published' && {
        keeps: (sites, setting) =>
          keptByGaussian({
            sigma: elfedpcaDeviation(sites, setting, variant),
            sensitivity: elfedpcaSensitivity(sites, variant),
            dpDelta: setting.dpDelta,
          }),
      }),
    },
    noiseDeviation: (sites, setting) => {
      const divisors = divisorsOf(sites, variant);
      const signal = sites.reduce((sum, site, i) => sum + site.length / divisors[i]!, 0);
      return elfedpcaDeviation(sites, setting, variant) / signal;
    },
    run: (source, sites, setting) => runElfedpca(source, sites, setting, variant).components,
  };
}

export const elfedpca = method('published');
export const elfedpcaRepaired = method('repaired');
export const elfedpcaCorrected = method('corrected');
