/**
 * The distributed noisy power method: sites multiply, each adds Gaussian noise, the server adds up and orthonormalises by QR.
 *
 * Hardt and Price, "The noisy power method" (2014); Balcan, Du, Wang and Yu, "An improved gap-dependency analysis of the noisy power
 * method" (2016), distributed. For orthonormal columns X one row changes A X = Σ x xᵀ X by x (xᵀX), of Frobenius norm ‖x‖ ‖Xᵀx‖ <= 1. L rounds are
 * L Gaussian mechanisms one after the other, each on what came before: as private as one of sensitivity √L (Dong, Roth and Su, "Gaussian
 * differential privacy", 2022, corollary 2).
 *
 * Assumed: noise of every site enough for all, since the server sees each product; as many columns as components; a random start; and a
 * number of rounds that is fixed beforehand, because when to stop would be a question to the rows.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { RealDraws } from '../random/real.ts';
import { gaussianDeviation } from './central.ts';
import { centredExactly, featuresOf, orthonormal, secondMoment, times } from './matrix.ts';
import { keepsNominal, type PcaMethod, type PcaSetting, type Site } from './method.ts';

const ROUNDS = 3;

/** Of one round's product: L2, when a row is added or removed. */
export const POWER_SENSITIVITY = 1;

export function noisyPowerComponents(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  rounds: number,
): number[][] {
  const dimension = featuresOf(sites);
  const draws = new RealDraws(source);
  const moments = centredExactly(sites, setting).map((site) => secondMoment(site, dimension));
  const deviation = gaussianDeviation(POWER_SENSITIVITY * Math.sqrt(rounds), setting);
  const noise = () => (deviation === 0 ? 0 : deviation * draws.normal());
  let columns = orthonormal(
    Array.from({ length: setting.components }, () => Array.from({ length: dimension }, () => draws.normal())),
  );
  for (let round = 0; round < rounds; round += 1) {
    const sum = columns.map(() => new Array<number>(dimension).fill(0));
    for (const A of moments) {
      columns.forEach((column, c) => {
        times(A, column).forEach((entry, i) => {
          sum[c]![i]! += entry + noise();
        });
      });
    }
    columns = orthonormal(sum);
  }
  return columns;
}

export const noisyPower: PcaMethod = {
  name: 'noisy-power',
  title: 'noisy power (QR)',
  reference:
    'Balcan, Du, Wang and Yu, "An improved gap-dependency analysis of the noisy power method" (2016)',
  panel: 'approximate',
  dependsOnSites: true,
  promise: {
    neighbours: 'add-remove',
    epsilon: 'approximate',
    trust: 'each row’s own site',
    means: 'not protected',
    counts: 'public',
    remarks: `Rows are centred by their exact mean, which nothing protects. Assumed: ${ROUNDS} rounds, noise of every site enough for all.`,
    keeps: keepsNominal,
  },
  run: (source, sites, setting) => noisyPowerComponents(source, sites, setting, ROUNDS),
};
