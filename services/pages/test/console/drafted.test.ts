/** The warnings of a draft stand where its task is created, as far as they still hold. */
import { TaskProposal } from '@eigenveil/task/schema';
import { expect, test } from 'vitest';
import { type Drafted, warningsOf } from '../../src/console/draft/drafted.ts';

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
  ranges: new Map(['a', 'b', 'c', 'd'].map((name) => [name, { min: 0, max: 1 }])),
  following: [
    { name: 'c', why: 'is a copy of "a"' },
    { name: 'd', why: 'is a copy of "b"' },
  ],
  notes: ['ρ = 2 is of the sample'],
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
