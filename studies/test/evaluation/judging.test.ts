/** Judging: exact where there is an exact answer, rarely wrong where there is none, and one family over a run. */
import jstat from '@eigenveil/testbed/goodness/jstat';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { describe, expect, it } from 'vitest';
import { Draws } from '../../evaluation/draws.ts';
import type { Outcome, Trials } from '../../evaluation/experiment.ts';
import { excessOf, meanInterval } from '../../evaluation/judging/excess.ts';
import {
  confirmedBy,
  judgedCases,
  LEVELS,
  MARGIN,
  needsConfirmation,
  verdictOfAll,
} from '../../evaluation/judging/verdicts.ts';
import { counted, probabilityBelow } from '../../evaluation/judging/weighted-mean.ts';

const units = (successes: number, n: number) => [
  ...new Array<number>(successes).fill(1),
  ...new Array<number>(n - successes).fill(0),
];
const trials = (attack: readonly number[], control: readonly number[], paired?: true): Trials => ({
  kind: 'trials',
  attack,
  control,
  ...(paired && { paired }),
  baseline: 0,
});

describe('the tail of a weighted mean', () => {
  it.each([
    [20, 20, 0.5],
    [15, 20, 0.3],
    [3, 20, 0.01],
    [150, 300, 0.62],
    [2000, 4000, 0.45],
  ])('of %i ones among %i is that of a beta distribution', (ones, n, t) => {
    const tail = probabilityBelow(counted([...units(ones, n), 0]), t);
    const exact = jstat.beta.cdf(t, ones, n - ones + 1);
    expect(Math.abs(tail / exact - 1)).toBeLessThan(1e-5);
  });

  it('of few values is the volume that it is', () => {
    // The mean of 0, 1/2 and 1 by Dirichlet weights has a density that rises in a line to the middle.
    expect(probabilityBelow(counted([0, 0.5, 1]), 0.25)).toBeCloseTo(1 / 8, 7);
    // w₁ 0.3 + w₂ 0.9 + w₃ <= 0.3: 0.3³ over the product of the distances of 0 from the other values.
    expect(probabilityBelow(counted([0, 0.3, 0.9, 1]), 0.3)).toBeCloseTo(0.3 ** 3 / (0.3 * 0.9), 7);
  });
});

describe('excess', () => {
  it('is exact for successes against none', () => {
    expect(meanInterval(units(3, 20), 0.05)).toEqual([
      expect.closeTo(jstat.beta.inv(0.025, 3, 18), 6),
      expect.closeTo(jstat.beta.inv(0.975, 4, 17), 6),
    ]);
    const [low, high] = meanInterval(units(20, 20), 0.05);
    expect([low, high]).toEqual([expect.closeTo(0.025 ** (1 / 20), 6), 1]);
  });

  it('is Fisher’s exact test where no excess is the question', () => {
    // Tables of 15 + i of 20 against 5 − i of 20, over all of 20 successes among 40.
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    const fisher =
      [0, 1, 2, 3, 4, 5].reduce((sum, i) => sum + choose(20, 15 + i) * choose(20, 5 - i), 0) / choose(40, 20);
    const { pAbove } = excessOf(trials(units(15, 20), units(5, 20)));
    expect(Math.abs(pAbove(0) / fisher - 1)).toBeLessThan(0.02);
  });

  it('grows with successes, and its interval has what is not refuted', () => {
    const excess = excessOf(trials(units(30, 40), units(20, 80)));
    expect(excess.value).toBeCloseTo((0.75 - 0.25) / 0.75);
    const [low, high] = excess.interval(0.05);
    expect(excess.pAbove(low)).toBeCloseTo(0.025, 4);
    expect(excess.pBelow(high)).toBeCloseTo(0.025, 4);
    expect(low).toBeLessThan(excess.value);
    expect(high).toBeGreaterThan(excess.value);
  });

  it('knows that pairs vary less', () => {
    const control = Array.from({ length: 200 }, (_, i) => i / 250);
    const attack = control.map((c) => c + 0.1);
    const paired = excessOf(trials(attack, control, true)).pAbove(MARGIN);
    expect(paired).toBeLessThan(0.01 * excessOf(trials(attack, control)).pAbove(MARGIN));
  });

  it('is certain of nothing by few units', () => {
    const { pAbove, interval } = excessOf(trials(units(4, 4), units(0, 4)));
    expect(pAbove(MARGIN)).toBeGreaterThan(0.001);
    expect(interval(0.001)[0]).toBeLessThan(MARGIN);
    expect(excessOf(trials(units(4, 4), units(0, 4), true)).pAbove(MARGIN)).toBeGreaterThan(0.01);
  });

  it('is the exact binomial test against a public chance', () => {
    const chance = { ...trials(units(17, 20), new Array<number>(20).fill(0.5)), chance: true } as const;
    // 17 or more of 20 at MARGIN + (1 − MARGIN)/2.
    expect(excessOf(chance).pAbove(MARGIN)).toBeCloseTo(jstat.beta.cdf(0.525, 17, 4), 8);
    expect(excessOf(chance).pBelow(MARGIN)).toBeCloseTo(1 - jstat.beta.cdf(0.525, 18, 3), 8);
    expect(() => excessOf({ ...chance, control: [0.5, 0.6] })).toThrow('one public chance');
  });

  it.each<[string, Trials]>([
    ['none', trials([], [0])],
    ['no control', trials([1], [])],
    ['beyond one', trials([1.1], [0])],
    ['no number', trials([Number.NaN], [0])],
    ['odd pairs', trials([1, 0], [1], true)],
  ])('refuses trials that are none: %s', (_, bad) => {
    expect(() => excessOf(bad)).toThrow(RangeError);
  });
});

