/** The attack on a seed that all sites share, carried out, and the same attempt against the stage of Eigenveil. */

import { predictableRandomness } from '@eigenveil/privacy/insides';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { loadLaboratoryData, RANGES } from './data.ts';
import {
  eigenveil,
  type Row,
  recoverCovariances,
  runElfedpca,
  stageRelease,
  subtractOwnNoise,
} from './methods/index.ts';
import { dealToSites } from './sites.ts';
import { DP_DELTA, settingOf } from './utility.ts';

const ATTACK = 'attack';
export const ATTACK_SITES = 10;
export const ATTACK_EPSILON = 1;
/** Root mean squares over the entries, over that of what is attacked; in percent. */
export const ATTACK_SERIES = {
  message: 'ELFedPCA: a site’s covariance as sent',
  recovered: 'ELFedPCA: a site’s covariance after the seed’s noise is subtracted',
  difference: 'ELFedPCA: the difference of two sites’ messages, without the seed',
  released: 'Eigenveil: the second moments as released',
  attempted: 'Eigenveil: after a server subtracted its own noise',
} as const;

type Square = readonly (readonly number[])[];

/** Relative root mean square error in percent. */
function error(got: readonly number[], true_: readonly number[]): number {
  const square = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);
  return 100 * Math.sqrt(square(got.map((value, i) => value - true_[i]!)) / square(true_));
}

const flat = (matrices: readonly Square[]) => matrices.flat(2);
const differences = (matrices: readonly Square[]) =>
  matrices
    .slice(1)
    .flatMap((matrix) => matrix.flatMap((row, i) => row.map((x, j) => x - matrices[0]![i]![j]!)));

export function attackOnce(
  rows: readonly Row[],
  name: string,
  seed: number,
): Readonly<Record<keyof typeof ATTACK_SERIES, number>> {
  const setting = settingOf(eigenveil, 1, ATTACK_EPSILON);
  const sites = dealToSites(rows, ATTACK_SITES, generator(seedOf(`attack ${name} ${seed}`)));
  const run = runElfedpca(
    predictableRandomness(`attack elfedpca ${name} ${seed}`),
    sites,
    setting,
    'corrected',
  );
  const stage = stageRelease(predictableRandomness(`attack stage ${name} ${seed}`), sites, setting, 2);
  const d = rows[0]!.length;
  const moments = (values: readonly bigint[]) => values.slice(0, (d * (d + 1)) / 2).map(Number);
  const exact = moments(stage.exact);
  return {
    message: error(flat(run.messages), flat(run.covariances)),
    recovered: error(flat(recoverCovariances(run)), flat(run.covariances)),
    difference: error(differences(run.messages), differences(run.covariances)),
    released: error(moments(stage.noisy), exact),
    attempted: error(moments(subtractOwnNoise(stage, stage.noises[0]!)), exact),
  };
}

function unitOf(dataset: string, seeds: number): Unit {
  return {
    id: `${ATTACK}/${dataset}`,
    title: `the attack on a shared seed, ${dataset}`,
    parameters: { dataset, sites: ATTACK_SITES, epsilon: ATTACK_EPSILON, dpDelta: DP_DELTA, seeds },
    expectedSeconds: 1,
    measure: async (): Promise<UnitResult> => {
      const data = await loadLaboratoryData(dataset);
      if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
      const runs = Array.from({ length: seeds }, (_, seed) => attackOnce(data.rows, dataset, seed));
      const series: Record<string, Series> = {};
      for (const key of Object.keys(ATTACK_SERIES) as (keyof typeof ATTACK_SERIES)[]) {
        series[key] = { unit: 'points', samples: runs.map((run) => run[key]) };
      }
      return { series, facts: {} };
    },
  };
}

export function attackSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: ATTACK,
    description: 'a site that knows the shared seed subtracts the noise',
    async plan(scale) {
      const found = await Promise.all(
        Object.keys(RANGES).map(async (dataset) => ({ dataset, data: await loadLaboratoryData(dataset) })),
      );
      const units = found
        .filter(({ data }) => data !== undefined)
        .map(({ dataset }) => unitOf(dataset, scale === 'quick' ? 5 : 20));
      const omissions = found
        .filter(({ data }) => data === undefined)
        .map(({ dataset }) => ({
          what: `the attack, ${dataset}`,
          why: `${dataset} is not in the folder EIGENVEIL_DATA`,
        }));
      return { units, omissions };
    },
    ...reporting,
  };
}
