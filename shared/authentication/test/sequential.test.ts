import { describe, expect, it } from 'vitest';
import { type EngineState, SequentialEngine, type SequentialSettings } from '../src/index.ts';

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
