/** Settings from scores keep what they promise, on scores whose distributions are known. */
import { lowerRate } from '@eigenveil/testbed/goodness/audit';
import { describe, expect, it } from 'vitest';
import { equalErrors } from '../src/calibration.ts';
import { crossScores, type Engine, engineOf, likelihoodRatios, trustSettings } from '../src/index.ts';
import { SeededRandom } from './support/random.ts';

const random = new SeededRandom(2012);
/** Log-normal scores, as distances are: of users around 1, of impostors around 2. */
const draw = (n: number, centre: number) =>
  Array.from({ length: n }, () => centre * Math.exp(0.3 * random.normal()));
const [genuine, impostor] = [draw(2000, 1), draw(2000, 2)];
const invalid = expect.objectContaining({ code: 'ERR_CALIBRATION_INVALID' });

/** Windows until a decision is another one than `allow`. */
function windowsToStepUp(engine: Engine, next: () => number, most: number): number {
  let state = engine.confirmed(engine.start());
  let windows = 0;
  while (state.decision === 'allow' && windows < most) {
    state = engine.observe(state, next());
    windows += 1;
  }
  return windows;
}

describe('equalErrors', () => {
  it('is where both rates meet', () => {
    const users = Array.from({ length: 100 }, (_, i) => i);
    const others = Array.from({ length: 100 }, (_, i) => i + 80);
    expect(equalErrors(users, others)).toEqual({
      threshold: 90,
      falseMatch: 0.1,
      falseNonMatch: expect.closeTo(0.1, 12),
    });
  });

  it('is near the known rate of two normal distributions', () => {
    // ln 2 / 0.3 = 2.31 deviations apart: Φ(−1.155) = 0.124, at √2.
    const { threshold, falseMatch, falseNonMatch } = equalErrors(genuine, impostor);
    expect(threshold).toBeGreaterThan(1.35);
    expect(threshold).toBeLessThan(1.48);
    expect((falseMatch + falseNonMatch) / 2).toBeCloseTo(0.124, 1);
  });

  it('refuses too few scores, and what is no score', () => {
    expect(() => equalErrors(genuine.slice(0, 19), impostor)).toThrow(invalid);
    for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY])
      expect(() => equalErrors(genuine, [...impostor, bad])).toThrow(invalid);
  });
});

describe('likelihoodRatios', () => {
  it('is the ratio of counts in bins of which each holds scores', () => {
    const ratios = likelihoodRatios(
      [...Array(30).fill(1), ...Array(10).fill(2)],
      [...Array(10).fill(1), ...Array(30).fill(2)],
    );
    expect(ratios.edges).toEqual([2]);
    expect(ratios.logRatios[0]).toBeCloseTo(Math.log(10.5 / 30.5), 12);
    expect(ratios.logRatios[1]).toBeCloseTo(Math.log(30.5 / 10.5), 12);
  });

  it('follows the true ratio, and never falls', () => {
    const { edges, logRatios } = likelihoodRatios(genuine, impostor);
    expect(edges.length).toBeGreaterThan(10);
    for (let i = 1; i < edges.length; i += 1) {
      expect(logRatios[i]).toBeGreaterThanOrEqual(logRatios[i - 1]!);
      // ln ratio of the two densities at the middle of the bin: (z₁² − z₂²)/2.
      const middle = Math.log(Math.sqrt(edges[i - 1]! * edges[i]!));
      const truth = ((middle / 0.3) ** 2 - ((middle - Math.LN2) / 0.3) ** 2) / 2;
      // Far out, few scores of one kind are left to count.
      if (Math.abs(truth) < 2) expect(Math.abs(logRatios[i]! - truth)).toBeLessThan(0.5);
    }
    expect(() => engineOf({ kind: 'sequential', edges, logRatios, ...rates(0.01) })).not.toThrow();
  });

  it('says so when the scores tell nothing', () => {
    expect(() => likelihoodRatios(impostor, genuine)).toThrow(invalid);
    expect(() => likelihoodRatios(Array(50).fill(1), Array(50).fill(1))).toThrow(invalid);
  });
});

function rates(rate: number) {
  return { falseStepUp: rate, falseLock: rate, missedImpostor: rate };
}

describe('trustSettings', () => {
  it('keeps the right user undisturbed for as long as asked for, and finds impostors soon', () => {
    const windowsPerFalseStepUp = 200;
    const engine = engineOf({
      kind: 'trust',
      ...trustSettings(genuine, impostor, { windowsPerFalseStepUp }),
    });
    const runs = 150;
    const average = (centre: number) =>
      Array.from({ length: runs }, () => windowsToStepUp(engine, () => draw(1, centre)[0]!, 4000)).reduce(
        (sum, windows) => sum + windows / runs,
        0,
      );
    // Runs are about exponential: five standard errors below the mean would be 0.59 of it.
    expect(average(1)).toBeGreaterThan(windowsPerFalseStepUp);
    expect(average(2)).toBeLessThan(10);
  });

  it('says so when no settings reach the target', () => {
    expect(() => trustSettings(genuine, genuine, { windowsPerFalseStepUp: 1e9 })).toThrow(invalid);
    expect(() => trustSettings(genuine, impostor, { windowsPerFalseStepUp: 1 })).toThrow(RangeError);
  });

  it('expects a window that is stranger than all so far', () => {
    const [windowsPerFalseStepUp, users] = [1e6, genuine.slice(0, 99)];
    const { penalty } = trustSettings(users, impostor, { windowsPerFalseStepUp });
    // One of a hundred such windows must not cost more than the target allows: e^(θ D) <= 100, θ = ln(target)/40.
    expect(penalty).toBeLessThanOrEqual((40 * Math.log(100)) / Math.log(windowsPerFalseStepUp));
  });
});

describe('crossScores', () => {
  it('scores each window against a template that has not seen it', () => {
    const mean = new Float64Array(6);
    const windows = Array.from({ length: 20 }, () => random.window(mean, () => 1));
    const scores = crossScores(windows, 'mahalanobis');
    expect(scores).toHaveLength(20);
    const strange = windows.map((window, i) => (i === 7 ? window.map((entry) => entry + 50) : window));
    expect(crossScores(strange, 'mahalanobis')[7]).toBeGreaterThan(20);
    expect(() => crossScores(windows.slice(0, 9), 'euclidean')).toThrow(
      expect.objectContaining({ code: 'ERR_TOO_FEW_WINDOWS' }),
    );
  });

  it('has scores like those of the next window, which is strange no more often', () => {
    let [above, all] = [0, 0];
    for (let user = 0; user < 60; user += 1) {
      const mean = new Float64Array(4);
      const windows = Array.from({ length: 40 }, () => random.window(mean, (i) => 1 + i));
      // Of 41 exchangeable scores the last is above the 33rd of the others with a probability of 0.2 at most.
      const edge = crossScores(windows, 'euclidean').toSorted((a, b) => a - b)[32]!;
      const [next] = crossScores([...windows, random.window(mean, (i) => 1 + i)], 'euclidean').slice(-1);
      above += next! > edge ? 1 : 0;
      all += 1;
    }
    expect(lowerRate(above, all)).toBeLessThan(0.2);
  });
});
