/** Scores are the distances that they are said to be, in the user's own unit, in every frame. */
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
      return scorer.distance(x) * scorer.expected;
    };
    expect(bare('euclidean')).toBeCloseTo(5, 12);
    const [a, , c] = shrunkSpread(square);
    expect(bare('mahalanobis')).toBeCloseTo(Math.sqrt(9 / a! + 16 / c!), 12);
    expect(bare('cosine')).toBeCloseTo(1 - 5 / Math.sqrt(34), 12);
  });

  it('sets them against everybody, whose mean is the origin', () => {
    const x = Float64Array.of(3, 5);
    // Squared distances from the mean (0, 1) and from the origin.
    const euclidean = new Scorer(square, 'euclidean');
    expect(euclidean.score(x)).toBeCloseTo((1 + 25 / euclidean.expected ** 2) * (1 + 25 / 34), 12);
    const [a, , c] = shrunkSpread(square);
    const mahalanobis = new Scorer(square, 'mahalanobis');
    const [user, everybody] = [9 / a! + 16 / c!, 9 / a! + 25 / c!];
    expect(mahalanobis.score(x)).toBeCloseTo(
      (1 + user / mahalanobis.expected ** 2) * (1 + user / everybody),
      12,
    );
    const cosine = new Scorer(square, 'cosine');
    expect(cosine.score(x)).toBeCloseTo((1 + cosine.distance(x) ** 2) * (1 + 25 / 34), 12);
  });

  it('has distances of about 1 for windows like those of the template', () => {
    const random = new SeededRandom(3);
    const mean = [9, 0, 0, 0];
    const draw = (n: number) => Array.from({ length: n }, () => random.window(mean, (i) => 1 / (1 + i)));
    const [template, windows] = [makeTemplate(draw(500)), draw(500)];
    for (const kind of SCORE_KINDS) {
      const scorer = new Scorer(template, kind);
      const scores = windows.map((window) => scorer.distance(window));
      const power = kind === 'cosine' ? 1 : 2;
      const average = scores.reduce((sum, score) => sum + score ** power, 0) / scores.length;
      expect(average).toBeGreaterThan(0.85);
      expect(average).toBeLessThan(1.15);
    }
  });

  it('gives the same in every frame: distances also with a translation, scores without one', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const kinds = fc.constantFrom(...SCORE_KINDS);
    const whats = fc.constantFrom('score' as const, 'distance' as const);
    fc.assert(
      fc.property(
        ...([bytes, kinds, whats, fc.integer({ min: 1, max: 24 }), fc.integer()] as const),
        (seed, kind, what, k, draw) => {
          const random = new SeededRandom(draw);
          const frame = Frame.fromSeed(seed, k, kind === 'cosine' || what === 'score' ? 0 : 2);
          const centre = random.window(new Float64Array(k), () => 1);
          const windows = Array.from({ length: k + 5 }, () => random.window(centre, (i) => 1 / (1 + i)));
          const x = random.window(centre, () => 1);
          const plain = new Scorer(makeTemplate(windows), kind)[what](x);
          const moved = new Scorer(makeTemplate(windows.map((w) => frame.apply(w))), kind)[what](
            frame.apply(x),
          );
          expect(Math.abs(moved - plain)).toBeLessThanOrEqual(1e-9 * plain);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('finds windows strange that are nearer to everybody than to the user, however calm they are', () => {
    const kinds = fc.constantFrom('euclidean' as const, 'mahalanobis' as const);
    fc.assert(
      fc.property(
        ...([
          kinds,
          fc.integer({ min: 2, max: 20 }),
          fc.double({ min: 0.5, max: 3, noNaN: true }),
          fc.integer(),
        ] as const),
        (kind, k, away, draw) => {
          const random = new SeededRandom(draw);
          const mean = Float64Array.from({ length: k }, () => away);
          const own = () => random.window(mean, () => 1);
          const template = makeTemplate(Array.from({ length: 60 }, own));
          const scorer = new Scorer(template, kind);
          // The same distance about everybody's mean.
          const everybody = new Scorer({ ...template, mean: new Float64Array(k) }, kind);
          const zero = new Float64Array(k);
          expect(scorer.score(zero)).toBeGreaterThan(1000);
          const forged = random.window(zero, () => 0.5);
          const [r, e] = [scorer.distance(forged), everybody.distance(forged)];
          const score = scorer.score(forged);
          expect(score).toBeCloseTo((1 + r * r) * (1 + (r / e) ** 2), 9 - Math.ceil(Math.log10(score)));
          if (r >= e) expect(score).toBeGreaterThanOrEqual(2 * (1 + r * r) * (1 - 1e-12));
          // Windows of the user are on the other side: at most twice what they would be by distance alone.
          const genuine = own();
          if (scorer.distance(genuine) < everybody.distance(genuine))
            expect(scorer.score(genuine)).toBeLessThan(2 * (1 + scorer.distance(genuine) ** 2));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('finds the mean of everybody strange where bare distances take it for the user', () => {
    // Windows vary by more than the user's mean is away from everybody's.
    const random = new SeededRandom(11);
    const mean = Float64Array.from({ length: 12 }, () => 0.6);
    const draw = (n: number) => Array.from({ length: n }, () => random.window(mean, () => 1));
    const [template, windows] = [makeTemplate(draw(60)), draw(400)];
    const zero = new Float64Array(12);
    for (const kind of ['euclidean', 'mahalanobis'] as const) {
      const scorer = new Scorer(template, kind);
      const median = (of: (window: Float64Array) => number) => windows.map(of).sort((a, b) => a - b)[200]!;
      expect(scorer.distance(zero)).toBeLessThan(median((window) => scorer.distance(window)));
      expect(scorer.score(zero)).toBeGreaterThan(100 * median((window) => scorer.score(window)));
    }
  });

  it('finds every other window strange where the template does not vary', () => {
    const scorer = new Scorer(makeTemplate(rows([1, 2], [1, 2])), 'mahalanobis');
    expect(scorer.score(Float64Array.of(1, 2))).toBe(1);
    expect(scorer.score(Float64Array.of(1, 2.01))).toBeGreaterThan(100);
  });

  it('refuses what is no window of the template', () => {
    const scorer = new Scorer(square, 'euclidean');
    for (const bad of [[1], [1, 2, 3], [1, Number.NaN], [Number.NEGATIVE_INFINITY, 0]])
      expect(() => scorer.score(Float64Array.from(bad))).toThrow(
        expect.objectContaining({ code: 'ERR_WINDOW_INVALID' }),
      );
  });

  it('gives finite scores where nobody is told from everybody, and where there is no direction', () => {
    const still = makeTemplate(rows([0, 0], [0, 0]));
    for (const kind of SCORE_KINDS) {
      const scorer = new Scorer(still, kind);
      for (const x of [
        [0, 0],
        [1e-9, 0],
        [1e6, -1e6],
      ])
        expect(scorer.score(Float64Array.from(x))).toSatisfy(Number.isFinite);
    }
  });
});
