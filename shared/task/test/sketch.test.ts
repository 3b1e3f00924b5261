/** What a task with a sketch must keep to, and that one without is as it was. */
import { draftedMethod, LIMITS } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import { describe, expect, test } from 'vitest';
import {
  checkTask,
  computedBounds,
  floorDeviation,
  floorOf,
  programOf,
  statisticsBounds,
  TASK_CODES,
  TaskProposal,
} from '../src/index.ts';

type Changes = Partial<Record<keyof TaskProposal, unknown>>;

const featuresOf = (count: number, changes: object = { twoValued: false }) =>
  Array.from({ length: count }, (_, i) => ({ name: `pixel_${i}`, min: 0, max: 255, ...changes }));

function proposal(changes: Changes = {}): TaskProposal {
  return TaskProposal.parse({
    method: { kind: 'pca' },
    features: featuresOf(30),
    sketch: { columns: 16 },
    exact: true,
    allowFullRank: true,
    components: 2,
    outputs: ['mean', 'sampleCount'],
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    minimumOwners: 3,
    twoParty: 'simulated',
    deadline: '2030-01-01T00:00:00.000Z',
    ...changes,
  });
}

function refusalOf(changes: Changes): string | undefined {
  try {
    checkTask(proposal(changes));
    return undefined;
  } catch (error) {
    return isOf(TASK_CODES, error) ? `${error.code} ${error.message}` : String(error);
  }
}

const dp = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  dataIndependentRanges: true,
};
const label = [{ column: 'label', classes: ['0', '1'] }];

describe('a sketched task', () => {
  test('is taken, with up to ten thousand features', () => {
    expect(refusalOf({})).toBeUndefined();
    expect(refusalOf({ twoParty: 'rotated' })).toBeUndefined();
    expect(refusalOf({ features: featuresOf(LIMITS.sketchedFeatures) })).toBeUndefined();
    expect(programOf(proposal()).sketch).toEqual({ columns: 16 });
    const floored = {
      exact: false,
      allowFullRank: false,
      features: featuresOf(100, { twoValued: false, grain: 'cell' }),
    };
    expect(refusalOf(floored)).toBeUndefined();
  });

  test('with a floor is computed in cells of its own, of which noise has what bits it needs', () => {
    const floored = proposal({
      ...{ exact: false, allowFullRank: false, twoParty: 'rotated' },
      features: featuresOf(100, { twoValued: false, grain: 'cell' }),
    });
    const { fractionBits, sumFractionBits } = floorOf(floored)!;
    expect([fractionBits, sumFractionBits]).toEqual([floored.fractionBits, floored.fractionBits]);
    const many = {
      ...floored,
      features: featuresOf(4096, { twoValued: false, grain: 'cell' }),
      sketch: { columns: 60 },
    };
    expect(() => computedBounds(many)).not.toThrow();
    const [exact, computed] = [statisticsBounds(floored), computedBounds(floored)];
    expect(computed.V).toBe(exact.V);
    // 22.6 deviations of both servers' noise, of √100 entries of R together at most.
    const noise = 22.6 * floorDeviation(floored) * 10;
    expect(Number(computed.Y - exact.Y)).toBeGreaterThanOrEqual(noise);
    expect(Number(computed.Y - exact.Y)).toBeLessThan(20 * noise);
  });

  test('a PCA of the covariance by rotated takes twice as many features without it as all others', () => {
    const without = { sketch: undefined, outputs: ['sampleCount', 'spectrum'] };
    const turned = { ...without, twoParty: 'rotated' };
    expect(refusalOf({ ...turned, features: featuresOf(400) })).toBeUndefined();
    expect(refusalOf({ ...turned, features: featuresOf(401) })).toContain('at most 400 without "sketch"');
    const correlation = { method: { kind: 'pca', scale: 'correlation' } };
    const discriminant = { method: { kind: 'lda', ridge: 1 }, labellings: label };
    for (const other of [correlation, discriminant, { twoParty: 'garbled' }, { twoParty: 'simulated' }])
      expect(refusalOf({ ...turned, ...other, features: featuresOf(201) })).toContain('at most 200');
  });

  test.each<[string, Changes, string]>([
    [
      'two hundred features without it',
      { sketch: undefined, features: featuresOf(201), outputs: [] },
      'at most 200 without "sketch"',
    ],
    [
      'a discriminant method',
      { method: { kind: 'lda', ridge: 1 }, labellings: label },
      'pca of the covariance',
    ],
    ['a correlation matrix', { method: { kind: 'pca', scale: 'correlation' } }, 'pca of the covariance'],
    ['garbled', { twoParty: 'garbled' }, 'rotated'],
    ['differential privacy', { differentialPrivacy: dp }, 'without differential privacy'],
    ['consent to the whole scatter by its rank', { exact: false }, '"allowFullRank" expected false'],
    [
      'a floor without grains',
      { exact: false, allowFullRank: false },
      '"features["pixel_0"].grain" expected',
    ],
    ['no mean', { outputs: ['sampleCount'] }, '"outputs" expected mean and sampleCount'],
    ['the spectrum, which nobody learns', { outputs: ['mean', 'sampleCount', 'spectrum'] }, 'no others'],
    [
      'as many columns as features that vary',
      { features: [...featuresOf(16), ...featuresOf(17, { max: 0 }).slice(16)] },
      'fewer than the 16 features',
    ],
    [
      'as many columns as rows less the mean',
      { maximumOwners: 3, maximumSamplesPerOwner: 5, sketch: { columns: 14 } },
      'than rows',
    ],
    [
      'two columns more than components, less one',
      { components: 15 },
      'ERR_FULL_RANK "sketch.columns" expected at least 17',
    ],
    [
      'features of two values, whose variances the mean tells',
      { features: featuresOf(100, {}) },
      'ERR_FULL_RANK "sketch.columns" expected at least 17',
    ],
  ])('is not with %s', (_, changes, message) => {
    expect(refusalOf(changes)).toContain(message);
  });

  test('takes 14 components of 16 columns, the most that leave something unknown', () => {
    expect(refusalOf({ components: 14 })).toBeUndefined();
  });

  test('has from 3 to 80 columns', () => {
    for (const columns of [2, 81, 3.5]) expect(() => proposal({ sketch: { columns } })).toThrow();
  });
});

test('drafts take three columns per component and ten, at most 80', async () => {
  const drafted = { features: [], ridge: 1, epsilon: undefined, delta: 1e-6 };
  const columns = async (components: number) =>
    (await draftedMethod('sketch', {}, { ...drafted, components })).sketch?.columns;
  expect(await Promise.all([1, 15, 20, 23, 24, 78].map(columns))).toEqual([13, 55, 70, 79, 80, 80]);
});
