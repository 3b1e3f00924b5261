/** The warnings of a draft stand where its task is created, as far as they still hold. */
import { newTaskId } from '@eigenveil/task';
import { Task, TaskProposal } from '@eigenveil/task/schema';
import { describe, expect, test } from 'vitest';
import { floorWords } from '../../src/common/task-words.ts';
import { checkProposal } from '../../src/console/create/check-proposal.ts';
import { type Drafted, outdatedWords, warningsOf } from '../../src/console/draft/drafted.ts';
import { withTitleOf } from '../../src/console/draft/first-draft.ts';
import { noiseWords } from '../../src/console/result/noise-words.ts';

const task = (changes: object = {}) =>
  TaskProposal.parse({
    method: { kind: 'pca' },
    features: ['a', 'b', 'c'].map((name) => ({ name, min: 0, max: 1, grain: 'cell' })),
    components: 1,
    minimumOwners: 2,
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    deadline: '2030-02-01T00:00:00Z',
    ...changes,
  });
const DRAFTED: Drafted = {
  file: new File([], 'sample.csv'),
  method: 'pca',
  ranges: new Map(['a', 'b', 'c', 'd'].map((name) => [name, { min: 0, max: 1 }])),
  following: [
    { name: 'c', why: 'is a copy of "a"' },
    { name: 'd', why: 'is a copy of "b"' },
  ],
  notes: ['ρ = 2 is of the sample'],
};

/** With consent to ranges from elsewhere. */
const PRIVACY = {
  ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1, honestOwners: null },
  ...{ noise: 'servers', dataIndependentRanges: true },
};

test('ranges of the sample, columns that follow from others, and notes are warned of', () => {
  expect(warningsOf(DRAFTED, task())).toEqual([
    expect.stringMatching(/^The ranges of 3 features of 3 are .* sample, and everybody/),
    expect.stringMatching(/^c is a copy of "a": /),
    'ρ = 2 is of the sample.',
  ]);
});

test('what somebody has changed since is not', () => {
  const features = ['a', 'b'].map((name) => ({ name, min: -1, max: 1, grain: 'cell' }));
  expect(warningsOf({ ...DRAFTED, notes: [] }, task({ features }))).toEqual([]);
});

test('consent to ranges that are still the sample’s is warned of, and asked for in words', () => {
  const noisy = task({ differentialPrivacy: PRIVACY });
  expect(warningsOf(DRAFTED, noisy)[1]).toMatch(
    /^The consent says .* those of 3 features of 3 are still the least and the largest value in the sample\./,
  );
  const known = noisy.features.map((it) => ({ ...it, max: 2 }));
  expect(warningsOf(DRAFTED, { ...noisy, features: known })).not.toContainEqual(
    expect.stringMatching(/^The consent/),
  );
  const unticked = { ...noisy, differentialPrivacy: { ...PRIVACY, dataIndependentRanges: false } };
  expect(checkProposal(JSON.stringify(unticked), new Date('2029-01-01'))).toMatchObject({
    faults: [{ beside: expect.stringMatching(/^Tick the box if/) }],
  });
});

test('a draft of another method than the one that is chosen by now says so', () => {
  expect(outdatedWords(DRAFTED, 'lda')).toMatch(/^This is still the draft of pca, and lda is chosen above/);
  expect(outdatedWords(DRAFTED, 'pca')).toBeNull();
  expect(outdatedWords(DRAFTED, null)).toBeNull();
});

test('the next draft keeps the title, and only that', () => {
  const next = '{"components":2}';
  expect(JSON.parse(withTitleOf('{"title":"Petals","components":1}', next))).toEqual({
    components: 2,
    title: 'Petals',
  });
  for (const before of ['', '{"components":1}', '{"title":']) expect(withTitleOf(before, next)).toBe(next);
});

describe('noise of a result', () => {
  const KEY = 'A'.repeat(43);
  const created = (changes: object) =>
    Task.parse({ ...task(changes), protocol: 'eigenveil/1', id: newTaskId(), csp: KEY, dataUser: KEY });
  test('is that of the floor where the task has one, in its facts and beside its result', () => {
    expect(floorWords(task({ exact: false }))).toBe(
      'noise of both servers, for 2 results over the same rows',
    );
    expect(noiseWords(created({ exact: false }), {})).toMatch(/^a floor for 2 releases .* eigenvalues up to/);
  });

  test('is none of an exact one', () => {
    expect(floorWords(task({ exact: true }))).toMatch(/^none: where values are whole/);
    expect(noiseWords(created({ exact: true }), {})).toMatch(/^none: the result is exact/);
  });

  test('is that of differential privacy alone where it is larger than the floor would be', () => {
    const withNoise = { exact: false, differentialPrivacy: PRIVACY };
    expect(floorWords(task(withNoise))).toMatch(/^none besides the noise of differential privacy/);
    expect(noiseWords(created(withNoise), {})).toMatch(/^for \(ε, δ\) = \(1, 0.000001\), .* or more$/);
  });
});
