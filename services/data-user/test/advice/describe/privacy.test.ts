import { TaskProposal } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { describeNoise } from '../../../src/advice/describe/privacy.ts';

const lines = (differentialPrivacy: Record<string, unknown> | null) =>
  describeNoise(
    TaskProposal.parse({
      method: { kind: 'pca' },
      features: ['a', 'b', 'c'].map((name) => ({ name, min: 0, max: 1 })),
      components: 2,
      maximumOwners: 10,
      maximumSamplesPerOwner: 100,
      minimumOwners: 5,
      deadline: '2030-01-01T00:00:00.000Z',
      differentialPrivacy: differentialPrivacy && {
        ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1 },
        ...{ dataIndependentRanges: true, ...differentialPrivacy },
      },
    }),
  ).join('\n');

test.each([
  ['servers', {}, /^each server adds noise of deviation 5.18 /],
  ['csp', {}, /^the CSP alone adds noise of deviation 5.18 /],
  ['owners', { honestOwners: 2 }, /^each owner adds .*; 2 owners are relied on/],
] as const)('noise of %s is said to be theirs', (noise, more, expected) => {
  const said = lines({ noise, ...more });
  expect(said).toMatch(expected);
  expect(said.includes('nothing is promised against the CSP')).toBe(noise === 'csp');
});

test('without differential privacy there is nothing to say', () => {
  expect(lines(null)).toBe('');
});
