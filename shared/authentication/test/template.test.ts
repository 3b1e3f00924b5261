/** Moments of templates, their shrinkage, their updates, and their bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeTemplate,
  encodeTemplate,
  makeTemplate,
  momentsOf,
  type ScoreKind,
  Scorer,
  updated,
} from '../src/index.ts';
import { shrinkage, shrunkSpread } from '../src/template.ts';
import { LARGEST_ENTRY } from '../src/window.ts';
import { SeededRandom } from './support/random.ts';

const rows = (...windows: number[][]) => windows.map((window) => Float64Array.from(window));
const random = new SeededRandom(19);
const cloud = (n: number, k: number, centre = 0) =>
  Array.from({ length: n }, () => random.window(new Float64Array(k).fill(centre), (i) => 1 + i));

describe('makeTemplate', () => {
  it('has mean, covariance and fourth moment of the windows', () => {
    const template = makeTemplate(rows([0, 1], [2, 1], [4, 7]));
    expect([...template.mean]).toEqual([2, 3]);
    expect([...template.spread]).toEqual([4, 6, 12]);
    expect(template.fourth).toBeCloseTo((8 ** 2 + 4 ** 2 + 20 ** 2) / 3, 10);
    expect(template).toMatchObject({ count: 3, version: 1 });
  });

  it('shrinks as Ledoit and Wolf do', () => {
    // By hand: S = [[8/3, 4], [4, 8]] (divisor n), μ = 16/3, d² = 2(8/3)² + 32, b² = (160 − ‖S‖²)/3.
    const template = makeTemplate(rows([0, 1], [2, 1], [4, 7]));
    const norm = (8 / 3) ** 2 + 2 * 16 + 64;
    const d2 = norm - (16 / 3) ** 2 * 2;
    const b2 = (160 - norm) / 3;
    const share = b2 / d2;
    expect(shrinkage(template)).toBeCloseTo(share, 12);
    const [a, b, c] = shrunkSpread(template);
    expect(a).toBeCloseTo((1 - share) * 4 + share * 8, 6);
    expect(b).toBeCloseTo((1 - share) * 6, 6);
    expect(c).toBeCloseTo((1 - share) * 12 + share * 8, 6);
  });

  it('shrinks less the more windows there are, and wholly where the spread is the same in all directions', () => {
    expect(shrinkage(makeTemplate(cloud(2000, 4)))).toBeLessThan(0.02);
    expect(shrinkage(makeTemplate(cloud(8, 4)))).toBeGreaterThan(0.05);
    expect(shrinkage(makeTemplate(rows([1, 0], [-1, 0], [0, 1], [0, -1])))).toBe(1);
  });

  it('has a positive spread where windows do not vary', () => {
    const template = makeTemplate(rows([1, 2], [1, 2], [1, 2]));
    expect([...template.spread]).toEqual([0, 0, 0]);
    expect(shrunkSpread(template)[0]).toBeGreaterThan(0);
  });

  it('refuses fewer than two windows, and what is no window', () => {
    const code = (c: string) => expect.objectContaining({ code: c });
    expect(() => makeTemplate([])).toThrow(code('ERR_TOO_FEW_WINDOWS'));
    expect(() => makeTemplate(rows([1, 2]))).toThrow(code('ERR_TOO_FEW_WINDOWS'));
    expect(() => makeTemplate(rows([1, 2], [1]))).toThrow(code('ERR_WINDOW_INVALID'));
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1e7])
      expect(() => makeTemplate(rows([1, 2], [1, bad]))).toThrow(code('ERR_WINDOW_INVALID'));
  });

  it('measures fourth moments also far from the origin', () => {
    const windows = cloud(30, 3, 50);
    const { mean, fourth } = makeTemplate(windows);
    const direct = windows.map((x) => x.reduce((sum, entry, i) => sum + (entry - mean[i]!) ** 2, 0) ** 2);
    expect(fourth / (direct.reduce((a, b) => a + b) / 30)).toBeCloseTo(1, 10);
  });
});

describe('a template that a device has chosen', () => {
  it('can be scored against, however its windows lie and whatever their size', () => {
    const kinds = fc.constantFrom<ScoreKind>('euclidean', 'mahalanobis', 'cosine');
    const sizes = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 2, max: 30 }));
    const scale = fc.constantFrom(1e-320, 1e-160, 1e-80, 1e-20, 1e-4, 1, 10, 1e3, 1e4, 1e5);
    fc.assert(
      fc.property(kinds, sizes, scale, fc.boolean(), fc.integer(), (kind, [k, n], size, onALine, seed) => {
        const random = new SeededRandom(seed);
        const draw = () => random.window(new Float64Array(k), () => size);
        const line = draw();
        // Of ± the same window, all are as far from the mean: the estimator then shrinks by nothing.
        const windows = Array.from({ length: n }, (_, i) =>
          onALine ? line.map((entry) => (i % 2 === 0 ? entry : -entry)) : draw(),
        );
        const scorer = new Scorer(makeTemplate(windows), kind);
        for (const window of [windows[0]!, draw(), new Float64Array(k).fill(LARGEST_ENTRY)])
          expect(scorer.score(window)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 400 },
    );
  });
});

describe('updated', () => {
  it('with the right weight has the moments of all windows together', () => {
    const [old, recent] = [cloud(40, 3), cloud(60, 3, 1)];
    const mixed = updated(makeTemplate(old), momentsOf(recent), 0.6);
    const whole = makeTemplate([...old, ...recent]);
    expect(mixed.version).toBe(2);
    expect(mixed.count).toBeCloseTo(100, 10);
    for (let i = 0; i < 3; i += 1) expect(mixed.mean[i]).toBeCloseTo(whole.mean[i]!, 10);
    // Divisors n − 1 of the parts differ a little from that of the whole.
    for (let i = 0; i < 6; i += 1) expect(Math.abs(mixed.spread[i]! - whole.spread[i]!)).toBeLessThan(0.3);
  });

  it('keeps the old template as it was, and refuses other widths and weights', () => {
    const template = makeTemplate(cloud(10, 2));
    const copy = encodeTemplate(template);
    updated(template, momentsOf(cloud(5, 2)), 1);
    expect(encodeTemplate(template)).toEqual(copy);
    expect(() => updated(template, momentsOf(cloud(5, 3)), 0.5)).toThrow(
      expect.objectContaining({ code: 'ERR_TEMPLATE_INVALID' }),
    );
    for (const weight of [0, -1, 1.1, Number.NaN])
      expect(() => updated(template, momentsOf(cloud(5, 2)), weight)).toThrow(RangeError);
  });
});

describe('encodeTemplate', () => {
  it('comes back bit for bit, in less than 2 kB at k = 20', () => {
    const template = makeTemplate(cloud(30, 20));
    const bytes = encodeTemplate(template);
    expect(bytes.length).toBe(1863);
    // A view into a larger buffer, as a database gives it.
    const padded = new Uint8Array(2000);
    padded.set(bytes, 5);
    expect(decodeTemplate(padded.subarray(5, 5 + bytes.length))).toEqual(template);
  });

  it('is refused when it is cut, longer, or of numbers that no template has', () => {
    const bytes = encodeTemplate(makeTemplate(cloud(5, 2)));
    const refused = (spoilt: Uint8Array) =>
      expect(() => decodeTemplate(spoilt)).toThrow(expect.objectContaining({ code: 'ERR_TEMPLATE_INVALID' }));
    for (let at = 0; at < bytes.length; at += 1) refused(bytes.subarray(0, at));
    refused(Uint8Array.of(...bytes, 0));
    for (const at of [7, 15, 23, 39]) {
      const spoilt = Uint8Array.from(bytes);
      new DataView(spoilt.buffer).setFloat64(at, Number.NaN, true);
      refused(spoilt);
    }
    refused(Uint8Array.from(bytes, (byte, at) => (at === 0 ? 2 : byte)));
  });
});
