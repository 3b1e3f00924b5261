import { expect, test } from 'vitest';
import { checkProposal, LARGEST_BYTES } from '../../src/console/create/check-proposal.ts';
import { MARKUP } from '../support/hostile.ts';

const now = new Date('2030-01-01T00:00:00Z');
const PROPOSAL = {
  method: { kind: 'pca' },
  features: ['a', 'b', 'c', 'd'].map((name) => ({ name, min: 0, max: 1 })),
  components: 1,
  minimumOwners: 2,
  maximumOwners: 10,
  maximumSamplesPerOwner: 100,
  exact: true,
  allowFullRank: true,
  deadline: '2030-02-01T00:00:00Z',
};
const written = (changes: object) => JSON.stringify({ ...PROPOSAL, ...changes }, null, 2);

/** What is wrong, and the text that it is shown at. */
function faultsOf(text: string) {
  const checked = checkProposal(text, now);
  if (checked.kind !== 'faulty') throw new Error(`expected faults, got ${checked.kind}`);
  return checked.faults.map(({ words, place }) => ({
    words,
    at: place && text.slice(place.start, place.end),
  }));
}

test('a proposal that the service takes is taken, with its defaults, and with the schema that editors want', () => {
  const checked = checkProposal(written({ $schema: 'x' }), now);
  expect(checked).toMatchObject({ kind: 'good', proposal: { keyBits: 3072, twoParty: 'garbled' } });
  expect(checked).not.toHaveProperty('proposal.$schema');
  expect(checkProposal(' \n', now)).toEqual({ kind: 'empty' });
});

test('each fault of form is shown at its member', () => {
  const features = [PROPOSAL.features[0], { name: 'b', min: 'low', max: 1 }, ...PROPOSAL.features.slice(2)];
  expect(faultsOf(written({ features, components: 1.5, [MARKUP]: 1 }))).toEqual([
    { words: '"features[1].min": expected a number, got a text', at: '"low"' },
    { words: '"components": expected a whole number, got a fraction', at: '1.5' },
    { words: expect.stringContaining('Unrecognized key'), at: expect.stringContaining('"method"') },
  ]);
});

test('what its form cannot say is shown at its member, too: the check is that of the service', () => {
  expect(faultsOf(written({ minimumOwners: 11 }))).toEqual([
    { words: expect.stringContaining('at most maximumOwners 10'), at: '11' },
  ]);
  expect(faultsOf(written({ keyBits: 1024 }))).toEqual([
    { words: expect.stringContaining('allowInsecureKey'), at: '1024' },
  ]);
  expect(faultsOf(written({ method: { kind: 'mdr', ridge: 0 } }))[0]!.at).not.toBeNull();
  const many = Array.from({ length: 101 }, (_, i) => ({ name: `f${i}`, min: 0, max: 1 }));
  expect(faultsOf(written({ features: many }))).toEqual([
    { words: expect.stringContaining('garbled'), at: JSON.stringify(many, null, 2).replaceAll('\n', '\n  ') },
  ]);
  expect(faultsOf(written({ deadline: '2029-12-31T00:00:00Z' }))).toEqual([
    { words: expect.stringContaining('future'), at: '"2029-12-31T00:00:00Z"' },
  ]);
});

test('all that its form cannot say is shown at once', () => {
  const changes = {
    minimumOwners: 11,
    keyBits: 1024,
    deadline: '2029-12-31T00:00:00Z',
    outputs: ['trace', 'trace'],
  };
  expect(faultsOf(written(changes)).map(({ at }) => at?.replaceAll(/\s/g, ''))).toEqual([
    '["trace","trace"]',
    '11',
    '1024',
    '"2029-12-31T00:00:00Z"',
  ]);
});

test('the way to mend it is one that this page has', () => {
  const [fault] = faultsOf(written({ exact: false, allowFullRank: false }));
  expect(fault!.words).toMatch(/^"features\["a"\]\.grain" expected .*: a draft from a sample has it; /);
});

test('what is no JSON, or far too long, is said without a place', () => {
  expect(faultsOf('{"method":')).toEqual([{ words: expect.stringMatching(/^This is no JSON/), at: null }]);
  expect(faultsOf(`"${'x'.repeat(LARGEST_BYTES)}"`)[0]!.at).toBeNull();
});
