/**
 * The distributed noisy power method: sites multiply, each adds Gaussian noise, the server adds up and orthonormalises by QR.
 *
 * Hardt and Price, "The noisy power method" (2014); Balcan, Du, Wang and Yu, "An improved gap-dependency analysis of the noisy power
 * method" (2016), distributed. For orthonormal columns X one row changes A X = Σ x xᵀ X by x (xᵀX), of Frobenius norm ‖x‖ ‖Xᵀx‖ <= 1, however many
 * columns there are. L rounds are L Gaussian mechanisms one after the other, each on what came before: as private as one of sensitivity √L (Dong,
 * Roth and Su, "Gaussian differential privacy", 2022, corollary 2). Fewer rounds spend less, and whether to stop is post-processing where only noisy
 * products decide: so the budget is that of the most rounds.
 *
 * In two readings, both from a random Gaussian start. Assumed of both: noise of every site enough for all, since the server sees each product; rows
 * centred by a mean that is given.
 * - `noisy-power`: a fixed number of rounds. Rounds and columns are those that did best on iris, pima, australian and optdigits, as Eigenveil's own choices are:
 *   one round, and as many columns as features. That is no iteration any more: each site sends its A Q, with Q a turn of the whole space, under noise.
 * - `balcan`: more columns than components, and rounds "until the gap between eigenvalues is less than a threshold". How many columns, which gap, and
 *   which threshold, is left open. Assumed: four columns, at most 20 rounds; the gap is how far the eigenvalues that a round estimates, the diagonal of R in QR, are from those of the round before, and none may
 *   be farther than 10 % of the largest. The first round multiplies a random basis, which estimates no eigenvalue, so that rounds are compared from the
 *   second on. Without noise that takes 3 to 8 rounds on the eight data sets. The threshold was chosen with a look at how often noisy runs on them stop: an
 *   estimate never settles much closer where ε is small.
 *
 * Columns beyond the components take no more noise each, and enlarge the gap between the eigenvalues that decides. The first columns of QR do not
 * depend on the others at all, so the components are the leading left singular vectors of the last noisy product, which do. They are no others when
 * more components are asked for, and no more than there are columns.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { RealDraws } from '../random/real.ts';
import { gaussianDeviation } from './central.ts';
import {
  centredExactly,
  dot,
  featuresOf,
  orthonormal,
  secondMoment,
  squareOf,
  times,
  topEigenvectors,
} from './matrix.ts';
import {
  APPROXIMATE,
  CENTRED,
  GIVEN,
  OWN_SITE,
  type PcaMethod,
  type PcaPromise,
  type PcaSetting,
  type Site,
} from './method.ts';

/** The computation that the budget of `balcan` is for. */
export const MOST_ROUNDS = 20;
const COLUMNS = 4;
/** A share of the largest estimated eigenvalue. */
const THRESHOLD = 0.1;

/** The L2 sensitivity of one round's product, when a row is added or removed. */
export const POWER_SENSITIVITY = 1;

interface Iteration {
  readonly columns: number;
  readonly most: number;
  readonly threshold: number;
}

/**
 * At least one round, at most `most`, whose noise is calibrated to that; stops early once two rounds after the first estimate the same, up to the threshold.
 * @returns the noisy product of the last round, column by column
 */
export function powerIteration(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  { columns, most, threshold }: Iteration,
): { readonly product: readonly (readonly number[])[]; readonly rounds: number } {
  const dimension = featuresOf(sites);
  const draws = new RealDraws(source);
  const moments = centredExactly(sites, setting).map((site) => secondMoment(site, dimension));
  const deviation = gaussianDeviation(POWER_SENSITIVITY * Math.sqrt(most), setting);
  const noise = () => (deviation === 0 ? 0 : deviation * draws.normal());
  let product = Array.from({ length: columns }, () =>
    Array.from({ length: dimension }, () => draws.normal()),
  );
  let estimates: readonly number[] = [];
  for (let rounds = 1; ; rounds += 1) {
    const basis = orthonormal(product);
    product = basis.map((column) =>
      moments
        .map((A) => times(A, column).map((entry) => entry + noise()))
        .reduce((sum, own) => sum.map((entry, i) => entry + own[i]!)),
    );
    const before = estimates;
    // Magnitudes of the diagonal of R in QR: how much of each column the ones before it do not have.
    estimates = orthonormal(product).map((q, c) => Math.abs(dot(q, product[c]!)));
    const largest = Math.max(...estimates);
    const settled =
      rounds > 2 && estimates.every((value, i) => Math.abs(value - before[i]!) <= threshold * largest);
    if (settled || rounds === most) return { product, rounds };
  }
}

/** Singular vectors of the d × p matrix Y with these columns, in the order of singular values: Y v/‖Y v‖ for the eigenvectors v of YᵀY. */
export function leadingLeftSingularVectors(
  product: readonly (readonly number[])[],
  components: number,
): number[][] {
  const gram = squareOf(product.length, (i, j) => dot(product[i]!, product[j]!));
  const combined = topEigenvectors(gram, components).map((vector) =>
    product[0]!.map((_, row) => vector.reduce((sum, x, c) => sum + x * product[c]![row]!, 0)),
  );
  // They are orthogonal already, except for rounding.
  return orthonormal(combined);
}

interface Reading
  extends Pick<PcaMethod, 'name' | 'title' | 'reference' | 'mostComponents'>,
    Pick<PcaPromise, 'remarks'>,
    Omit<Iteration, 'columns'> {}

function method({ most, threshold, remarks, ...named }: Reading): PcaMethod {
  const { mostComponents } = named;
  return {
    ...named,
    panel: 'approximate',
    dependsOnSites: true,
    constants: `rounds ${most}, columns ${mostComponents ?? 'd'}, threshold ${threshold}`,
    promise: {
      ...{ ...APPROXIMATE, ...GIVEN, trust: OWN_SITE },
      remarks: `${CENTRED} Assumed: noise of every site enough for all. ${remarks}`,
    },
    run: (source, sites, setting, onRounds) => {
      const columns = Math.min(mostComponents ?? Infinity, featuresOf(sites));
      const { product, rounds } = powerIteration(source, sites, setting, { columns, most, threshold });
      onRounds?.(rounds);
      return leadingLeftSingularVectors(product, setting.components);
    },
  };
}

export const noisyPower = method({
  name: 'noisy-power',
  title: 'noisy power',
  reference: 'Hardt and Price, "The noisy power method" (2014), distributed',
  most: 1,
  threshold: -1,
  remarks:
    'Chosen as did best on four data sets: as many columns as features, of which singular vectors are taken, and one round, so that it is no iteration any more.',
});

export const balcan = method({
  name: 'balcan',
  title: 'noisy power, threshold',
  reference:
    'Balcan, Du, Wang and Yu, "An improved gap-dependency analysis of the noisy power method" (2016), as a patent retells it',
  most: MOST_ROUNDS,
  threshold: THRESHOLD,
  mostComponents: COLUMNS,
  remarks: `${COLUMNS} columns, of which singular vectors are taken, and at most ${MOST_ROUNDS} rounds. Assumed: it stops once no estimated eigenvalue differs from the round before by more than ${THRESHOLD} of the largest. As that depends on the rows, the noise of each round is for all ${MOST_ROUNDS}, and a run that stops early spends no more.`,
});
