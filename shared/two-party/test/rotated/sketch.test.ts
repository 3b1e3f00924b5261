/** Sketches behind rotations, with products in the clear: results beside the reference, and refusals that the CSP does not notice. */
import { describe, expect, it } from 'vitest';
import { distanceToSketch, patterned, resultOf, sketchSetting } from './sketches.ts';

describe('a sketch by rotated', () => {
  it.each([
    [12, 6, 2, 40],
    [40, 16, 4, 60],
    [300, 20, 5, 50],
  ])(
    'of %i features by %i columns gives %i components of the reference',
    async (d, columns, components, rows) => {
      const setting = sketchSetting({
        rows: patterned(rows, d, columns + 4),
        columns,
        components,
        task: { maximumSamplesPerOwner: 8 },
      });
      const result = await resultOf(setting);
      const { eigenvalueError, sine, expected } = distanceToSketch(setting, result);
      expect(eigenvalueError).toBeLessThan(1e-6);
      expect(sine).toBeLessThan(1e-4);
      expect(result.mean).toEqual(expected.mean);
      expect(result.sampleCount).toBe(rows);
    },
  );
});
