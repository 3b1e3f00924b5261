import { isOf } from '@eigenveil/platform';
import { describe, expect, test } from 'vitest';
import { checkTask, TASK_CODES, TaskProposal } from '../src/index.ts';

const proposal = (changes: Record<string, unknown> = {}) =>
  TaskProposal.parse({
    method: { kind: 'pca' },
    features: features(0),
    components: 2,
    maximumOwners: 10,
    maximumSamplesPerOwner: 1000,
    minimumOwners: 3,
    twoParty: 'simulated',
    deadline: '2030-01-01T00:00:00.000Z',
    ...changes,
  });

/** Four features, of which so many take two values. */
const features = (twoValued: number) =>
  ['a', 'b', 'c', 'd'].map((name, i) => ({ name, min: -1, max: 1, grain: 'cell', twoValued: i < twoValued }));
const classes = [{ column: 'label', classes: ['0', '1'] }];
const dp = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  dataIndependentRanges: true,
};
const correlation = { kind: 'pca', scale: 'correlation' };
const dca = { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 };
const discriminant = { method: dca, labellings: classes, components: 1 };

function codeOf(changes: Record<string, unknown>): string | undefined {
  try {
    checkTask(proposal(changes));
    return undefined;
  } catch (error) {
    return isOf(TASK_CODES, error) ? error.code : undefined;
  }
}

const regression = { method: { kind: 'ridge', ridge: 1 }, components: 0 };

describe('a regression', () => {
  /** One column predicts another, both of two values: three entries of S̄. */
  const binary = { ...regression, features: features(2).slice(0, 2) };

  test.each([
    ['that is plain', {}],
    ['with all outputs that it has', { outputs: ['mean', 'trace', 'sampleCount'] }],
    ['without a ridge', { method: { kind: 'ridge', ridge: 0 } }],
    ['of one feature', { features: features(0).slice(0, 2), outputs: ['mean', 'trace'] }],
  ])('%s is taken', (_, changes) => {
    expect(codeOf({ ...regression, ...changes })).toBeUndefined();
  });

  test.each([
    ['with components', { components: 1 }],
    ['of one column', { features: features(0).slice(0, 1) }],
    ['with labels', { labellings: classes }],
    ['with a spectrum', { outputs: ['spectrum'] }],
    ['with rows by class', { outputs: ['classCounts'] }],
    ['with variances', { outputs: ['variances'] }],
    ['with differential privacy', { differentialPrivacy: dp }],
    ['of components', { basis: 'A'.repeat(43) }],
    ['of a sketch', { sketch: { columns: 3 }, twoParty: 'rotated' }],
    [
      'without a ridge, of a feature that does not vary',
      {
        method: { kind: 'ridge', ridge: 0 },
        features: [{ name: 'still', min: 1, max: 1 }, ...features(0)],
      },
    ],
  ])('%s is refused', (_, changes) => {
    expect(codeOf({ ...regression, ...changes })).toBe('ERR_TASK_INVALID');
  });

  test('of outputs that determine the scatter matrix takes consent', () => {
    expect(codeOf(binary)).toBe('ERR_FULL_RANK');
    expect(codeOf({ ...binary, allowFullRank: true })).toBeUndefined();
    const one = { ...regression, features: features(1).slice(0, 2) };
    expect(codeOf({ ...one, outputs: ['mean'] })).toBeUndefined();
    expect(codeOf({ ...one, outputs: ['trace'] })).toBe('ERR_FULL_RANK');
  });

  test('may predict a column that does not vary, of which nothing comes', () => {
    const still = [...features(0), { name: 'still', min: 1, max: 1 }];
    expect(codeOf({ ...regression, method: { kind: 'ridge', ridge: 0 }, features: still })).toBeUndefined();
  });
});

