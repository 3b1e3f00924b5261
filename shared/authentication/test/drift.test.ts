/** The test for drift has its stated level, finds what has moved, and is the same in every frame. */
import { lowerRate } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { driftProbability, Frame, flagBound, lookLevel, momentsOf, movementOf } from '../src/index.ts';
import type { Moments } from '../src/moments.ts';
import { SeededRandom } from './support/random.ts';

/** This generator has one seed in every test and run, so that none fails by chance. */
let random: SeededRandom;
beforeEach(() => {
  random = new SeededRandom(1996);
});
const [k, n] = [12, 25];
const deviation = (i: number) => 1 / (1 + i);
const origin = new Float64Array(k);
const sample = (centre: Float64Array, windows = n) =>
  momentsOf(Array.from({ length: windows }, () => random.window(centre, deviation)));
/** A mean that has moved by so much of each deviation. */
const moved = (share: number) => random.window(origin, (i) => share * deviation(i));

for (const { title, tags, of } of SAMPLES)
  describe(`driftProbability, ${title}`, { tags }, () => {
    it('is small for users who have moved', () => {
      const runs = 100;
      const hits = Array.from({ length: runs }, () =>
        driftProbability(sample(origin), sample(moved(1.5)), 0),
      ).filter((probability) => probability <= 0.01).length;
      expect(lowerRate(hits, runs)).toBeGreaterThan(0.5);
    });

    it('allows for the movement of every user, as measured on others', () => {
      const pair = (): readonly [Moments, Moments] => [sample(moved(0.5)), sample(moved(0.5))];
      const movement = movementOf(Array.from({ length: of(400, 200) }, pair));
      expect(movement).toBeGreaterThan(0.2);
      expect(movement).toBeLessThan(0.3);
      const runs = of(400, 200);
      const hits = (allowed: number) =>
        Array.from({ length: runs }, pair).filter((two) => driftProbability(...two, allowed) <= 0.01).length;
      expect(lowerRate(hits(movement), runs)).toBeLessThanOrEqual(0.01);
      expect(lowerRate(hits(0), runs)).toBeGreaterThan(0.01);
    });
  });

describe('driftProbability', () => {
  it('is small as often as it says, for users who have not moved', { tags: ['long'] }, () => {
    const runs = 2000;
    const found = Array.from({ length: runs }, () => driftProbability(sample(origin), sample(origin), 0));
    for (const level of [0.05, 0.01, 0.001]) {
      const hits = found.filter((probability) => probability <= level).length;
      expect(lowerRate(hits, runs)).toBeLessThanOrEqual(level);
    }
    // Nor is it always large.
    expect(found.filter((probability) => probability <= 0.05).length).toBeGreaterThan(0.03 * runs);
  });

  it('is the same in every frame', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.integer(), (seed, draw) => {
        const own = new SeededRandom(draw);
        const frame = Frame.fromSeed(seed, 6, 3);
        const windows = Array.from({ length: 16 }, (_, i) =>
          own.window(new Float64Array(6).fill(i < 8 ? 0 : 0.3), deviation),
        );
        const probability = (all: readonly Float64Array[]) =>
          driftProbability(momentsOf(all.slice(0, 8)), momentsOf(all.slice(8)), 0.1);
        const plain = probability(windows);
        const framed = probability(windows.map((window) => frame.apply(window)));
        expect(Math.abs(framed - plain)).toBeLessThanOrEqual(1e-8 * plain);
      }),
      { numRuns: 30 },
    );
  });

  it('has an answer for windows that do not vary', () => {
    const still = (entry: number) => momentsOf([Float64Array.of(entry), Float64Array.of(entry)]);
    expect(driftProbability(still(1), still(1), 0)).toBe(1);
    expect(driftProbability(still(1), still(2), 0)).toBe(0);
  });

  it('refuses moments of other widths, and no movement below 0', () => {
    const narrow = momentsOf([Float64Array.of(1), Float64Array.of(2)]);
    expect(() => driftProbability(sample(origin), narrow, 0)).toThrow(
      expect.objectContaining({ code: 'ERR_TEMPLATE_INVALID' }),
    );
    for (const bad of [-0.1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => driftProbability(narrow, narrow, bad)).toThrow(RangeError);
    expect(() => movementOf([[narrow, narrow]])).toThrow(
      expect.objectContaining({ code: 'ERR_CALIBRATION_INVALID' }),
    );
  });
});

describe('driftProbability of windows that a device has chosen', () => {
  it('is a probability, whatever their size', () => {
    const size = fc.integer({ min: -320, max: 5 }).map((exponent) => 10 ** exponent);
    fc.assert(
      fc.property(size, size, fc.integer(), (one, other, seed) => {
        const own = new SeededRandom(seed);
        const moments = (scale: number) =>
          momentsOf(Array.from({ length: n }, () => own.window(origin, () => scale)));
        const probability = driftProbability(moments(one), moments(other), 0.05);
        expect(probability).toBeGreaterThanOrEqual(0); // which NaN is not
        expect(probability).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('lookLevel', () => {
  it('adds up to the level of all looks', () => {
    const looks = Array.from({ length: 1000 }, (_, i) => lookLevel(0.02, i + 1));
    expect(looks[0]).toBe(0.01);
    expect(looks.reduce((sum, level) => sum + level)).toBeCloseTo(0.02 * (1 - 1 / 1001), 12);
    expect(() => lookLevel(0.02, 0)).toThrow(RangeError);
    expect(() => lookLevel(1, 1)).toThrow(RangeError);
  });
});

describe('flagBound', () => {
  it('is the least number that false flags reach rarely enough', () => {
    // Of 100 users at 0.01: P(>= 5) = 0.0034, P(>= 4) = 0.0184.
    expect(flagBound(100, 0.01, 0.01)).toBe(5);
    expect(flagBound(100, 0.01, 0.02)).toBe(4);
    // Not even all of them tell enough.
    expect(flagBound(1, 0.05, 0.01)).toBe(2);
    expect(flagBound(100_000, 0.01, 1e-6)).toBeLessThan(1160);
  });
});
