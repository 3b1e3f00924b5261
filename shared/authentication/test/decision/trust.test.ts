/** The trust level: how far a window moves it, and which decisions follow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EngineState, TrustEngine, type TrustSettings } from '../../src/index.ts';

const settings: TrustSettings = {
  threshold: 1.5,
  width: 0.2,
  reward: 2,
  penalty: 20,
  stepUpBelow: 80,
  lockBelow: 40,
  confidentFrom: 90,
};
const engine = new TrustEngine(settings);
const confirmed = engine.confirmed(engine.start());
const scored = (state: EngineState, ...scores: number[]) =>
  scores.reduce((before, score) => engine.observe(before, score), state);
const scores = fc.double({ min: 0, max: 10, noNaN: true });

describe('TrustEngine', () => {
  it('begins at step-up, and only a confirmation leads to allow', () => {
    expect(engine.start().decision).toBe('step-up');
    expect(scored(engine.start(), ...Array(100).fill(0)).decision).toBe('step-up');
    expect(confirmed).toEqual({ decision: 'allow', evidence: 100, confident: 0 });
  });

  it('moves by 0 at the threshold, by at most the reward, and by the penalty at the strangest', () => {
    const from: EngineState = { decision: 'step-up', evidence: 60, confident: 0 };
    expect(engine.observe(from, 1.5).evidence).toBeCloseTo(60, 10);
    expect(engine.observe(from, 0).evidence).toBeCloseTo(62, 10);
    expect(engine.observe(from, Number.POSITIVE_INFINITY)).toEqual({
      decision: 'step-up',
      evidence: 40,
      confident: 0,
    });
    // By the formula, one width above the threshold: −20 + 20 · 1.5 / (0.5 + e).
    expect(engine.observe(from, 1.7).evidence).toBeCloseTo(60 - 20 + 30 / (0.5 + Math.E), 10);
  });

  it('asks for a step-up, and then locks for good', () => {
    const doubtful = scored(confirmed, 9, 9);
    expect(doubtful.decision).toBe('step-up');
    const locked = scored(doubtful, 9, 9);
    expect(locked.decision).toBe('lock');
    expect(scored(locked, 0, 0, 0)).toEqual(locked);
    expect(engine.confirmed(locked)).toEqual(locked);
  });

  it('counts windows at high trust', () => {
    expect(scored(confirmed, 0, 0, 0).confident).toBe(3);
    expect(scored(confirmed, 0, 0, 9).confident).toBe(0);
  });

  it('keeps trust in [0, 100], and never more of it for a stranger window', () => {
    fc.assert(
      fc.property(fc.array(scores, { maxLength: 40 }), scores, scores, (before, a, b) => {
        const state = scored(confirmed, ...before);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const [kind, strange] = [engine.observe(state, low), engine.observe(state, high)];
        for (const { evidence } of [kind, strange]) {
          expect(evidence).toBeGreaterThanOrEqual(0);
          expect(evidence).toBeLessThanOrEqual(100);
        }
        expect(strange.evidence).toBeLessThanOrEqual(kind.evidence);
      }),
    );
  });

  it('refuses a score that is none, and settings out of range', () => {
    for (const bad of [Number.NaN, -1])
      expect(() => engine.observe(confirmed, bad)).toThrow(
        expect.objectContaining({ code: 'ERR_SCORE_INVALID' }),
      );
    const bad: Partial<TrustSettings>[] = [
      { threshold: 0 },
      { width: 0 },
      { reward: 0 },
      { penalty: 0.5 },
      { lockBelow: 80 },
      { stepUpBelow: 95 },
      { confidentFrom: 101 },
    ];
    for (const change of bad)
      expect(() => new TrustEngine({ ...settings, ...change })).toThrow(
        expect.objectContaining({ code: 'ERR_SETTINGS_INVALID' }),
      );
  });
});