describe('a proposal', () => {
  test('has safe defaults', () => {
    expect(proposal()).toMatchObject({
      keyBits: 3072,
      statisticalSecurityBits: 40,
      fractionBits: 14,
      allowInsecureKey: false,
      allowFullRank: false,
      exact: false,
      releases: 2,
      encryption: 'standard',
      outputs: [],
    });
    expect(codeOf({})).toBeUndefined();
  });

  test.each([
    ['unknown member', { colour: 'red' }],
    ['feature with min above max', { features: [{ name: 'a', min: 1, max: 0 }] }],
    [
      'feature range that is not finite',
      { features: [{ name: 'a', min: 0, max: Number.POSITIVE_INFINITY }] },
    ],
    ['too little statistical security', { statisticalSecurityBits: 39 }],
    ['a single owner', { minimumOwners: 1 }],
    ['half a component', { components: 1.5 }],
    ['an unknown two-party protocol', { twoParty: 'trusted' }],
    ['a spacing of nothing', { features: [{ name: 'a', min: 0, max: 1, grain: 0 }] }],
    ['a floor for no release', { releases: 0 }],
    ['the same class twice', { labellings: [{ column: 'label', classes: ['0', '0'] }] }],
    ['a deadline that is no time', { deadline: 'tomorrow' }],
    ['an unknown scale', { method: { kind: 'pca', scale: 'rank' } }],
    ['a scale of another method', { method: { ...dca, scale: 'correlation' }, labellings: classes }],
    [
      'differential privacy without consent to the ranges',
      { differentialPrivacy: { ...dp, dataIndependentRanges: false } },
    ],
    ['no ε', { differentialPrivacy: { ...dp, epsilon: undefined } }],
    ['ε = 0', { differentialPrivacy: { ...dp, epsilon: 0 } }],
    ['ε too large to mean anything', { differentialPrivacy: { ...dp, epsilon: 101 } }],
    ['δ below 0', { differentialPrivacy: { ...dp, delta: -1e-9 } }],
    ['δ too large to mean anything', { differentialPrivacy: { ...dp, delta: 0.02 } }],
    ['rows of no length', { differentialPrivacy: { ...dp, clippingNorm: 0 } }],
    ['an unknown neighbouring relation', { differentialPrivacy: { ...dp, neighbours: 'similar' } }],
    ['a control character in a name', { features: [{ name: 'a\u0000', min: 0, max: 1 }] }],
  ])('with %s is refused', (_name, changes) => {
    expect(() => proposal(changes)).toThrow();
  });

  test('a deadline that is no time is told how to write one', () => {
    expect(() => proposal({ deadline: 'tomorrow' })).toThrow(
      /expected a date and time in UTC, such as 2027-01-01T00:00:00Z/,
    );
  });

  test.each([
    ['ERR_TASK_INVALID', 'pca with labels', { labellings: classes }],
    ['ERR_TASK_INVALID', 'dca without labels', { method: dca }],
    [
      'ERR_TASK_INVALID',
      'mdr with one labelling',
      { method: { kind: 'mdr', ridge: 1 }, labellings: classes },
    ],
    [
      'ERR_TASK_INVALID',
      'a label column that is a feature',
      { method: dca, labellings: [{ ...classes[0], column: 'a' }] },
    ],
    ['ERR_TASK_INVALID', 'class counts of pca', { outputs: ['classCounts'] }],
    [
      'ERR_PROGRAM_INVALID',
      'rotated without the spectrum',
      { twoParty: 'rotated', outputs: ['sampleCount'] },
    ],
    [
      'ERR_PROGRAM_INVALID',
      'dca by rotated without class counts',
      { ...discriminant, twoParty: 'rotated', outputs: ['sampleCount', 'spectrum'] },
    ],
    ['ERR_TASK_INVALID', 'an output twice', { outputs: ['mean', 'mean'] }],
    ['ERR_TASK_INVALID', 'a minimum above the maximum', { minimumOwners: 11 }],
    [
      'ERR_TASK_INVALID',
      'more samples than are exact',
      { maximumOwners: 10_000_000, maximumSamplesPerOwner: 1_000_000_000 },
    ],
    ['ERR_KEY_TOO_SHORT', 'a short key without consent', { keyBits: 1024 }],
    ['ERR_TOO_MANY_COMPONENTS', 'more components than features', { components: 5 }],
    ['ERR_FULL_RANK', 'all components without consent', { components: 4 }],
    ['ERR_FULL_RANK', 'all but one with the trace', { components: 3, outputs: ['trace'] }],
    ['ERR_FULL_RANK', 'all but one with the spectrum', { components: 3, outputs: ['spectrum'] }],
    [
      'ERR_FULL_RANK',
      'all but two of features that may have two values',
      { features: features(0).map(({ twoValued: _, ...it }) => it) },
    ],
    [
      'ERR_FULL_RANK',
      'the same of one such feature and the spectrum',
      { features: features(1), outputs: ['spectrum'] },
    ],
    [
      'ERR_TASK_INVALID',
      'honest owners where servers add noise',
      { differentialPrivacy: { ...dp, honestOwners: 3 } },
    ],
    [
      'ERR_TASK_INVALID',
      'honest owners where the CSP adds noise',
      { differentialPrivacy: { ...dp, noise: 'csp', honestOwners: 3 } },
    ],
    [
      'ERR_TASK_INVALID',
      'no honest owners where owners add noise',
      { differentialPrivacy: { ...dp, noise: 'owners' } },
    ],
    [
      'ERR_TASK_INVALID',
      'as many honest owners as there must be owners',
      { differentialPrivacy: { ...dp, noise: 'owners', honestOwners: 3 } },
    ],
    [
      'ERR_TASK_INVALID',
      'a correlation matrix under differential privacy',
      { method: correlation, components: 1, differentialPrivacy: dp },
    ],
    ['ERR_TASK_INVALID', 'the variances of a covariance matrix', { outputs: ['variances'] }],
    ['ERR_FULL_RANK', 'two components of a correlation matrix', { method: correlation }],
    [
      'ERR_FULL_RANK',
      'one component of it with the spectrum',
      { method: correlation, components: 1, outputs: ['spectrum'] },
    ],
    ['ERR_TASK_INVALID', 'an exact result without consent to what it tells', { exact: true }],
    [
      'ERR_TASK_INVALID',
      'a feature whose grain nobody says',
      { features: [...features(0), { name: 'e', min: 0, max: 1 }] },
    ],
    ['ERR_FULL_RANK', 'as many as the samples have rank', { maximumOwners: 3, maximumSamplesPerOwner: 1 }],
  ])('gets %s for %s', (code, _name, changes) => {
    expect(codeOf(changes)).toBe(code);
  });

  /** Each fault by the member that it begins with. */
  const faultsOf = (changes: Record<string, unknown>) => {
    try {
      checkTask(proposal(changes));
    } catch (error) {
      if (isOf(TASK_CODES, error)) return error.faults.map(({ words }) => /^"([^"]+)"/.exec(`${words}`)?.[1]);
    }
    return [];
  };

  test('is told all faults at once that do not rest on each other', () => {
    const both = { differentialPrivacy: { ...dp, honestOwners: 2 }, labellings: classes };
    const beside = { keyBits: 1024, closes: ['full', 'full'], minimumOwners: 11 };
    expect(faultsOf({ ...both, ...beside, outputs: ['mean', 'mean'] })).toEqual([
      'differentialPrivacy.honestOwners',
      'labellings',
      'outputs',
      'closes',
      'minimumOwners',
      'keyBits',
    ]);
    const program = { components: 5, outputs: ['classCounts', 'variances'] };
    expect(faultsOf({ ...program, keyBits: 1024 })).toEqual(['outputs', 'outputs', 'components', 'keyBits']);
    const sketch = { sketch: { columns: 4 }, twoParty: 'garbled', outputs: [], allowFullRank: true };
    expect(faultsOf(sketch)).toEqual(['sketch', 'allowFullRank', 'outputs', 'sketch.columns']);
    const bins = { method: { kind: 'histogram', strategy: 'flat', height: 2 } };
    expect(faultsOf({ ...bins, exact: true })).toEqual([
      'method',
      'method',
      'method',
      'method',
      'method',
      'exact',
    ]);
  });

  test.each([
    [/at most 2, got 4/, { components: 4, outputs: ['spectrum'] }],
    [/at most 3, got 4/, { components: 4 }],
    [/^"outputs" expected fewer/, { method: correlation, components: 1, outputs: ['spectrum'] }],
  ])('that reveals the scatter matrix is told what would not: %s', (message, changes) => {
    expect(() => checkTask(proposal(changes))).toThrow(message);
  });

  test.each([
    ['a short key', { keyBits: 1024, allowInsecureKey: true }],
    ['all components', { components: 4, allowFullRank: true }],
    ['all but one without the trace', { components: 3 }],
    ['all but two with the spectrum', { outputs: ['spectrum'] }],
    ['one feature of two values', { features: features(1), outputs: ['mean', 'trace'] }],
    ['the mean of no such feature and the spectrum', { outputs: ['mean', 'spectrum'] }],
    ['one component of a correlation matrix', { method: correlation, components: 1 }],
    ['differential privacy', { differentialPrivacy: dp }],
    ['noise of its owners', { differentialPrivacy: { ...dp, noise: 'owners', honestOwners: 2 } }],
    ['dca', discriminant],
    [
      'an exact result of features without grains',
      { features: features(0).map(({ grain: _, ...it }) => it), exact: true, allowFullRank: true },
    ],
    [
      'a feature that does not vary, without grain',
      { features: [...features(0), { name: 'e', min: 1, max: 1 }] },
    ],
    [
      'dca by rotated',
      { ...discriminant, twoParty: 'rotated', outputs: ['sampleCount', 'spectrum', 'classCounts'] },
    ],
  ])('is allowed %s with consent', (_name, changes) => {
    expect(codeOf(changes)).toBeUndefined();
  });
});
