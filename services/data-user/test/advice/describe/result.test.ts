/** A result as people see it, and as a table. */
import { madeUpProjection, madeUpTask } from '@eigenveil/made-up/tasks';
import { csvOf } from '@eigenveil/projection';
import { floorInWords } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { remarksOf } from '../../../src/advice/describe/caveats.ts';
import { describeResult } from '../../../src/advice/describe/result.ts';

type Given = Parameters<typeof madeUpProjection>;

function resultOf(task: Given[0], eigenvalues: number[], changes: Given[2] = {}) {
  const projection = madeUpProjection(task, eigenvalues, changes);
  return { task, projection, verifiedOwners: 7, remarks: remarksOf(task, projection) };
}

const differentialPrivacy = {
  epsilon: 2,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;

test('a PCA has a scree plot, with shares of the variance and what is beyond where that is declared', () => {
  const task = madeUpTask('pca', 4, { components: 2 });
  const spectrum = [4, 2, 1.5, 0.5];
  expect(describeResult(resultOf(task, [4, 2], { spectrum, sampleCount: 150 }))).toBe(
    `task ${task.id}: pca of the covariance matrix of 4 features, by garbled
${floorInWords(task)}
7 owners, as the CSP has verified
150 rows

component    eigenvalue    share
        1       4.00000   50.0 %  ${'█'.repeat(40)}
        2       2.00000   25.0 %  ${'█'.repeat(20)}
the components have 75.0 % of the variance
beyond the components:
        3       1.50000  ${'░'.repeat(15)}
        4      0.500000  ${'░'.repeat(5)}
an estimate from the eigenvalues that are declared: rounding the rows to 2^-14 turns the components by 7e-5 rad at most`,
  );
  expect(describeResult(resultOf(task, [4, 2], { trace: 16 }))).toMatch(/4\.00000 {3}25\.0 %.*\n.*12\.5 %/);
  expect(describeResult(resultOf(task, [4, 2]))).not.toMatch(/share|%|beyond/);
});

test('eigenvalues below zero have no bar, and none of zeros does', () => {
  const task = madeUpTask('pca', 3);
  expect(describeResult(resultOf(task, [2, 1, -0.5]))).toMatch(/3 {5}-0\.500000$/m);
  expect(describeResult(resultOf(task, [0, 0]))).not.toContain('█');
});

test('classes have their names, remarks their components, and a guarantee what it has spent', () => {
  const task = madeUpTask('lda', 4, { components: 2 });
  const text = describeResult(resultOf(task, [0.5, 0], { classCounts: [[5, 0, 7]] }));
  expect(text).toContain('rows by label: class 0 5, class 1 0, class 2 7');
  expect(text).toMatch(
    /\n\nnote: component 2: its eigenvalue is no larger than the ridges alone.*\nnote: component 2: /,
  );
  const pca = madeUpTask('pca', 5);
  expect(describeResult(resultOf(pca, [9, 9, 5, 2, 2]))).toMatch(
    /note: components 1 to 2: .*\nnote: components 4 to 5: /,
  );
  expect(describeResult(resultOf(madeUpTask('pca', 4, { differentialPrivacy }), [9]))).toContain(
    '(ε, δ) = (2, 0.000001), all of which is spent',
  );
});

describe('under differential privacy', () => {
  const task = madeUpTask('pca', 4, { components: 2, differentialPrivacy });
  const mean = [0.1, 0.2, 0, 0.3];
  const declared = { trace: 9000, mean, sampleCount: 2000 };

  test('shares have intervals, what they are of is said, and rows have a ±', () => {
    const text = describeResult(resultOf(task, [6000, 2000], declared));
    expect(text).toMatch(/^2000 ± \d\d rows, as far as the noise lets one tell \(two deviations of it\)$/m);
    expect(text).toMatch(/^ +1 +6000\.00 {2}66\.\d % \(\d\d\.\d to \d\d\.\d\) {2}█+$/m);
    expect(text).toMatch(
      /^the components have 88\.\d % \(\d\d\.\d to \d\d\.\d\) of the variance of the rows as they were clipped; the bias of the noise is subtracted, and intervals are two deviations of it$/m,
    );
    expect(csvOf(resultOf(task, [6000, 2000], declared))).toMatch(
      /^component,eigenvalue,variance_share,variance_share_from,variance_share_to,converged.*\n1,6000,0\.66\d*,0\.6\d*,0\.6\d*,/,
    );
    const replace = { ...differentialPrivacy, neighbours: 'replace' } as const;
    const exactCount = { ...task, differentialPrivacy: replace };
    expect(describeResult(resultOf(exactCount, [6000, 2000], declared))).toMatch(/^2000 rows$/m);
  });

  test('what cannot be told is not', () => {
    const text = describeResult(resultOf(task, [6000, 1], declared));
    expect(text).toMatch(/^ +2 +1\.00000 {8}\?$/m);
    expect(text).toContain(
      'how much of the variance the components have cannot be told: the last of them has an eigenvalue no larger than the noise',
    );
    expect(csvOf(resultOf(task, [6000, 1], declared)).split('\n')[2]).toMatch(/^2,1,,,,/);
    expect(describeResult(resultOf(task, [6000, 2000], { trace: 9000 }))).toContain(
      'cannot be told: the noise on it depends on the mean',
    );
  });

  test('numbers of rows by class have a ±, too', () => {
    const lda = madeUpTask('lda', 4, { components: 1, differentialPrivacy });
    const text = describeResult(resultOf(lda, [0.5], { classCounts: [[50, 70, 80]] }));
    expect(text).toMatch(/^rows by label: class 0 50 ± (\d+), class 1 70 ± \1, class 2 80 ± \1, as far as/m);
  });
});

test('a table has a line per component, with its vector by feature', () => {
  const task = madeUpTask('pca', 3, { components: 2 });
  const features = [{ ...task.features[0]!, name: 'length, "cm"' }, ...task.features.slice(1)];
  const result = resultOf({ ...task, features }, [4, 4], { trace: 16, converged: [true, true] });
  expect(csvOf(result)).toBe(
    `component,eigenvalue,variance_share,converged,remarks,"vector length, ""cm""",vector f1,vector f2
1,4,0.25,true,mixed,1,0,0
2,4,0.25,true,mixed,0,1,0`,
  );
  expect(csvOf(resultOf(task, [4])).split('\n')[1]).toBe('1,4,,,,1,0,0');
});

test('a feature whose values spread over a small part of its range is named, where the result tells it', () => {
  const task = madeUpTask('pca', 3, { components: 2 });
  // The third feature has no part in the components, and all others leave next to nothing.
  const vectors = [
    [1, 0, 0],
    [0, 1, 0],
  ];
  const changes = { vectors, trace: 60.001, sampleCount: 100 };
  const name = JSON.stringify(task.features[2]!.name);
  expect(describeResult(resultOf(task, [40, 20], changes))).toMatch(
    new RegExp(`\\nnote: the values of ${name} spread over less than a hundredth of its range`),
  );
  for (const other of [
    { ...changes, trace: 90 },
    { vectors, trace: 60.001 },
    { vectors, sampleCount: 100 },
  ])
    expect(describeResult(resultOf(task, [40, 20], other))).not.toContain('spread over');
});