/** Units of mean `mean`: of 0 and 1; of skewed fractions; of mostly nothing; of two values far apart. */
const KINDS: Readonly<Record<string, (mean: number, draws: Draws) => number>> = {
  successes: (mean, draws) => Number(draws.uniform() < mean),
  skewed: (mean, draws) => draws.uniform() ** (1 / mean - 1),
  sparse: (mean, draws) => (draws.uniform() < mean / 0.6 ? 0.2 + 0.8 * draws.uniform() : 0),
  lumpy: (mean, draws) => (draws.uniform() < 0.9 ? 0.7 * mean : 3.7 * mean),
};

/** How often each direction is wrongly shown at 5 % where the excess is the margin itself, the hardest place for both. */
function wrongly(runs: number, draw: (draws: Draws) => Trials): { broken: number; holds: number } {
  const draws = new Draws('calibration');
  const wrong = { broken: 0, holds: 0 };
  for (let run = 0; run < runs; run += 1) {
    const { pAbove, pBelow } = excessOf(draw(draws));
    wrong.broken += Number(pAbove(MARGIN) <= 0.05);
    wrong.holds += Number(pBelow(MARGIN) <= 0.05);
  }
  return wrong;
}

/** More than so many of the runs would be wrong with a probability below 10⁻⁴ at a rate of 5 %. */
function mostWrong(runs: number): number {
  let most = 0;
  while (1 - jstat.beta.cdf(0.95, runs - most, most + 1) > 1e-4) most += 1;
  return most;
}

const DESIGNS = Object.keys(KINDS).flatMap((kind) =>
  [
    [5, 5],
    [12, 40],
    [40, 12],
    [60, 60],
  ].flatMap(([n, m]) => [0.04, 0.15].map((control) => ({ kind, n: n!, m: m!, control }))),
);

function expectCalibrated(runs: number, designs: typeof DESIGNS) {
  const most = mostWrong(runs);
  for (const { kind, n, m, control } of designs) {
    const mean = MARGIN + (1 - MARGIN) * control;
    const of = (count: number, about: number, draws: Draws) =>
      Array.from({ length: count }, () => KINDS[kind]!(about, draws));
    const separate = wrongly(runs, (draws) => trials(of(n, mean, draws), of(m, control, draws)));
    expect.soft(separate.broken, `broken, ${kind}, ${n} and ${m} at ${control}`).toBeLessThanOrEqual(most);
    expect.soft(separate.holds, `holds, ${kind}, ${n} and ${m} at ${control}`).toBeLessThanOrEqual(most);
    if (n !== m) continue;
    // The attack succeeds where its control does, and now and then besides.
    const paired = wrongly(runs, (draws) => {
      const c = of(n, control, draws);
      return trials(
        c.map((one) => (draws.uniform() < MARGIN ? 1 : one)),
        c,
        true,
      );
    });
    expect.soft(paired.broken, `broken, ${kind}, ${n} pairs at ${control}`).toBeLessThanOrEqual(most);
    expect.soft(paired.holds, `holds, ${kind}, ${n} pairs at ${control}`).toBeLessThanOrEqual(most);
  }
}

