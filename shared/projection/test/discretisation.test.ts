/** How far rounding the rows to 2^-14 moves the result: the published bound on the reference itself. */

import { describe, expect, it } from 'vitest';
import { decompose, generalisedEigen, principalAngles, symmetricEigen } from '../src/index.ts';
import { betweenOf, scatterOf, withinOf, withRidge } from './linear-algebra.ts';
import { DATASETS, METHODS, prepare } from './samples.ts';

/** Sine of the largest angle between the spans, times the gap after them over the largest eigenvalue. */
function weightedSine(exact: number[][], found: number[][], spectrum: number[]): number {
  const k = found.length;
  const gap = (spectrum[k - 1]! - (spectrum[k] ?? 0)) / spectrum[0]!;
  return Math.sin(principalAngles(exact.slice(0, k), found).at(-1)!) * gap;
}

describe.each(DATASETS)('rounding the rows of %s', (name) => {
  /** Largest weighted sine over the spans of the first k principal components, k below d. */
  function moved(fractionBits: number): number {
    const { program, statistics, scaled } = prepare(name, METHODS.pca, fractionBits);
    const exact = symmetricEigen(scatterOf(scaled).to2DArray());
    const { vectors } = decompose(program, statistics);
    const spans = Array.from({ length: program.featureCount - 1 }, (_, k) => vectors.slice(0, k + 1));
    return Math.max(...spans.map((span) => weightedSine(exact.vectors, span, exact.values)));
  }

  it('moves no span of leading principal components by more than 1e-3 of its gap', () => {
    expect(moved(14)).toBeLessThanOrEqual(1e-3);
  });

  it('shows in the same measure when the precision is too low', () => {
    expect(moved(3)).toBeGreaterThan(1e-3);
  });

  it.each(['dca', 'lda', 'mdr'] as const)('moves the components of %s as little', (kind) => {
    const { program, statistics, scaled, classes } = prepare(name, METHODS[kind]);
    const utility = classes.map(([k]) => k!);
    const noise = {
      dca: () => scatterOf(scaled),
      lda: () => withinOf(scaled, utility),
      mdr: () =>
        betweenOf(
          scaled,
          classes.map(([, k]) => k!),
        ),
    }[kind]();
    const exact = generalisedEigen(
      betweenOf(scaled, utility).to2DArray(),
      withRidge(noise, METHODS[kind].ridge).to2DArray(),
    );
    const { vectors } = decompose(program, statistics);
    expect(weightedSine(exact.vectors, vectors, exact.values)).toBeLessThanOrEqual(1e-3);
  });
});
