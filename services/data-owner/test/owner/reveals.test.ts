/** What is said of a task holds what the tables of docs/security and docs/rotated.md say that it reveals. */

import { METHODS, madeUpTask } from '@eigenveil/made-up/tasks';
import { methodOf, Output, type ProjectionKind } from '@eigenveil/methods';
import type { Task } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { revealedBy } from '../../src/index.ts';
import { describeFeatures } from '../../src/owner/reveals.ts';

const KINDS = Object.keys(METHODS) as ProjectionKind[];
const taskOf = (kind: ProjectionKind, changes: Partial<Task> = {}) =>
  madeUpTask(kind, 4, { components: 2, ...changes });
const told = (task: Task) => revealedBy(task).dataUser.join('\n');

describe('the data user', () => {
  test.each(KINDS)('of %s by garbled learns the components alone', (kind) => {
    const [components, ...rest] = revealedBy(taskOf(kind)).dataUser;
    expect(components).toMatch(/^2 vectors with their eigenvalues and a status bit for each/);
    expect(rest).toEqual([
      expect.stringMatching(/^a floor for 2 releases over the same rows: both servers add noise/),
      expect.stringMatching(/^who contributes/),
      expect.stringMatching(/^no contribution, and no pooled statistics/),
    ]);
  });

  test('of a method with fewer directions learns no more of them', () => {
    const two = [{ column: 'label', classes: ['x', 'y'] }];
    expect(told(taskOf('dca', { labellings: two }))).toMatch(/^1 vector with its eigenvalue/);
  });

  test.each(KINDS)('of %s by rotated learns what its table says', (kind) => {
    const text = told(
      taskOf(kind, {
        twoParty: 'rotated',
        outputs: [...methodOf({ method: METHODS[kind] }).revealedByRotation],
      }),
    );
    const ofPencil = /lengths of the vectors, and all eigenvalues of the pencil, also beyond the components/;
    const ofClasses =
      /number of rows of each class; where an owner alone has rows of a class, that number is its own/;
    expect(text).toMatch(
      kind === 'mdr' ? /sum of both between-class scatters/ : /all 4 eigenvalues of the scatter/,
    );
    expect(text).toMatch(/the number of rows of all owners together/);
    expect(ofPencil.test(text)).toBe(kind !== 'pca');
    expect(ofClasses.test(text)).toBe(kind !== 'pca');
    expect(text).toMatch(/take part in one only/);
  });

  test('of a correlation matrix learns variances, declared or not', () => {
    const method = { kind: 'pca', scale: 'correlation' } as const;
    expect(told(taskOf('pca', { method }))).toMatch(/the variance of every feature, since vectors/);
    const rotated = taskOf('pca', {
      method,
      twoParty: 'rotated',
      outputs: [...methodOf({ method }).revealedByRotation],
    });
    expect(told(rotated)).toMatch(/all 4 eigenvalues of the correlation matrix/);
    expect(told(rotated)).toMatch(/the variance of each feature, exactly/);
  });

  test('of a sketch learns eigenvalues of both of its matrices', () => {
    const sketched = taskOf('pca', {
      sketch: { columns: 3 },
      outputs: ['mean', 'sampleCount'],
      twoParty: 'rotated',
    });
    expect(told(sketched)).toMatch(/^3 eigenvalues of each of two matrices of 3 columns/m);
    expect(told(sketched)).toMatch(/^vectors and eigenvalues are approximate/m);
    expect(told(taskOf('pca'))).not.toMatch(/approximate/);
  });

  test('is told every declared output in words, and what a mean or a full rank tells beyond itself', () => {
    for (const output of Output.options)
      expect(told(taskOf('pca', { outputs: [output] }))).toContain(`(declared: ${output})`);
    const twoValued = [{ name: 'a', min: 0, max: 1 }];
    expect(told(taskOf('pca', { outputs: ['mean'], features: twoValued }))).toMatch(/tells the variance/);
    expect(told(taskOf('pca', { outputs: ['mean'] }))).not.toMatch(/variance/);
    expect(told(taskOf('pca', { allowFullRank: true }))).toMatch(/the whole scatter matrix, which/);
    const exact = told(taskOf('pca', { exact: true, allowFullRank: true }));
    expect(exact).toMatch(/no floor \(exact\): .* the whole scatter matrix may follow/);
    expect(exact).not.toMatch(/the whole scatter matrix, which/);
  });

  test('of simulated learns the statistics themselves', () => {
    const text = told(taskOf('pca', { twoParty: 'simulated' }));
    expect(text).toMatch(/THE POOLED STATISTICS.*NOT private/);
    expect(text).not.toMatch(/no pooled statistics/);
  });
});

test('owners learn the result where it is released, with what is declared', () => {
  const released = revealedBy(taskOf('lda', { outputs: ['classCounts'] })).owners.join('\n');
  expect(released).toMatch(/what is declared: classCounts; and how many owners took part/);
  expect(revealedBy(taskOf('lda', { releaseToOwners: false })).owners).toEqual([
    'nothing: the result is not released to owners',
  ]);
});

test('of rows it is said whether anything bounds what is told of one, and whether classes stay hidden', () => {
  const rows = (task: Task) => revealedBy(task).rows.join('\n');
  expect(rows(taskOf('pca'))).toMatch(/^no differential privacy: nothing bounds/);
  expect(rows(taskOf('pca'))).toMatch(/takes 1\/2 of the whole that these rows may tell/);
  expect(rows(taskOf('pca', { exact: true, allowFullRank: true }))).toMatch(/takes 1 of the whole/);
  expect(rows(taskOf('dca'))).toMatch(/which classes an owner has rows of stays hidden/);
  expect(rows(taskOf('dca', { outputs: ['classCounts'] }))).not.toMatch(/stays hidden/);
  const differentialPrivacy = {
    epsilon: 0.5,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: 1.5,
    noise: 'owners',
    honestOwners: 4,
    dataIndependentRanges: true,
  } as const;
  const guaranteed = rows(taskOf('pca', { differentialPrivacy }));
  expect(guaranteed).toMatch(/\(0.5, 0.000001\) for one row more or less/);
  expect(guaranteed).toMatch(/by the owners, of whom 4 are relied on; rows longer than 1.5/);
  expect(guaranteed).toMatch(/no guarantee covers rows that are reduced/);
  const byCsp = taskOf('pca', {
    differentialPrivacy: { ...differentialPrivacy, noise: 'csp', honestOwners: null },
  });
  expect(rows(byCsp)).toMatch(/the CSP alone, against which nothing is promised/);
  expect(revealedBy(byCsp).csp.join()).toMatch(/all of the noise/);
});

describe('features', () => {
  const many = (count: number, rangeOf: (i: number) => number) =>
    describeFeatures(
      Array.from({ length: count }, (_, i) => ({ name: `p${i + 1}`, min: 0, max: rangeOf(i) })),
    );

  test('are listed one by one where they are few', () => {
    expect(many(5, () => 1)).toBe('p1 [0, 1], p2 [0, 1], p3 [0, 1], p4 [0, 1], p5 [0, 1]');
  });

  test('are listed by pattern where they are many, and no more than fit', () => {
    expect(many(4096, (i) => (i < 4000 ? 1 : 2))).toBe(
      'p# (# from 1 to 4000) [0, 1], p# (# from 4001 to 4096) [0, 2]',
    );
    expect(many(4096, (i) => i + 1)).toMatch(/^p1 \[0, 1\], .*, p200 \[0, 200\], and 3896 more$/);
  });
});