/** The seed is fixed, so right judging fails never or always. */
for (const { title, tags, whole, of } of SAMPLES)
  describe(`calibration, ${title}`, { tags }, () => {
    it('is seldom wrong of either direction, with few units, skewed, sparse and paired ones', () => {
      const [runs, designs] = [
        of(100, 20),
        whole
          ? DESIGNS
          : DESIGNS.filter(
              ({ kind, n, control }) =>
                n === 5 && control === 0.04 && (kind === 'sparse' || kind === 'lumpy'),
            ),
      ];
      expectCalibrated(runs, designs);
    });

    it.runIf(whole)(
      'says broken of no family without a leak, nor holds of one whose excess is the margin',
      () => {
        const draws = new Draws('families');
        const wrong = { broken: 0, holds: 0 };
        const families = 20;
        for (let family = 0; family < families; family += 1) {
          const cases = Array.from({ length: 10 }, (_, i) => {
            const n = [6, 12, 25, 50][i % 4]!;
            const c = 0.3 * draws.uniform();
            const a = MARGIN + (1 - MARGIN) * c;
            const of = (mean: number) =>
              Array.from({ length: n }, () => KINDS[i % 2 ? 'successes' : 'sparse']!(mean, draws));
            return caseOf(trials(of(a), of(c)), `e${i}`);
          });
          const verdicts = judgedCases(cases, 0.05).map(({ verdict }) => verdict);
          wrong.broken += Number(verdicts.includes('broken'));
          wrong.holds += Number(verdicts.includes('holds'));
        }
        expect(wrong.broken).toBeLessThanOrEqual(mostWrong(families));
        expect(wrong.holds).toBeLessThanOrEqual(mostWrong(families));
      },
    );
  });

const caseOf = (outcome: Outcome, id = 'some', expectation: 'holds' | 'control' = 'holds') => ({
  experiment: { id, expectation },
  scene: 'iris',
  outcome,
  seconds: 1,
});
const test = (p: number, detectable?: { leak: string; size: number }): Outcome => ({
  kind: 'test',
  p,
  n: 40,
  distance: { value: 0.1, low: 0, high: 0.2 },
  detectable,
});

describe('verdicts of a run', () => {
  const leak = trials(units(60, 60), units(3, 60));
  const none = trials(units(20, 4000), units(20, 4000));
  const few = trials(units(2, 12), units(1, 12));

  it('correct over all cases, each direction by itself', () => {
    const judged = judgedCases([caseOf(leak), caseOf(none), caseOf(few), caseOf(test(0.03))], LEVELS.full);
    expect(judged.map(({ verdict }) => verdict)).toEqual(['broken', 'holds', 'undecided', 'undecided']);
    // Alone it would be found; in a family of four it is not.
    expect(judgedCases([caseOf(test(0.03))], LEVELS.full)[0]!.verdict).toBe('broken');
    expect(judged[3]).toMatchObject({ p: 0.03, pBroken: expect.closeTo(0.09, 10) });
  });

  it('let a test hold only if it says what it would have found', () => {
    const [blind, seeing] = judgedCases(
      [caseOf(test(0.5)), caseOf(test(0.5, { leak: 'a bit', size: 0.3 }))],
      0.05,
    );
    expect([blind!.verdict, seeing!.verdict]).toEqual(['undecided', 'holds']);
  });

  it('reach a thousandth over a hundred cases in the quick run', { tags: ['long'] }, () => {
    const cases = [caseOf(leak), ...Array.from({ length: 99 }, (_, i) => caseOf(few, `e${i}`))];
    expect(judgedCases(cases, LEVELS.quick)[0]!.verdict).toBe('broken');
  });

  it('confirm what refutes a claim on a fresh seed, and nothing else', () => {
    const [broken] = judgedCases([caseOf(leak)], LEVELS.quick);
    expect(needsConfirmation({ experiment: { expectation: 'holds' }, verdict: 'broken' })).toBe(true);
    expect(needsConfirmation({ experiment: { expectation: 'control' }, verdict: 'broken' })).toBe(false);
    expect(needsConfirmation({ experiment: { expectation: 'holds' }, verdict: 'holds' })).toBe(false);
    expect(confirmedBy(broken!, { seed: 'fresh', outcome: leak }, LEVELS.quick)).toMatchObject({
      verdict: 'broken',
      confirmation: { seed: 'fresh', success: 1, n: 60, verdict: 'broken' },
    });
    expect(confirmedBy(broken!, { seed: 'fresh', outcome: few }, LEVELS.quick)).toMatchObject({
      verdict: 'undecided',
      confirmation: { verdict: 'undecided' },
    });
  });

  it('name the case whose outcome is none', () => {
    expect(() => judgedCases([caseOf(trials([], []), 'wrong-one')], 0.05)).toThrow('wrong-one over iris');
    expect(() => judgedCases([caseOf(test(2), 'wrong-one')], 0.05)).toThrow('wrong-one over iris');
  });

  it('join to one of the experiment', () => {
    expect(verdictOfAll([])).toBeNull();
    expect(verdictOfAll(['holds', 'broken', 'undecided'])).toBe('broken');
    expect(verdictOfAll(['holds', 'undecided'])).toBe('undecided');
    expect(verdictOfAll(['holds', 'holds'])).toBe('holds');
  });
});
