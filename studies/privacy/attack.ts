/** The attack on a seed that all sites share, carried out, and the same attempt against the stage of Eigenveil. */
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { least, mean, most } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dataSetsOf, RANGES, rowsOf } from './data.ts';
import {
  eigenveil,
  type Row,
  recoverCovariances,
  runElfedpca,
  stageRelease,
  subtractOwnNoise,
} from './methods/index.ts';
import { dot, type Square } from './methods/matrix.ts';
import { DP_DELTA, dealToSites, settingOf } from './setting.ts';

const SITES = 10;
const EPSILON = 1;

/** Relative root mean square error in percent. */
function error(got: readonly number[], true_: readonly number[]): number {
  const difference = got.map((value, i) => value - true_[i]!);
  return 100 * Math.sqrt(dot(difference, difference) / dot(true_, true_));
}

const differences = ([first, ...others]: readonly Square[]) =>
  others.flatMap((matrix) => matrix.flatMap((row, i) => row.map((x, j) => x - first![i]![j]!)));

/** Root mean squares over the entries, over that of what is attacked, in percent: of ELFedPCA's messages and of what Eigenveil releases. */
export function attackOnce(rows: readonly Row[], name: string, seed: number) {
  const setting = settingOf(eigenveil, 1, EPSILON);
  const sites = dealToSites(rows, SITES, generator(seedOf(`attack ${name} ${seed}`)));
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
    message: error(run.messages.flat(2), run.covariances.flat(2)),
    recovered: error(recoverCovariances(run).flat(2), run.covariances.flat(2)),
    difference: error(differences(run.messages), differences(run.covariances)),
    released: error(moments(stage.noisy), exact),
    attempted: error(moments(subtractOwnNoise(stage, stage.noises[0]!)), exact),
  };
}

export const attack = defineStudy({
  id: 'privacy/attack',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, {
      what: 'the attack',
      quickSets: Object.keys(RANGES),
    });
    const seeds = asked.scale === 'quick' ? 5 : 20;
    const cases = sets.map(({ name: dataset }) => ({
      ...{ dataset, sites: SITES, epsilon: EPSILON, dpDelta: DP_DELTA, seeds },
    }));
    return { cases, omissions };
  },
  titleOf: ({ dataset }) => `the attack on a shared seed, ${dataset}`,
  expectedSeconds: () => 1,
  async measure({ dataset, seeds }, { own }): Promise<Tidy[]> {
    const { rows } = await rowsOf(dataset, own);
    return Array.from({ length: seeds }, (_, seed) => ({ seed, ...attackOnce(rows, dataset, seed) }));
  },
  columns: { dataset: { title: 'data set' } },
  tables: {
    errors: {
      caption:
        'Error of what an attacker has, root mean square over entries relative to the truth in percent; 10 sites, ε = 1, mean over seeds',
      rows: ['dataset'],
      cells: {
        'ELFedPCA: a site’s covariance as sent': mean('message'),
        'ELFedPCA: a site’s covariance after the seed’s noise is subtracted': mean('recovered'),
        'ELFedPCA: the difference of two sites’ messages, without the seed': mean('difference'),
        'Eigenveil: the second moments as released': mean('released'),
        'Eigenveil: after a server subtracted its own noise': mean('attempted'),
      },
    },
  },
  facts: {
    recovered: { figure: most('recovered') },
    difference: { figure: most('difference') },
    attempted: { figure: least('attempted') },
  },
  holds: {
    seedIsAll: (fact) => fact('recovered') < 1e-6 && fact('difference') < 1e-6,
    noiseIsLeft: (fact) => fact('attempted') > 1e-3,
  },
  words: new URL('attack.md', import.meta.url),
});
