import { type MethodParameters, methodOf } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { cappedComponents, type Program, programOf } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { decompose } from '../src/index.ts';
import { METHODS, programFor, sum } from './samples.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });
const dca = (form: 'standard' | 'book', ridge: number, signalRidge: number): MethodParameters => ({
  kind: 'dca',
  form,
  ridge,
  signalRidge,
});

describe('programs', () => {
  it.each([
    [METHODS.pca, [], 5, 5],
    [METHODS.dca, [3], 5, 2],
    [METHODS.dca, [9], 5, 5],
    [dca('standard', 1, 0.1), [3], 5, 5],
    [dca('standard', 1, -0.1), [3], 5, 5],
    [dca('book', 1, 0), [3], 5, 5],
    [METHODS.lda, [4], 5, 3],
    [METHODS.mdr, [2, 7], 5, 1],
  ] as const)(
    '%o with classes %o has at most the components of its rank',
    (method, classCounts, d, expected) => {
      const program = programFor(method, d, { classCounts });
      expect(methodOf(program).maximumComponents(program)).toBe(expected);
      expect(cappedComponents(program)).toBe(expected);
      expect(cappedComponents({ ...program, components: 1 })).toBe(1);
    },
  );

  it('come from tasks', () => {
    const labelling = (column: string, ...classes: string[]) => ({ column, classes });
    const task = {
      method: METHODS.mdr,
      features: [
        { name: 'a', min: 0, max: 1, twoValued: false },
        { name: 'b', min: 0, max: 1 },
        { name: 'c', min: 1, max: 1 },
      ],
      labellings: [labelling('u', 'x', 'y', 'z'), labelling('p', 'q', 'r')],
      fractionBits: 10,
      maximumOwners: 3,
      maximumSamplesPerOwner: 100,
      components: 2,
      outputs: ['mean'],
      minimumOwners: 3,
      allowFullRank: false,
    } as const;
    expect(programOf(task)).toEqual({
      method: METHODS.mdr,
      featureCount: 3,
      classCounts: [3, 2],
      components: 2,
      fractionBits: 10,
      outputs: ['mean'],
      minimumOwners: 3,
      allowFullRank: false,
      twoValued: 1,
    });
  });

  const pca = programFor(METHODS.pca, 2);
  const statistics = sum(pca, [
    [1, 2],
    [3, 5],
  ]);

  it.each([
    ['more components than features', { components: 3 }, 'ERR_TOO_MANY_COMPONENTS'],
    ['no components', { components: 0 }, 'ERR_TASK_INVALID'],
    ['half a component', { components: 1.5 }, 'ERR_TASK_INVALID'],
    ['no owners', { minimumOwners: 0 }, 'ERR_TASK_INVALID'],
    ['classes for PCA', { classCounts: [2] }, 'ERR_TASK_INVALID'],
    ['one class', { method: METHODS.lda, classCounts: [1] }, 'ERR_TASK_INVALID'],
    ['one labelling for MDR', { method: METHODS.mdr, classCounts: [2] }, 'ERR_TASK_INVALID'],
    ['a negative ridge', { method: { kind: 'lda', ridge: -1 }, classCounts: [2] }, 'ERR_TASK_INVALID'],
    [
      'no number as ridge',
      { method: { kind: 'lda', ridge: Number.NaN }, classCounts: [2] },
      'ERR_TASK_INVALID',
    ],
    [
      'an endless signal ridge',
      { method: dca('book', 1, Number.POSITIVE_INFINITY), classCounts: [2] },
      'ERR_TASK_INVALID',
    ],
    ['class counts of a PCA', { outputs: ['classCounts'] }, 'ERR_TASK_INVALID'],
    [
      'the trace of MDR',
      { method: METHODS.mdr, classCounts: [2, 2], outputs: ['trace'] },
      'ERR_TASK_INVALID',
    ],
    ['more owners than came', { minimumOwners: 2 }, 'ERR_MINIMUM_OWNERS'],
    ['statistics of other features', { featureCount: 3 }, 'ERR_STATISTICS_INVALID'],
    ['statistics of another method', { method: METHODS.lda, classCounts: [2] }, 'ERR_STATISTICS_INVALID'],
    ['as many components as features', { components: 2, allowFullRank: false }, 'ERR_FULL_RANK'],
    ['as many components as the rank', { components: 1, allowFullRank: false }, 'ERR_FULL_RANK'],
  ] satisfies [string, Partial<Program>, string][])('refuses %s', (_, overrides, expected) => {
    expect(() => decompose({ ...pca, ...overrides }, statistics)).toThrow(code(expected));
  });

  it('refuses statistics that no rows have', () => {
    const labelled = programFor(METHODS.mdr, 1, { classCounts: [2, 2] });
    const V = (value: bigint, M: bigint) => ({ V: [value], M });
    const of = (...labellings: Statistics['labellings']): Statistics => ({ R: [], labellings, owners: 1n });
    const good = [V(3n, 2n), V(-1n, 1n)];
    const bad = [
      of(good, [V(3n, 4n), V(-1n, -1n)]),
      of(good, [V(3n, 3n), V(-1n, 0n)]),
      of(good, [V(3n, 2n), V(0n, 1n)]),
      of(good, [V(3n, 2n), V(-1n, 2n)]),
    ];
    expect(decompose(labelled, of(good, good)).eigenvalues).toHaveLength(1);
    for (const broken of bad)
      expect(() => decompose(labelled, broken)).toThrow(code('ERR_STATISTICS_INVALID'));
    const empty = of([V(0n, 0n), V(0n, 0n)], [V(0n, 0n), V(0n, 0n)]);
    expect(() => decompose(labelled, empty)).toThrow(code('ERR_NO_SAMPLES'));
  });
});
