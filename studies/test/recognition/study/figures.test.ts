/** Intervals over people, figures of arms, locks, and the report that they end in. */

import {
  type Comparison,
  overWindows,
  pooledEqualErrorRate,
} from '@eigenveil/testbed/recognition/error-rates';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { reportToMarkdown } from '../../../instrument/report/markdown.ts';
import { ARMS } from '../../../recognition/study/arms.ts';
import type { Facts } from '../../../recognition/study/facts.ts';
import { learningFacts } from '../../../recognition/study/learning.ts';
import { sessionOf } from '../../../recognition/study/locks.ts';
import { finalOf } from '../../../recognition/study/protocol.ts';
import { meanPerUser, ratesOf } from '../../../recognition/study/rates.ts';
import {
  authenticationHighlights,
  authenticationReport,
  authenticationTable,
} from '../../../recognition/study/report.ts';
import {
  drawsOf,
  intervalOf,
  pairedInterval,
  resampledRates,
} from '../../../recognition/study/resampling.ts';
import {
  choiceFacts,
  componentFacts,
  frameFacts,
  gapFacts,
  rankAll,
  seenFacts,
} from '../../../recognition/study/seen.ts';
import { shuffledFacts } from '../../../recognition/study/shuffled.ts';
import { unseenSplit } from '../../../recognition/study/unseen.ts';
import { GRID, madeUpPeople, SETTING } from './made-up.ts';

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
  let facts: Facts;
  beforeAll(async () => {
    const ranked = await rankAll(people, GRID);
    facts = {
      ...choiceFacts(ranked),
      ...(await seenFacts(people, ranked, 20)),
      ...componentFacts(people, ranked, ['frames', 'insiders']),
      ...gapFacts(people, ranked),
      ...frameFacts(people, ranked),
      ...shuffledFacts(people, ranked),
      ...learningFacts(people, ranked),
    };
  });

  it('every arm has its figures, and intervals around them', () => {
    for (const { name } of ARMS) {
      for (const what of ['perSample', 'overFive']) {
        const [value, low, high] = ['', '/low', '/high'].map(
          (end) => facts[`${name}/${what}${end}`] as number,
        );
        expect(value).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(high!);
      }
    }
    expect(facts['dca/perSample']).toBeLessThan(30);
    expect(facts['lda/perSample']).toBe(facts['dca/perSample']);
    expect(facts['frame/victim/perSample']).toBe(facts['dca/perSample']);
    expect(facts['k/dca/frames/2/perSample']).toBeDefined();
  });

  it('the report says every arm, and whether goals are met', () => {
    const measurement = {
      id: 'authentication/wisdm_walk_user/seen',
      parameters: { dataset: 'wisdm_walk_user' },
      startedAt: '2026-01-01T00:00:00Z',
      seconds: 1,
      series: {},
      facts: { ...facts, 'dca/perSample': 9.5, 'dca/overFive': 9.1 },
    };
    const markdown = reportToMarkdown({
      title: 'test',
      introduction: [],
      sections: authenticationReport([measurement]),
    });
    for (const { title } of ARMS) expect(markdown).toContain(title);
    expect(markdown).toMatch(/9\.5 \S+ \S+: met \(9\.5\)/);
    expect(markdown).toMatch(/9\.1 \S+ \S+: missed \(9\)/);
    const shuffled = ['perSample', 'overFive'].map((what) => {
      const rates = [1, 2, 3, 4, 5].map((order) => facts[`shuffled/dca/${what}/${order}`] as number);
      return (rates.reduce((a, b) => a + b) / 5).toFixed(1);
    });
    expect(markdown).toContain(`DCA has ${shuffled.join(' / ')} % instead of 9.5 / 9.1 %`);
    expect(markdown).toMatch(/\| never \|.*\| 0\.0 \| 0\.0 \| 0\.0 \|/);
    expect(authenticationHighlights([measurement])[0]).toContain('WISDM');
    expect(authenticationTable([measurement])).toContain('scaled Manhattan');
    expect(authenticationReport([])).toEqual([]);
  });

  it('a part that is missing leaves its tables and pictures out', () => {
    const measurement = {
      id: 'authentication/wisdm_walk_user/choice',
      parameters: { dataset: 'wisdm_walk_user' },
      startedAt: '2026-01-01T00:00:00Z',
      seconds: 1,
      series: {},
      facts: { 'dca/setting': 'a setting that was chosen' },
    };
    const sections = authenticationReport([measurement]);
    expect(reportToMarkdown({ title: 'test', introduction: [], sections })).toContain(
      'a setting that was chosen',
    );
    expect(sections.flatMap(({ blocks }) => blocks).some(({ kind }) => kind === 'chart')).toBe(false);
    expect(authenticationHighlights([measurement])).toEqual([]);
  });

  it('users who join later are compared among themselves alone', () => {
    const final = finalOf(people);
    const rates = unseenSplit(SETTING, final, 5, 'split');
    expect(rates).toEqual(unseenSplit(SETTING, final, 5, 'split'));
    expect(rates.unseen.perSample).toBeLessThan(0.5);
    // The rows of those who join later have no part in the projection.
    expect(rates.seen).not.toEqual(rates.unseen);
  });
});
