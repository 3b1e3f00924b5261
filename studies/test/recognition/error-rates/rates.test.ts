/** Intervals over people, figures of arms, goals and locks. */

import {
  type Comparison,
  overWindows,
  pooledEqualErrorRate,
} from '@eigenveil/testbed/recognition/error-rates';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arms, testsIn } from '../../../recognition/error-rates/arms.ts';
import { unseenSplit } from '../../../recognition/error-rates/later.ts';
import { sessionOf } from '../../../recognition/error-rates/locks.ts';
import { ARMS, rankAll, rawArms, settingOf } from '../../../recognition/scoring/arms.ts';
import { finalOf } from '../../../recognition/scoring/protocol.ts';
import { meanPerUser, ratesOf } from '../../../recognition/scoring/rates.ts';
import {
  drawsOf,
  intervalOf,
  pairedInterval,
  resampledRates,
} from '../../../recognition/scoring/resampling.ts';
import { GRID, madeUpPeople, SETTING } from '../made-up.ts';

const NAMES = ['a', 'b', 'c'];
const comparisons = fc
  .array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 5, maxLength: 11 }), {
    minLength: 9,
    maxLength: 9,
  })
  .map((all) =>
    all.map(
      (scores, i): Comparison => ({ target: NAMES[Math.floor(i / 3)]!, source: NAMES[i % 3]!, scores }),
    ),
  );

describe('resampling', () => {
  it('everybody once is the sample itself', () => {
    fc.assert(
      fc.property(comparisons, fc.constantFrom(1, 5), (run, windows) => {
        const [rate] = resampledRates([run], windows, NAMES, [Float64Array.of(1, 1, 1)]);
        expect(rate).toBeCloseTo(pooledEqualErrorRate(overWindows(run, windows)), 12);
      }),
    );
  });

  it('a user who is drawn twice counts twice as target and as source, and never as their own impostor', () => {
    fc.assert(
      fc.property(comparisons, (run) => {
        // a twice, b once, c not at all.
        const copies = run.flatMap((it) => {
          const count = (name: string) => ({ a: 2, b: 1, c: 0 })[name]!;
          const times = it.target === it.source ? count(it.target) : count(it.target) * count(it.source);
          return Array.from({ length: times }, () => it);
        });
        const [rate] = resampledRates([run], 1, NAMES, [Float64Array.of(2, 1, 0)]);
        expect(rate).toBeCloseTo(pooledEqualErrorRate(copies), 12);
      }),
    );
  });

  it('draws are as many as people, the same for a seed; an arm does not differ from itself', () => {
    const draws = drawsOf(20, 50, 'seed');
    expect(draws.every((counts) => counts.reduce((sum, x) => sum + x, 0) === 20)).toBe(true);
    expect(drawsOf(20, 50, 'seed')).toEqual(draws);
    expect(drawsOf(20, 50, 'other')).not.toEqual(draws);
    const values = draws.map(([first]) => first!);
    expect(pairedInterval(values, values)).toEqual({ low: 0, high: 0 });
    expect(intervalOf(Array.from({ length: 101 }, (_, i) => i))).toEqual({ low: 2.5, high: 97.5 });
  });
});

const run = (own: readonly number[], other: readonly number[]): Comparison[] => [
  { target: 'a', source: 'a', scores: own },
  { target: 'a', source: 'b', scores: other },
  { target: 'b', source: 'b', scores: own.map((score) => score + 10) },
  { target: 'b', source: 'a', scores: other.map((score) => score + 10) },
];

it('one threshold for all may fail where each user’s own does not', () => {
  // Ten of each, for means of ten.
  const ten = (...scores: readonly number[]) => Array.from({ length: 12 }, (_, i) => scores[i % 3]!);
  const [test, thresholds] = [run(ten(1, 2, 3), ten(4, 5, 6)), run(ten(1, 2, 3), ten(12, 13, 14))];
  expect(meanPerUser(test)).toBe(0);
  const rates = ratesOf({ thresholds: [thresholds], test: [test] });
  expect(rates.perUser).toBe(0);
  expect(rates.perSample).toBeCloseTo(0.5, 12);
  // At 12, which came from the rows before: the third of b’s rows at 13 fails, and all impostors of a pass.
  expect(rates.atThreshold.fnmr).toBeCloseTo(1 / 6, 12);
  expect(rates.atThreshold.fmr).toBe(0.5);
});

