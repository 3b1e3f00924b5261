/** A data user that deviates in a histogram task: it scales the aggregate under the noise of the CSP, or asks with a number of owners that is not that of the records. */

import { LINEAR_RING_BITS, releaseNoiseOf } from '@eigenveil/methods';
import { noiseMoments } from '@eigenveil/release';
import { addStatistics, flatten, unflatten } from '@eigenveil/statistics';
import { fromRing } from '@eigenveil/testbed/residues';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { statisticsOf } from '../../released.ts';
import { exactly } from '../in-process/exact.ts';
import { histogramProposal, rowAt, STRATEGIES, tooFewRanges } from '../in-process/histogram-task.ts';
import { agreed } from '../in-process/small-task.ts';
import { runTwoParty, share, shifted } from '../in-process/two-party.ts';
import { EncryptedSums } from './encrypted-sums.ts';

const PRIVACY = { epsilon: 1, delta: 1e-6, neighbours: 'add-remove' } as const;
const RING = 1n << BigInt(LINEAR_RING_BITS);
const OWNERS = 2n;
const ROWS = 20;
const SCALE = 16;

const scaledHistogram: Unworded = {
  id: 'deviation-scaled-histogram',
  terms: { scale: SCALE, epsilon: PRIVACY.epsilon },
  kind: 'deviation',
  attacker: 'data user',
  secret: 'membership',
  expectation: 'admitted',
  claims: ['S-666'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooFewRanges,
  async run({ scene, effort, seed }) {
    await using sums = await EncryptedSums.start();
    const task = agreed(histogramProposal(scene, STRATEGIES[2], PRIVACY));
    const draws = new Draws(seed);
    const rows = draws.some(scene.owners.flat(), ROWS).map((row) => ({
      ...row,
      values: task.features.map(
        ({ name }) => row.values[scene.proposal.features.findIndex((it) => it.name === name)]!,
      ),
    }));
    const known = flatten(task, [rows, rows].map((own) => statisticsOf(task, own)).reduce(addStatistics));
    const row = flatten(task, statisticsOf(task, [rowAt(task, 'min')])).with(-1, 0n);
    const { valuesOf } = TWO_PARTY_PROTOCOLS.linear;
    const signal = valuesOf(task, row).slice(0, -1).map(Number);
    const { variance } = noiseMoments(releaseNoiseOf(task), 1);
    const right = async (scale: number) => {
      const isThere = draws.uniform() < 0.5;
      const values = known.map((x, i) => x + (isThere ? row[i]! : 0n)).with(-1, OWNERS);
      const contribution = await sums.contribution(task, unflatten(task, values));
      // The number of owners is to stay what the records say.
      const more = sums.packed(
        task,
        values.map((_, i) => (i === values.length - 1 ? OWNERS - OWNERS * BigInt(scale) : 0n)),
      );
      const seen = await sums.unblinded(task, await sums.weighted([contribution], [BigInt(scale)], more));
      const expected = valuesOf(
        task,
        known.map((x) => BigInt(scale) * x),
      );
      const left = fromRing(
        seen.values.map((x, i) => x - seen.ownNoise[i]! - expected.at(i)!),
        RING,
      );
      const score = signal.reduce((sum, x, i) => sum + scale * x * (Number(left[i]!) - (scale * x) / 2), 0);
      return Number(score > 0 === isThere);
    };
    const trials = { attack: [] as number[], control: [] as number[] };
    for (let run = 0; run < (effort === 'quick' ? 60 : 200); run += 1) {
      trials.attack.push(await right(SCALE));
      trials.control.push(await right(1));
    }
    const apart = Math.hypot(...signal) / Math.sqrt(variance);
    return {
      kind: 'trials',
      ...trials,
      baseline: 0.5,
      facts: {
        'deviations of the noise that the row changes the sums by': apart,
        [`the same, scaled by ${SCALE}`]: SCALE * apart,
      },
    };
  },
};

const wrongOwners: Unworded = {
  id: 'deviation-histogram-owners',
  kind: 'deviation',
  attacker: 'data user',
  secret: 'pooled statistics',
  expectation: 'holds',
  claims: ['S-665'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooFewRanges,
  async run({ scene, effort, seed }) {
    const task = agreed(histogramProposal(scene, STRATEGIES[2], PRIVACY));
    const draws = new Draws(seed);
    const statistics = { ...statisticsOf(task, [rowAt(task, 'min'), rowAt(task, 'max')]), owners: OWNERS };
    const answered: boolean[] = [];
    for (let run = 0; run < (effort === 'quick' ? 20 : 300); run += 1) {
      const shares = share(task, statistics);
      const honest = await runTwoParty(task, statistics, shares);
      if (honest.result === undefined) throw new Error(`expected an answer, got ${honest.code}`);
      // The size is any: as few as one more, or as good as random.
      const size = 2 ** draws.below(LINEAR_RING_BITS - 1);
      const added = BigInt(draws.uniform() < 0.5 ? size : -size);
      const by = shares.dataUser.map((_, i) => (i === shares.dataUser.length - 1 ? added : 0n));
      const dataUser = shifted(task, shares.dataUser, by);
      const { result, code, fromCsp } = await runTwoParty(task, statistics, { ...shares, dataUser });
      answered.push(result !== undefined || fromCsp.length > 0 || code !== 'ERR_OWNER_COUNT');
    }
    return exactly(answered, 'an answer');
  },
};

export const HISTOGRAMS: readonly Unworded[] = [scaledHistogram, wrongOwners];
