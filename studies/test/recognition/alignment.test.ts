/** Frames are found from known windows, and from moments where distributions are the same on both sides; and from nothing they are not. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { RealDraws } from '../../privacy/random/real.ts';
import {
  alignedByMoments,
  minus,
  moved,
  procrustes,
  referenceOf,
  refined,
} from '../../recognition/alignment.ts';
import { framed, frameOf } from '../../recognition/templates/scene.ts';

const K = 4;
const draws = new RealDraws(predictableRandomness('alignment'));
/** Different variances along the axes, means that are not 0, and skewness. */
const windows = Array.from({ length: 300 }, () =>
  Array.from({ length: K }, (_, i) => 1 + (draws.gamma(1) - 1) * 0.6 ** i),
);
const length = (row: readonly number[]) => Math.hypot(...row);

describe('known windows', () => {
  it('are as many directions of a frame as they have ranks, and k of them are the frame', () => {
    const seen = framed(frameOf('known', K), windows);
    const pairs = windows.map((known, i) => ({ known, seen: seen[i]! }));
    const span = (t: number) => procrustes(pairs.slice(0, t));
    expect([1, 3, K, K + 5].map((t) => span(t).known.length)).toEqual([1, 3, K, K]);
    const { known, seen: images } = span(K);
    // A window that was not among them, along the known directions and along their images.
    const along = (axes: readonly (readonly number[])[], row: readonly number[]) =>
      axes.map((axis) => axis.reduce((sum, x, i) => sum + x * row[i]!, 0));
    expect(length(minus(along(known, windows[9]!), along(images, seen[9]!)))).toBeLessThan(1e-9);
  });
});

describe('distributions', () => {
  const reference = referenceOf([windows]);
  const worst = (translated: boolean, guess = alignedByMoments) => {
    const seen = framed(frameOf('moments', K, translated ? 10 : 0), windows);
    const motion = guess(seen, reference, translated);
    return Math.max(...windows.map((row, i) => length(minus(moved(motion, seen[i]!), row))));
  };

  it('of the same windows take the frame off, by means or by third moments', () => {
    expect(worst(false)).toBeLessThan(1e-6);
    expect(worst(true)).toBeLessThan(1e-6);
  });

  it('are refined to the frame from a guess that is near', () => {
    const seen = framed(frameOf('near', K), windows);
    const exact = alignedByMoments(seen, reference, false);
    const [cos, sin] = [Math.cos(0.1), Math.sin(0.1)];
    const tilted = exact.rotation.map((row, i) =>
      row.map((x, j) =>
        i === 0
          ? cos * x - sin * exact.rotation[1]![j]!
          : i === 1
            ? sin * exact.rotation[0]![j]! + cos * x
            : x,
      ),
    );
    const off = (motion: typeof exact) =>
      Math.max(...windows.map((row, i) => length(minus(moved(motion, seen[i]!), row))));
    expect(off({ ...exact, rotation: tilted })).toBeGreaterThan(0.1);
    expect(off(refined(seen, reference, { ...exact, rotation: tilted }))).toBeLessThan(1e-6);
  });
});