it('a session counts windows to step-up and to lock', () => {
  const engine = {
    start: () => ({ decision: 'step-up', evidence: 0, confident: 0 }) as const,
    confirmed: () => ({ decision: 'allow', evidence: 0, confident: 0 }) as const,
    observe: ({ evidence }: { evidence: number }, score: number) => {
      const sum = evidence + score;
      const decision = sum >= 5 ? 'lock' : sum >= 2 ? 'step-up' : 'allow';
      return { decision, evidence: sum, confident: 0 } as const;
    },
  };
  expect(sessionOf(engine, [1, 1, 1, 1, 1, 1])).toEqual({ stepUp: 2, lock: 5 });
  expect(sessionOf(engine, [1, 0, 0])).toEqual({ stepUp: Infinity, lock: Infinity });
});

describe('of made-up people', () => {
  const people = madeUpPeople({ people: 8, apart: 1 });

  it('users who join later are compared among themselves alone', () => {
    const final = finalOf(people);
    const rates = unseenSplit(SETTING, final, 5, 'split');
    expect(rates).toEqual(unseenSplit(SETTING, final, 5, 'split'));
    expect(rates.unseen.perSample).toBeLessThan(0.5);
    // The rows of those who join later have no part in the projection.
    expect(rates.seen).not.toEqual(rates.unseen);
  });

  it('differences from the better raw arm are paired: that arm does not differ from itself', async () => {
    const ranked = await rankAll(people, GRID);
    const by = { people, ranked, final: finalOf(people), setting: (arm: string) => settingOf(ranked, arm) };
    const tests = (await testsIn(by, 20)).filter(({ windows }) => windows === 1);
    for (const family of ['frames', 'insiders', 'outsiders'] as const) {
      const raw = tests.filter(({ arm }) => rawArms(family).includes(String(arm)));
      const best = raw.reduce((a, b) => (Number(b.eer) < Number(a.eer) ? b : a));
      expect(best).toMatchObject({ lessRaw: 0, lessRawLow: 0, lessRawHigh: 0 });
      for (const { arm, eer, lessRaw } of tests.filter((it) => it.family === family))
        expect([arm, Number(lessRaw)]).toEqual([arm, expect.closeTo(Number(eer) - Number(best.eer), 3)]);
    }
    expect(tests.map(({ arm }) => arm)).toEqual(ARMS.map(({ name }) => name));
    for (const { eer, eerLow, eerHigh } of tests)
      expect(Number(eerLow) <= Number(eerHigh) && Number(eer) >= 0).toBe(true);
  });
});

it('a goal is met at its figure, and against raw rows by an interval that does not go beyond 0', () => {
  const of = { dataset: 'wisdm_walk_user', arm: 'dca', family: 'frames', part: 'test' };
  const goals = arms.frames!.goals!([
    { ...of, part: 'choice', k: 4 },
    { ...of, windows: 1, eer: 9.5, lessRawHigh: 0 },
    { ...of, windows: 5, eer: 9.1, lessRawHigh: 0.1 },
    // Neither is of a goal.
    { ...of, windows: 10, eer: 1 },
    { ...of, arm: 'pca', windows: 1, eer: 1, lessRawHigh: -1 },
    { ...of, dataset: 'own', windows: 1, eer: 1, lessRawHigh: -1 },
  ]);
  expect(goals.map(({ k, windows, verdict, againstRaw }) => [k, windows, verdict, againstRaw])).toEqual([
    [4, 1, 'met', 'met'],
    [4, 5, 'missed', 'missed'],
  ]);
});
