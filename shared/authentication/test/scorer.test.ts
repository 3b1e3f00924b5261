import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frame, makeTemplate, type ScoreKind, Scorer } from '../src/index.ts';
import { shrunkSpread } from '../src/template.ts';
import { SeededRandom } from './support/random.ts';

const SCORE_KINDS = ['euclidean', 'mahalanobis', 'cosine'] as const satisfies readonly ScoreKind[];
const rows = (...windows: number[][]) => windows.map((window) => Float64Array.from(window));
const square = makeTemplate(rows([2, 1], [-2, 1], [0, 2], [0, 0]));

describe('Scorer', () => {
  it('gives known distances', () => {
    const x = Float64Array.of(3, 5);
    const bare = (kind: ScoreKind) => {
      const scorer = new Scorer(square, kind);
      return scorer.score(x) * scorer.expected;
    };
    expect(bare('euclidean')).toBeCloseTo(5, 12);
    const [a, , c] = shrunkSpread(square);
    expect(bare('mahalanobis')).toBeCloseTo(Math.sqrt(9 / a! + 16 / c!), 12);
    expect(bare('cosine')).toBeCloseTo(1 - 5 / Math.sqrt(34), 12);
  });

  it('is about 1 for windows like those of the template', () => {
    const random = new SeededRandom(3);
    const mean = [9, 0, 0, 0];
    const draw = (n: number) => Array.from({ length: n }, () => random.window(mean, (i) => 1 / (1 + i)));
    const [template, windows] = [makeTemplate(draw(500)), draw(500)];
    for (const kind of SCORE_KINDS) {
      const scorer = new Scorer(template, kind);
      const scores = windows.map((window) => scorer.score(window));
      const power = kind === 'cosine' ? 1 : 2;
      const average = scores.reduce((sum, score) => sum + score ** power, 0) / scores.length;
      expect(average).toBeGreaterThan(0.85);
      expect(average).toBeLessThan(1.15);
    }
  });

  it('gives the same score in every frame', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const kinds = fc.constantFrom(...SCORE_KINDS);
    fc.assert(
      fc.property(bytes, kinds, fc.integer({ min: 1, max: 24 }), fc.integer(), (seed, kind, k, draw) => {
        const random = new SeededRandom(draw);
        const frame = Frame.fromSeed(seed, k, kind === 'cosine' ? 0 : 2);
        const centre = random.window(new Float64Array(k), () => 1);
        const windows = Array.from({ length: k + 5 }, () => random.window(centre, (i) => 1 / (1 + i)));
        const x = random.window(centre, () => 1);
        const plain = new Scorer(makeTemplate(windows), kind).score(x);
        const moved = new Scorer(makeTemplate(windows.map((w) => frame.apply(w))), kind).score(
          frame.apply(x),
        );
        expect(Math.abs(moved - plain)).toBeLessThanOrEqual(1e-9 * plain);
      }),
      { numRuns: 60 },
    );
  });

  it('finds every other window strange where the template does not vary', () => {
    const scorer = new Scorer(makeTemplate(rows([1, 2], [1, 2])), 'mahalanobis');
    expect(scorer.score(Float64Array.of(1, 2))).toBe(0);
    expect(scorer.score(Float64Array.of(1, 2.01))).toBeGreaterThan(100);
  });

  it('refuses what is no window of the template', () => {
    const scorer = new Scorer(square, 'euclidean');
    for (const bad of [[1], [1, 2, 3], [1, Number.NaN], [Number.NEGATIVE_INFINITY, 0]])
      expect(() => scorer.score(Float64Array.from(bad))).toThrow(
        expect.objectContaining({ code: 'ERR_WINDOW_INVALID' }),
      );
  });

  it('gives a finite cosine score where there is no direction', () => {
    const still = makeTemplate(rows([0, 0], [0, 0]));
    const score = new Scorer(still, 'cosine').score(Float64Array.of(0, 0));
    expect(Number.isFinite(score)).toBe(true);
  });
});
