/**
 * What a PCA tells when features depend on each other publicly: the attack without the rule, and the rule at
 * its boundary.
 *
 * @claims S-102, S-105, S-106
 */

import { methodOf, type Output } from '@eigenveil/methods';
import type { Program } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompose, totalScatter } from '../../src/index.ts';
import { METHODS, programFor, sum } from '../samples.ts';

const UNIT = 2 ** 14;
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((total, x, i) => total + x * b[i]!, 0);

function relativeError(guess: readonly (readonly number[])[], truth: readonly (readonly number[])[]) {
  const off = truth.map((row, i) => row.map((x, j) => guess[i]![j]! - x));
  return Math.hypot(...off.flat()) / Math.hypot(...truth.flat());
}

/** Σ λ w wᵀ. */
const outer = (values: readonly number[], vectors: readonly (readonly number[])[]) =>
  vectors[0]!.map((_, i) =>
    vectors[0]!.map((_unused, j) =>
      values.reduce((total, value, v) => total + value * vectors[v]![i]! * vectors[v]![j]!, 0),
    ),
  );

/** Unit vectors orthogonal to these and to each other, as many as there are, by Gram and Schmidt. */
function complement(given: readonly (readonly number[])[], d: number): number[][] {
  const basis: number[][] = [];
  const found: number[][] = [];
  const axes = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_unused, j) => Number(i === j)),
  );
  for (const [n, vector] of [...given, ...axes].entries()) {
    let rest = [...vector];
    for (let pass = 0; pass < 2; pass += 1) {
      for (const one of basis) {
        const along = dot(rest, one);
        rest = rest.map((x, i) => x - along * one[i]!);
      }
    }
    const length = Math.hypot(...rest);
    if (length < 1e-3) continue;
    basis.push(rest.map((x) => x / length));
    if (n >= given.length) found.push(basis.at(-1)!);
  }
  return found;
}

describe('two one-hot groups, whose sums everybody knows', () => {
  const groups = [5, 4];
  const d = 9;
  const rows = Array.from({ length: 400 }, (_, n) => {
    const first = Math.floor(((n * 48_271) % 65_537) / 9000) % 5;
    const second = (first + (n % 7)) % 4;
    return [first, second].flatMap((held, g) =>
      Array.from({ length: groups[g]! }, (_unused, i) => (i === held ? UNIT : -UNIT)),
    );
  });
  const nullSpace = [0, 1].map((g) => Array.from({ length: d }, (_, i) => Number(i < 5 === (g === 0))));
  const program = programFor(METHODS.pca, d, { components: 6, outputs: ['spectrum'] });
  const statistics = sum(program, rows);
  const S = totalScatter(statistics, program.fractionBits);

  it('have rank 7, and 6 eigenpairs with the spectrum are S̄', () => {
    const { vectors, eigenvalues, spectrum } = decompose(program, statistics);
    const last = complement([...vectors, ...nullSpace], d);
    expect(last).toHaveLength(1);
    const guess = outer([...eigenvalues, spectrum![6]!], [...vectors, last[0]!]);
    expect(relativeError(guess, S)).toBeLessThan(1e-9);
  });

  it('so is the mean instead of the spectrum: one variance gives the last eigenvalue', () => {
    const outputs = ['mean', 'sampleCount'] as const;
    const { vectors, eigenvalues, mean, sampleCount } = decompose({ ...program, outputs }, statistics);
    const [last] = complement([...vectors, ...nullSpace], d) as [number[]];
    const variance = sampleCount! * (1 - mean![0]! ** 2);
    const value = (variance - outer(eigenvalues, vectors)[0]![0]!) / last[0]! ** 2;
    expect(relativeError(outer([...eigenvalues, value], [...vectors, last]), S)).toBeLessThan(1e-9);
  });

  it.each<[number, readonly Output[], number, boolean]>([
    [6, ['spectrum'], 0, false],
    [6, ['trace'], 0, false],
    [6, [], 1, false],
    [6, [], 0, true],
    [5, ['spectrum'], 0, true],
    [5, ['spectrum'], 1, false],
    [5, ['mean'], 2, true],
    [4, ['mean'], d, false],
    [3, [], d, true],
  ])(
    '%i components with %j, %i features of two values: released is %s',
    (components, outputs, twoValued, isReleased) => {
      const guarded = { ...program, components, outputs, allowFullRank: false, twoValued };
      const release = () => decompose(guarded, statistics);
      if (isReleased) expect(release()).toMatchObject({ eigenvalues: { length: components } });
      else expect(release).toThrow(expect.objectContaining({ code: 'ERR_FULL_RANK' }));
    },
  );
});

