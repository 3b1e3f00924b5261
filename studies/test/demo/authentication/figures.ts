/** Made-up figures of a demo of authentication: three users, with a session of their own each and one of the next user with their device. */
import { TrustEngine, type TrustSettings } from '@eigenveil/authentication';
import { UserId } from '@eigenveil/authenticator/relying';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { replay } from '../../../demo/authentication/evaluation.ts';
import { SETS } from '../../../demo/authentication/sets.ts';
import type { Figures } from '../../../demo/authentication/summary.ts';

/** 10 less for a strange window, 1 more for one like the template's. */
export const TRUST: TrustSettings = {
  threshold: 2,
  width: 0.1,
  reward: 1,
  penalty: 10,
  stepUpBelow: 75,
  lockBelow: 25,
  confidentFrom: 85,
};

const NAMES = ['7', '<b>x</b>', '9'];
const WINDOWS = 12;

/** Users are at about 1; others at about 3, with a few windows that are alike. */
function scoresOf(target: number, source: number): number[] {
  return Array.from({ length: WINDOWS }, (_, i) => {
    const wave = 0.4 * Math.sin(7 * i + 3 * target + source);
    return (target === source ? 1 : 3) + (i % 6 === 5 ? 3 * wave : wave);
  });
}

export function madeUpFigures(): Figures {
  const comparisons = NAMES.flatMap((target, t) =>
    NAMES.map((source, s): Comparison => ({ target, source, scores: scoresOf(t, s) })),
  );
  const raw = comparisons.map((it) => ({ ...it, scores: it.scores.map((score, i) => score + (i % 5)) }));
  const engine = new TrustEngine(TRUST);
  const pairs = NAMES.flatMap((_, target) =>
    [target, (target + 1) % NAMES.length].map((source) => ({ target, source })),
  );
  const replays = pairs.map(({ target, source }) =>
    replay(engine, scoresOf(target, source), target === source),
  );
  const subjects = NAMES.map((name, i) => ({ name, userId: UserId.parse(`user-${i}`) }));
  return {
    summary: {
      dataset: 'made-up',
      users: 3,
      features: 5,
      components: 2,
      twoParty: 'rotated',
      totalSeconds: 12.34,
      eer: equalErrorRates(comparisons),
      rawEer: equalErrorRates(raw),
    },
    setting: SETS.wisdm_walk_user,
    task: { keyBits: 2048, outputs: ['sampleCount', 'spectrum', 'classCounts'] },
    times: {
      stages: { aggregate: 10, unblind: 20, decompose: 1500 },
      contributionMilliseconds: 100,
      verificationMilliseconds: 50,
      registrationMilliseconds: 60,
      observingSeconds: 2,
      contribution: { plaintexts: 28, bytes: 14_336 },
    },
    comparisons: { projected: comparisons, raw },
    decided: {
      trust: TRUST,
      subjects,
      streams: pairs.map((pair, i) => ({ ...pair, decisions: replays[i]!.map(({ decision }) => decision) })),
      replays,
      events: subjects.map(({ userId }, i) => ({
        sequence: i + 1,
        userId,
        decision: 'step-up',
        reason: 'session-opened',
        time: '2031-01-01T00:00:00Z',
      })),
    },
  };
}
