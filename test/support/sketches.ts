/** What must hold of a sketch that was computed behind rotations: all but the noise is that of the clear reference. */
import { decompose, principalAngles } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { expect } from 'vitest';

/**
 * Of λ₁. In a twentieth of runs the noise moves an eigenvalue by more than a tenth of it, so that by chance it does not move one so far: the noise is
 * normal, and this is nineteen of its deviations.
 */
const NOISE = 6e-4;

/** Angles of vectors are as uncertain as the gap behind them is narrow, which depends on the signs that the CSP has drawn. */
export function expectNear(
  projection: Projection,
  {
    task,
    pooled,
    signs,
  }: { readonly task: Task; readonly pooled: Statistics; readonly signs: Int32Array | undefined },
): void {
  const program = programOf(task);
  const count = program.components;
  const { eigenvalues, vectors } = decompose({ ...program, components: count + 1 }, pooled, signs);
  const largest = eigenvalues[0]!;
  for (const [j, value] of projection.eigenvalues.entries())
    expect(Math.abs(value - eigenvalues[j]!)).toBeLessThan(NOISE * largest);
  const gap = (eigenvalues[count - 1]! - eigenvalues[count]!) / largest;
  const angle = principalAngles(projection.vectors, vectors.slice(0, count)).at(-1)!;
  expect(angle * gap).toBeLessThan(10 * NOISE);
}