it('an angle that is left follows from one variance, but for a choice of two', () => {
  const rows = Array.from({ length: 60 }, (_, n) => {
    const [a, b] = [Math.sin(n * n), Math.cos(3 * n + 1)];
    return [a, (a + b) / 2, b / 3 + Math.sin(7 * n) / 4, a + b + Math.sin(5 * n) > 0.3 ? 1 : -1].map((x) =>
      Math.round(x * UNIT),
    );
  });
  const outputs = ['spectrum', 'mean', 'sampleCount'] as const;
  const program = programFor(METHODS.pca, 4, { components: 2, outputs });
  const statistics = sum(program, rows);
  const { vectors, spectrum, mean, sampleCount } = decompose(program, statistics);
  const [p, q] = complement(vectors, 4) as [number[], number[]];
  const known = outer(spectrum!.slice(0, 2), vectors);
  const wanted = sampleCount! * (1 - mean![3]! ** 2) - known[3]![3]!;
  // With the unknown vectors p cos θ + q sin θ and q cos θ − p sin θ: centre + half · ‖(p₃, q₃)‖² cos(2θ − 2φ) is what is left of the variance.
  const [centre, half] = [spectrum![2]! + spectrum![3]!, spectrum![2]! - spectrum![3]!].map((x) => x / 2) as [
    number,
    number,
  ];
  const square = p[3]! ** 2 + q[3]! ** 2;
  const turn = Math.acos(Math.min(1, Math.max(-1, (wanted / square - centre) / half))) / 2;
  const guesses = [turn, -turn].map((more) => {
    const angle = Math.atan2(q[3]!, p[3]!) + more;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return outer(spectrum!, [
      ...vectors,
      p.map((x, i) => x * c + q[i]! * s),
      p.map((x, i) => q[i]! * c - x * s),
    ]);
  });
  const S = totalScatter(statistics, program.fractionBits);
  expect(Math.min(...guesses.map((guess) => relativeError(guess, S)))).toBeLessThan(1e-9);
  const guarded = (twoValued: number): Program => ({ ...program, allowFullRank: false, twoValued });
  expect(() => decompose(guarded(1), statistics)).toThrow(
    expect.objectContaining({
      code: 'ERR_FULL_RANK',
      message: expect.stringMatching(/got \d+: propose a task with fewer components or outputs, /),
    }),
  );
  expect(decompose(guarded(0), statistics).vectors).toEqual(vectors);
});

const outputsOf = fc.subarray<Output>(['mean', 'trace', 'sampleCount', 'spectrum']);

describe('the least rank', () => {
  it('leaves more unknowns than equations, and no lower one does', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), outputsOf, (components, twoValued, outputs) => {
        const m =
          methodOf({ method: METHODS.pca }).leastRank({ featureCount: 8, components, outputs, twoValued }) -
          components;
        const hasSpectrum = outputs.includes('spectrum');
        const unknowns = (n: number) => (n * (hasSpectrum ? n - 1 : n + 1)) / 2;
        const equations = twoValued + Number(outputs.includes('trace') && !hasSpectrum);
        expect(m).toBeGreaterThanOrEqual(hasSpectrum ? 2 : 1);
        expect(unknowns(m)).toBeGreaterThan(equations);
        expect(unknowns(m - 1)).toBeLessThanOrEqual(equations);
      }),
    );
  });

  it('is where the reference begins to release', () => {
    const arbitrary = fc.record({
      rank: fc.integer({ min: 0, max: 8 }),
      components: fc.integer({ min: 1, max: 8 }),
      twoValued: fc.nat(8),
      outputs: outputsOf,
    });
    fc.assert(
      fc.property(arbitrary, ({ rank, components, twoValued, outputs }) => {
        // ± along so many axes; the other features never vary.
        const rows = Array.from({ length: 2 * rank || 2 }, (_, n) =>
          Array.from({ length: 8 }, (_unused, i) =>
            i === n >> 1 && i < rank ? (1 - 2 * (n % 2)) * (UNIT - i) : 0,
          ),
        );
        const program = programFor(METHODS.pca, 8, { components, outputs, twoValued, allowFullRank: false });
        const release = () => decompose(program, sum(program, rows));
        if (rank >= methodOf(program).leastRank(program)) expect(release().vectors).toHaveLength(components);
        else expect(release).toThrow(expect.objectContaining({ code: 'ERR_FULL_RANK' }));
      }),
    );
  });
});
