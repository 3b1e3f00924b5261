/** Features by pattern: a file says them in few words, and nothing else is meant by them. */
import type { Feature } from '@eigenveil/methods';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { featureRuns, ProposalFile } from '../src/index.ts';

const file = (features: unknown) => ({
  method: { kind: 'pca' },
  features,
  components: 1,
  maximumOwners: 3,
  maximumSamplesPerOwner: 100,
  minimumOwners: 2,
  deadline: '2030-01-01T00:00:00.000Z',
});
const featuresOf = (features: unknown) => ProposalFile.parse(file(features)).features;
const pixel = (changes: object = {}) => ({ name: 'pixel_#', min: 0, max: 255, ...changes });

describe('a file', () => {
  test('has features by a pattern of their names, in the order in which they count up', () => {
    expect(
      featuresOf([{ name: 'age', min: 0, max: 120 }, pixel({ count: 3, from: 9, twoValued: false })]),
    ).toEqual([
      { name: 'age', min: 0, max: 120 },
      ...[9, 10, 11].map((i) => ({ name: `pixel_${i}`, min: 0, max: 255, twoValued: false })),
    ]);
    expect(featuresOf([pixel({ count: 2, name: '$&#' })]).map(({ name }) => name)).toEqual(['$&0', '$&1']);
    expect(featuresOf([pixel({ count: 10_000 })])).toHaveLength(10_000);
    expect(featuresOf([pixel()])).toEqual([pixel()]); // a name like others, where nothing is to be counted
  });

  test.each<[string, object[]]>([
    ['no place for a number', [pixel({ count: 3, name: 'pixel' })]],
    ['two places for a number', [pixel({ count: 3, name: 'pixel_#_#' })]],
    ['a first number and nothing to count', [pixel({ from: 3 })]],
    ['a name that becomes too long', [pixel({ count: 101, name: `${'a'.repeat(126)}#` })]],
    ['more features than there can be', [pixel({ count: 9_999 }), pixel({ count: 2, name: 'b#' })]],
    ['a range that is none', [pixel({ count: 3, min: 256 })]],
  ])('is refused with %s', (_, features) => {
    expect(ProposalFile.safeParse(file(features)).success).toBe(false);
  });

  test('takes names of 128 characters, as tasks do', () => {
    const run = pixel({ count: 100, name: `${'a'.repeat(126)}#` });
    const features = ProposalFile.parse(file([run, pixel({ name: 'b'.repeat(128) })])).features;
    expect(features.map(({ name }) => name.length)).toEqual([
      ...[...new Array(10).fill(127), ...new Array(90).fill(128)],
      128,
    ]);
  });
});

test('runs read back as the very features, whatever these are', () => {
  const name = fc.oneof(
    fc.integer({ min: 0, max: 12 }).map((i) => `p${i}`),
    fc.integer({ min: 0, max: 12 }).map((i) => `p0${i}q`),
    fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('#', '0', '1', '9', 'a') }),
  );
  const grain = fc.constantFrom<Feature['grain'][]>(1, 2, 'cell');
  const feature = fc.record({ name, max: fc.integer({ min: 1, max: 2 }), grain });
  const run = fc
    .record({
      prefix: fc.constantFrom('p', 'x1_', '#'),
      from: fc.integer({ min: 0, max: 120 }),
      count: fc.integer({ min: 1, max: 15 }),
    })
    .chain((of) => grain.map((all) => ({ ...of, all })))
    .map(({ prefix, from, count, all }) =>
      Array.from({ length: count }, (_, i) => ({
        name: `${prefix}${from + i}`,
        max: 1,
        grain: i < 9 ? all : 1,
      })),
    );
  const features = fc
    .array(
      fc.oneof(
        run,
        feature.map((one) => [one]),
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.flat().map((one): Feature => ({ ...one, min: 0 })));
  fc.assert(
    fc.property(features, (all) => {
      expect(featuresOf(featureRuns(all))).toEqual(all);
    }),
  );
});

test('ten thousand pixels are one entry', () => {
  const all = Array.from({ length: 10_000 }, (_, i) => ({ name: `pixel_${i + 1}`, min: 0, max: 255 }));
  expect(featureRuns(all)).toEqual([{ name: 'pixel_#', min: 0, max: 255, count: 10_000, from: 1 }]);
});
