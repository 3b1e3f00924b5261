import { expect, test } from 'vitest';
import { EarlierResult, featuresAround } from '../src/around.ts';

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
const refused = expect.objectContaining({ code: 'ERR_TASK_INVALID' });

test('ranges lie around the mean and hold all of the earlier ones; a mean beyond its range is its end', () => {
  const drafted = [features[2]!, { ...features[0]!, min: 3, max: 4 }, features[1]!];
  expect(featuresAround(earlier(), drafted)).toEqual([
    { name: 'c', min: 5, max: 5, twoValued: false },
    { name: 'a', min: -4, max: 16, twoValued: false },
    { name: 'b', min: -3, max: 1, twoValued: true },
  ]);
});

test.each([
  ['without differential privacy', { differentialPrivacy: null }, features],
  ['without its mean', { mean: undefined }, features],
  ['with another feature', {}, features.with(0, { ...features[0]!, name: 'd' })],
  ['with a feature more', {}, features.slice(1)],
])('an earlier task %s is refused', (_, changes, drafted) => {
  expect(() => featuresAround(earlier(changes), drafted)).toThrow(refused);
});
