import { calibrateRoundedGaussian } from '@eigenveil/privacy';
import { expect, test } from 'vitest';
import { draftAround, draftPrivacy, EarlierResult } from '../../../src/advice/draft/privacy.ts';

const features = [
  { name: 'a', min: 0, max: 10, twoValued: false },
  { name: 'b', min: -1, max: 1, twoValued: true },
  { name: 'c', min: 5, max: 5, twoValued: false },
];
const differentialPrivacy = {
  epsilon: 0.3,
  delta: 5e-7,
  neighbours: 'add-remove',
  clippingNorm: 1,
  dataIndependentRanges: true,
} as const;
const earlier = (changes: Record<string, unknown> = {}) =>
  EarlierResult.parse({ features, mean: [0.2, -1.5, 0], differentialPrivacy, vectors: [], ...changes });
const wanted = (drafted = features) => ({ features: drafted, epsilon: 1, delta: 1e-6 });
const refused = expect.objectContaining({ code: 'ERR_TASK_INVALID' });

test('ranges lie around the mean and hold all of the earlier ones; a mean beyond its range is its end', () => {
  const drafted = [features[2]!, { ...features[0]!, min: 3, max: 4 }, features[1]!];
  expect(draftAround(earlier(), wanted(drafted)).features).toEqual([
    { name: 'c', min: 5, max: 5, twoValued: false },
    { name: 'a', min: -4, max: 16, twoValued: false },
    { name: 'b', min: -3, max: 1, twoValued: true },
  ]);
});

test.each([
  [1e9, 1e9 + 10, 0.2],
  [1_700_000_000, 1_700_003_600, -0.7],
  [-123_456.75, -123_456.5, 0.999999999],
  [0, 1e-9, -3],
])('ranges from %s to %s around %s are twice as wide and hold these', (min, max, mean) => {
  const own = [{ name: 'a', min, max, twoValued: false }];
  const [around] = draftAround(earlier({ features: own, mean: [mean] }), wanted(own)).features;
  expect((around!.max - around!.min) / (max - min)).toBeCloseTo(2, 4);
  expect(around!.min).toBeLessThanOrEqual(min);
  expect(around!.max).toBeGreaterThanOrEqual(max);
});

test.each([0, 5, -0.1])('a feature that is always %s keeps its range', (at) => {
  const own = [{ name: 'a', min: at, max: at, twoValued: false }];
  expect(draftAround(earlier({ features: own, mean: [0.3] }), wanted(own)).features).toEqual(own);
});

test('two tasks clip to √(d/3) and to half of that, and their noise is that of one that spends ε', () => {
  const first = draftPrivacy(wanted(), true);
  expect(first.features).toEqual(features);
  const second = draftAround(earlier({ differentialPrivacy: first.differentialPrivacy }), wanted());
  expect(first.differentialPrivacy.clippingNorm).toBe(1);
  // In units of ranges twice as wide.
  expect(second.differentialPrivacy.clippingNorm).toBe(1 / 4);
  const precision = (epsilon: number) =>
    calibrateRoundedGaussian({ sensitivity: 1, epsilon, dpDelta: 1e-6 }) ** -2;
  const parts = [first, second].map(({ differentialPrivacy: { epsilon } }) => precision(epsilon));
  expect(parts[0]! + parts[1]!).toBeLessThanOrEqual(precision(1));
  expect(parts[0]! / precision(1)).toBeCloseTo(0.3, 2);
  expect(parts[1]! / precision(1)).toBeCloseTo(0.7, 2);
});

test('one task has all of ε', () => {
  expect(draftPrivacy(wanted(), false).differentialPrivacy).toMatchObject({ epsilon: 1, delta: 1e-6 });
});

test('nothing is drafted where the first task has spent everything', () => {
  const spent = { ...differentialPrivacy, epsilon: 1, delta: 1e-6 };
  expect(() => draftAround(earlier({ differentialPrivacy: spent }), wanted())).toThrow(
    expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
  );
});

test.each([
  [
    'of other neighbours',
    { differentialPrivacy: { ...differentialPrivacy, neighbours: 'replace' } },
    features,
  ],
  [
    'whose owners added noise',
    { differentialPrivacy: { ...differentialPrivacy, noise: 'owners', honestOwners: 2 } },
    features,
  ],
  ['without differential privacy', { differentialPrivacy: null }, features],
  ['without its mean', { mean: undefined }, features],
  ['with another feature', {}, features.with(0, { ...features[0]!, name: 'd' })],
  ['with a feature more', {}, features.slice(1)],
])('an earlier task %s is refused', (_, changes, drafted) => {
  expect(() => draftAround(earlier(changes), wanted(drafted))).toThrow(refused);
});
