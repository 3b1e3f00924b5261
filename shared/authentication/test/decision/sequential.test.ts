/** Wald's tests, one after the other: their bounds, their decisions, and that their error rates stay below the stated ones. */
import { lowerRate } from '@eigenveil/testbed/goodness/audit';
import jstat from '@eigenveil/testbed/goodness/jstat';
import { describe, expect, it } from 'vitest';
import { type EngineState, SequentialEngine, type SequentialSettings } from '../../src/index.ts';
import { SeededRandom } from '../support/random.ts';

const settings: SequentialSettings = {
  edges: [1, 2, 3],
  logRatios: [-2, -1, 1, 3],
  falseStepUp: Math.exp(-4),
  falseLock: Math.exp(-6),
  missedImpostor: Math.exp(-5),
};
const engine = new SequentialEngine(settings);
const confirmed = engine.confirmed(engine.start());
const scored = (state: EngineState, ...scores: number[]) =>
  scores.reduce((before, score) => engine.observe(before, score), state);

describe('SequentialEngine', () => {
  it('begins at step-up, and only a confirmation leads to allow', () => {
    expect(engine.start()).toEqual({ decision: 'step-up', evidence: 0, confident: 0 });
    expect(scored(engine.start(), ...Array(20).fill(0)).decision).toBe('step-up');
    expect(confirmed.decision).toBe('allow');
  });

  it('adds logarithms of likelihood ratios; a score at an edge belongs above', () => {
    expect(scored(confirmed, 0.5).evidence).toBe(-2);
    expect(scored(confirmed, 1).evidence).toBe(-1);
    expect(scored(confirmed, 2.99).evidence).toBe(1);
    expect(scored(confirmed, Number.POSITIVE_INFINITY).evidence).toBe(3);
  });

  it('ends a test for the user at β, and begins anew', () => {
    expect(scored(confirmed, 0, 0).evidence).toBe(-4);
    expect(scored(confirmed, 0, 0, 0)).toEqual({ decision: 'allow', evidence: 0, confident: 3 });
  });

  it('ends a test against the user at 1/α, and asks for a step-up; then locks at a bound of its own, for good', () => {
    const doubtful = scored(confirmed, 3, 2);
    expect(doubtful).toEqual({ decision: 'step-up', evidence: 0, confident: 0 });
    expect(scored(doubtful, 3, 2).decision).toBe('step-up');
    const locked = scored(doubtful, 3, 3);
    expect(locked.decision).toBe('lock');
    expect(scored(locked, 0, 0)).toEqual(locked);
    expect(engine.confirmed(locked)).toEqual(locked);
  });

  it('refuses a score that is none, and settings out of range', () => {
    for (const bad of [Number.NaN, -1])
      expect(() => engine.observe(confirmed, bad)).toThrow(
        expect.objectContaining({ code: 'ERR_SCORE_INVALID' }),
      );
    const bad: Partial<SequentialSettings>[] = [
      { edges: [1, 2] },
      { edges: [1, 1, 2] },
      { edges: [1, 2, Number.NaN] },
      { logRatios: [-2, 1, -1, 3] },
      { logRatios: [1, 1, 1, 3] },
      { falseStepUp: 0 },
      { falseLock: 0.5 },
      { missedImpostor: Number.NaN },
    ];
    for (const change of bad)
      expect(() => new SequentialEngine({ ...settings, ...change })).toThrow(
        expect.objectContaining({ code: 'ERR_SETTINGS_INVALID' }),
      );
  });
});

describe('the error rates of its tests', () => {
  // Scores are log-normal, one deviation apart; the staircase has the exact ratios of 40 bins.
  const normal = (x: number) => jstat.erfc(-x / Math.SQRT2) / 2;
  const cuts = Array.from({ length: 39 }, (_, i) => -2.4 + 0.15 * i);
  const mass = (mean: number) =>
    [...cuts, Number.POSITIVE_INFINITY].map(
      (cut, i) => normal(cut - mean) - normal((cuts[i - 1] ?? -99) - mean),
    );
  const [user, impostor] = [mass(0), mass(1)];
  const logRatios = user.map((probability, i) => Math.log(impostor[i]! / probability));
  const edges = cuts.map((cut) => Math.exp(cut));
  const rates = { falseStepUp: 0.05, falseLock: 0.01, missedImpostor: 0.1 };
  const real = new SequentialEngine({ edges, logRatios, ...rates });
  const random = new SeededRandom(1945);

  /** Tests from `allow` or `step-up` until they end: how many end against the user, and windows of each on average. */
  function run(mean: number, start: EngineState, tests: number) {
    let [against, windows] = [0, 0];
    for (let test = 0; test < tests; test += 1) {
      let state = start;
      do {
        state = real.observe(state, Math.exp(mean + random.normal()));
        windows += 1;
      } while (state.evidence !== 0);
      against += state.decision === start.decision ? 0 : 1;
    }
    return { against, windows: windows / tests };
  }

  it('stay below the stated ones, and are not far below', () => {
    const tests = 1500;
    const { against: falseStepUps } = run(0, real.confirmed(real.start()), tests);
    expect(lowerRate(falseStepUps, tests)).toBeLessThanOrEqual(rates.falseStepUp);
    expect(falseStepUps).toBeGreaterThan(0.3 * rates.falseStepUp * tests);
    const { against: falseLocks } = run(0, real.start(), tests);
    expect(lowerRate(falseLocks, tests)).toBeLessThanOrEqual(rates.falseLock);
    const { against: found } = run(1, real.confirmed(real.start()), tests);
    expect(lowerRate(tests - found, tests)).toBeLessThanOrEqual(rates.missedImpostor);
    expect(tests - found).toBeGreaterThan(0.3 * rates.missedImpostor * tests);
  });

  it('cost as many windows as Wald says', () => {
    const tests = 1500;
    const { against, windows } = run(1, real.confirmed(real.start()), tests);
    const step = impostor.reduce((sum, probability, i) => sum + probability * logRatios[i]!, 0);
    const [up, down] = [-Math.log(rates.falseStepUp), Math.log(rates.missedImpostor)];
    const share = against / tests;
    // E N · E z = E of the sum where it ends: the bound, and beyond it less than a large step.
    const least = (share * up + (1 - share) * down) / step;
    expect(windows).toBeGreaterThan(0.95 * least);
    expect(windows).toBeLessThan(1.05 * (least + 2 / step));
  });
});
