/** Frames are orthogonal, from the Haar distribution, and the same for the same bytes. */
import { CodedError } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_SEED_BYTES, Frame } from '../src/index.ts';

const seed = (byte: number) => new Uint8Array(FRAME_SEED_BYTES).fill(byte);
const unit = (k: number, i: number) => Float64Array.from({ length: k }, (_, j) => (i === j ? 1 : 0));
const columnsOf = (frame: Frame) =>
  Array.from({ length: frame.dimensions }, (_, i) => frame.apply(unit(frame.dimensions, i)));
const inner = (a: Float64Array, b: Float64Array) => a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);

describe('Frame', () => {
  it('is the same for the same bytes, for ever', () => {
    const frame = Frame.fromSeed(seed(7), 3, 0.5);
    const moved = [...frame.apply(Float64Array.of(1, -2, 0.5))];
    const golden = [0.2987757567432766, -1.0993954679741669, 1.9550640615086563];
    expect(moved).toHaveLength(3);
    for (const [i, entry] of golden.entries()) expect(moved[i]).toBeCloseTo(entry, 12);
  });

  it('is orthogonal', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: FRAME_SEED_BYTES, maxLength: FRAME_SEED_BYTES }),
        fc.integer({ min: 1, max: 40 }),
        (bytes, k) => {
          const columns = columnsOf(Frame.fromSeed(bytes, k));
          for (const [i, a] of columns.entries())
            for (const [j, b] of columns.entries())
              expect(Math.abs(inner(a, b) - (i === j ? 1 : 0))).toBeLessThan(1e-12);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('moves every direction to every other: entries of many frames have the moments of the Haar distribution', () => {
    const [k, frames] = [3, 2000];
    const [first, second, fourth] = [new Float64Array(9), new Float64Array(9), new Float64Array(9)];
    let turns = 0;
    for (let i = 0; i < frames; i += 1) {
      const bytes = seed(0);
      new DataView(bytes.buffer).setUint32(0, i);
      const columns = columnsOf(Frame.fromSeed(bytes, k));
      const entries = columns.flatMap((column) => [...column]);
      for (const [at, entry] of entries.entries()) {
        first[at]! += entry / frames;
        second[at]! += entry ** 2 / frames;
        fourth[at]! += entry ** 4 / frames;
      }
      turns += columns.reduce((sum, column, j) => sum + column[j]!, 0) ** 2 / frames;
    }
    // E p² = 1/k, E p⁴ = 3/(k (k + 2)), E (tr P)² = 1; each within five standard errors.
    for (let at = 0; at < 9; at += 1) {
      expect(Math.abs(first[at]!)).toBeLessThan(5 * Math.sqrt(1 / k / frames));
      expect(Math.abs(second[at]! - 1 / k)).toBeLessThan(5 * Math.sqrt(0.09 / frames));
      expect(Math.abs(fourth[at]! - 0.2)).toBeLessThan(5 * Math.sqrt(0.08 / frames));
    }
    expect(Math.abs(turns - 1)).toBeLessThan(5 * Math.sqrt(2 / frames));
  });

  it('turns and mirrors', () => {
    const signs = Array.from({ length: 40 }, (_, byte) => Frame.fromSeed(seed(byte), 1).apply(unit(1, 0))[0]);
    expect(new Set(signs)).toEqual(new Set([1, -1]));
  });

  it('moves all windows by one translation, of the deviation asked for, and by none if none is asked for', () => {
    const k = 400;
    const zero = new Float64Array(k);
    expect([...Frame.fromSeed(seed(1), k).apply(zero)].every((entry) => entry === 0)).toBe(true);
    const shift = Frame.fromSeed(seed(1), k, 3).apply(zero);
    expect(Math.abs(inner(shift, shift) / k / 9 - 1)).toBeLessThan(5 * Math.sqrt(2 / k));
  });

  it('refuses seeds and windows of another length', () => {
    expect(() => Frame.fromSeed(new Uint8Array(31), 3)).toThrow(
      expect.objectContaining({ code: 'ERR_SEED_INVALID' }),
    );
    expect(() => Frame.fromSeed(seed(0), 0)).toThrow(RangeError);
    expect(() => Frame.fromSeed(seed(0), 3, Number.NaN)).toThrow(RangeError);
    expect(() => Frame.fromSeed(seed(0), 3).apply(new Float64Array(2))).toThrow(CodedError);
    expect(() => Frame.fromSeed(seed(0), 2).apply(Float64Array.of(1, Number.NaN))).toThrow(
      expect.objectContaining({ code: 'ERR_WINDOW_INVALID' }),
    );
  });
});
