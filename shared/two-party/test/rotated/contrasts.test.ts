/** Contrasts between classes: what they are multiplied by, their size, and classes without rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiplySigned, transpose } from '../../src/rotated/matrices.ts';
import { contrasts } from '../../src/rotated/pencil/contrasts.ts';

const BITS = 56;
const unit = 2 ** -BITS;

describe('contrasts', () => {
  it('have HHᵀ = Q·D⁻¹ − 11ᵀ over classes with rows, nothing elsewhere, and no entry above √Q', () => {
    const counts = fc.array(fc.oneof(fc.constant(0n), fc.bigInt(1n, 100_000n)), {
      minLength: 2,
      maxLength: 8,
    });
    fc.assert(
      fc.property(counts, (M) => {
        const H = contrasts(M, BITS);
        const Q = Number(M.reduce((sum, count) => sum + count, 0n));
        expect(H.every((row) => row.length === M.length - 1)).toBe(true);
        const square = multiplySigned(H, transpose(H));
        for (const [i, row] of square.entries()) {
          for (const [j, entry] of row.entries()) {
            const wanted = M[i] === 0n || M[j] === 0n ? 0 : (i === j ? Q / Number(M[i]) : 0) - 1;
            expect(Math.abs(Number(entry) * unit ** 2 - wanted)).toBeLessThan(1e-9 * (1 + Q));
          }
        }
        const largest = Math.max(...H.flat().map((entry) => Math.abs(Number(entry)) * unit));
        expect(largest).toBeLessThanOrEqual(Math.sqrt(Q));
        // Columns without use come last.
        const used = Math.max(0, M.filter((count) => count > 0n).length - 1);
        expect(H.every((row) => row.slice(used).every((entry) => entry === 0n))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
