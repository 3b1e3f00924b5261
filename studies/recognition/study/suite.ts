/** `npm run bench -- --only authentication`: how well people are recognised on reduced rows. */

import { predictableRandomness } from '@eigenveil/privacy/insides';
import { equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import type { Omission, Plan, Scale, Suite, Unit } from '../../instrument/unit.ts';
import { loadPeople, type People } from '../people.ts';
import { headlineArm } from './arms.ts';
import { encryptedFigures } from './encrypted.ts';
import { type Facts, percent } from './facts.ts';
import { learningFacts } from './learning.ts';
import { DP_DELTA, EPSILONS, noisyScores } from './noise.ts';
import { finalOf } from './protocol.ts';
import { authenticationHighlights, authenticationReport, authenticationTable } from './report.ts';
import {
  choiceFacts,
  componentFacts,
  frameFacts,
  gapFacts,
  lockFacts,
  type Ranked,
  rankAll,
  seenFacts,
  settingOf,
  settingText,
} from './seen.ts';
import { GRIDS, type Grid, QUICK_GRIDS } from './settings.ts';
import { shuffledFacts } from './shuffled.ts';
import { LEARNT_FROM, unseenSplit } from './unseen.ts';

const NAME = 'authentication';

interface Profile {
  readonly grids: Readonly<Record<string, Grid>>;
  readonly resamples: number;
  /** Of users who join later. */
  readonly splits: number;
  /** Of noise. */
  readonly draws: number;
  readonly epsilons: readonly number[];
  readonly encrypts: boolean;
}

const PROFILES: Readonly<Record<Scale, Profile>> = {
  full: { grids: GRIDS, resamples: 500, splits: 10, draws: 5, epsilons: EPSILONS, encrypts: true },
  quick: { grids: QUICK_GRIDS, resamples: 100, splits: 2, draws: 1, epsilons: [1], encrypts: false },
};

export const authentication: Suite = {
  name: NAME,
  description: 'error rates of continuous authentication on reduced rows, as ISO/IEC 19795 counts them',
  plan,
  highlights: authenticationHighlights,
  table: authenticationTable,
  report: authenticationReport,
};

async function plan(scale: Scale): Promise<Plan> {
  const profile = PROFILES[scale];
  const units: Unit[] = [];
  const omissions: Omission[] = [];
  for (const dataset of Object.keys(GRIDS)) {
    const grid = profile.grids[dataset];
    const people = grid && (await loadPeople(dataset));
    if (grid && people) units.push(...unitsOf(people, grid, profile));
    else
      omissions.push({
        what: `authentication, ${dataset}`,
        why: grid ? 'it is not in the folder EIGENVEIL_DATA' : 'left to the full run',
      });
  }
  return { units, omissions };
}

function unitsOf(people: People, grid: Grid, profile: Profile): Unit[] {
  const { dataset } = people;
  // Chosen once, however many units of a run need it; always the same.
  let ranked: Promise<Ranked> | undefined;
  const chosen = (note: (text: string) => void): Promise<Ranked> => {
    ranked ??= rankAll(people, grid, note);
    return ranked;
  };
  const unit = (
    part: string,
    title: string,
    expectedSeconds: number,
    parameters: Facts,
    measure: (ranked: Ranked, note: (text: string) => void) => Facts | Promise<Facts>,
  ): Unit => ({
    id: `${NAME}/${dataset}/${part}`,
    title: `authentication, ${dataset}: ${title}`,
    parameters: { dataset, people: people.people.length, grid: JSON.stringify(grid), ...parameters },
    expectedSeconds,
    measure: async (note) => ({ series: {}, facts: await measure(await chosen(note), note) }),
  });
  const { resamples, splits, draws, epsilons, encrypts } = profile;
  return [
    // Whatever is measured takes this first, so it is a unit of its own.
    unit('choice', 'choice by validation', 120, {}, choiceFacts),
    unit('seen', 'all arms', 60, { resamples }, (by, note) => seenFacts(people, by, resamples, note)),
    unit('components', 'by components', 15, {}, (by) => componentFacts(people, by, ['frames', 'insiders'])),
    unit('checks', 'gaps, frames, locks', 5, {}, (by) => ({
      ...gapFacts(people, by),
      ...frameFacts(people, by),
      ...lockFacts(people, by),
    })),
    unit('shuffled', 'without the order of time', 5, {}, (by) => shuffledFacts(people, by)),
    unit('learning', 'templates that learn', 5, {}, (by) => learningFacts(people, by)),
    unit('unseen', 'users who join later', 30, { splits, learntFrom: LEARNT_FROM[dataset]! }, (by) =>
      unseenFacts(people, by, splits),
    ),
    unit('noise', 'differential privacy', 60, { draws, epsilons: epsilons.join(' '), DP_DELTA }, (by) =>
      noiseFacts(people, by, { draws, epsilons }),
    ),
    ...(encrypts
      ? [
          unit('encrypted', 'the encrypted projection', 60, {}, (by, note) =>
            encryptedFacts(people, by, note),
          ),
        ]
      : []),
  ];
}

function unseenFacts(people: People, ranked: Ranked, splits: number): Facts {
  const facts: Facts = {};
  const final = finalOf(people);
  const learntFrom = LEARNT_FROM[people.dataset]!;
  for (const arm of ['manhattan', headlineArm('frames'), headlineArm('insiders')]) {
    for (let split = 1; split <= splits; split += 1) {
      const seed = `${people.dataset} joins later ${split}`;
      const rates = unseenSplit(settingOf(ranked, arm), final, learntFrom, seed);
      for (const who of ['unseen', 'seen'] as const)
        for (const what of ['perSample', 'overFive'] as const)
          facts[`${who}/${arm}/${what}/${split}`] = percent(rates[who][what]);
    }
  }
  return facts;
}

function noiseFacts(
  people: People,
  ranked: Ranked,
  { draws, epsilons }: Pick<Profile, 'draws' | 'epsilons'>,
): Facts {
  const facts: Facts = {};
  const final = finalOf(people);
  for (const arm of ['pca', 'dca']) {
    // A whitening would take eigenvalues that noise has made negative.
    const setting = { ...settingOf(ranked, arm), whitened: false };
    facts[`noise/${arm}/setting`] = settingText(setting);
    for (const epsilon of [...epsilons, Infinity]) {
      const count = epsilon === Infinity ? 1 : draws;
      let refused = 0;
      const rates = Array.from({ length: count }, (_, draw) => {
        const source = predictableRandomness(`${people.dataset} ${arm} ${epsilon} ${draw}`);
        const scores = noisyScores(setting, final, { dataset: people.dataset, epsilon, source });
        if (scores === undefined) refused += 1;
        // Without a projection nobody is told from anybody.
        return scores === undefined ? { perSample: 0.5, overFive: 0.5 } : equalErrorRates(scores);
      });
      const mean = (what: 'perSample' | 'overFive') =>
        percent(rates.reduce((sum, rate) => sum + rate[what], 0) / count);
      facts[`noise/${arm}/${epsilon}/perSample`] = mean('perSample');
      facts[`noise/${arm}/${epsilon}/overFive`] = mean('overFive');
      facts[`noise/${arm}/${epsilon}/refused`] = refused;
    }
  }
  return facts;
}

async function encryptedFacts(people: People, ranked: Ranked, note: (text: string) => void): Promise<Facts> {
  const setting = settingOf(ranked, headlineArm('frames'));
  const figures = await encryptedFigures(setting, finalOf(people), note);
  return {
    'encrypted/perSample': percent(figures.encrypted.perSample),
    'encrypted/overFive': percent(figures.encrypted.overFive),
    'clear/perSample': percent(figures.clear.perSample),
    'clear/overFive': percent(figures.clear.overFive),
    'encrypted/largestAngle': figures.largestAngle,
    'encrypted/largestDifference': figures.largestDifference,
    'encrypted/seconds': figures.seconds,
    'encrypted/waitSeconds': figures.waitSeconds,
  };
}
