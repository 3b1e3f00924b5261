/** Tasks that break a rule of their method, and what is said of each. */
import { CodedError } from '@eigenveil/platform';
import { checkTask, TaskProposal } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party';
import { explainIssues } from '@eigenveil/wire';
import { type MethodOfCase, type Protocol, proposalOf, type Release } from './cases.ts';

type Wrong = readonly [
  method: MethodOfCase,
  by: Protocol,
  release: Release,
  changes: Record<string, unknown>,
];

const labels = (...names: string[]) => names.map((column) => ({ column, classes: ['no', 'yes'] }));
const feature = (name: string, changes: Record<string, unknown> = {}) => ({
  ...{ name, min: 0, max: 10, grain: 1, twoValued: false },
  ...changes,
});
const CONSTANT = [feature('a'), feature('b', { min: 3, max: 3 }), feature('c'), feature('d')];
const histogram = (changes: Record<string, unknown>) => ({ method: { kind: 'histogram', ...changes } });
const FLAT = { height: 3, strategy: 'flat' };
const EPSILON = {
  ...{ epsilon: 2, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1 },
  dataIndependentRanges: true,
};

export const WRONG_TASKS: Readonly<Record<string, Wrong>> = {
  'a method that nobody knows': ['pca', 'garbled', 'a floor', { method: { kind: 'kpca' } }],
  'a member of another method': ['pca', 'garbled', 'a floor', { method: { kind: 'pca', ridge: 1 } }],
  'no ridge of lda': ['lda', 'garbled', 'a floor', { method: { kind: 'lda' } }],
  'a negative ridge of mdr': ['mdr', 'garbled', 'a floor', { method: { kind: 'mdr', ridge: -1 } }],
  'no form of dca': ['dca', 'garbled', 'a floor', { method: { kind: 'dca', ridge: 1, signalRidge: 0 } }],
  'a scale that nobody knows': ['pca', 'garbled', 'a floor', { method: { kind: 'pca', scale: 'rank' } }],
  'a strategy that nobody knows': [
    'flat histogram',
    'linear',
    'noise',
    histogram({ ...FLAT, strategy: 'x' }),
  ],
  'bins of no height': ['flat histogram', 'linear', 'noise', histogram({ ...FLAT, height: 1 })],
  'labels for pca': ['pca', 'garbled', 'a floor', { labellings: labels('a') }],
  'no labels for dca': ['dca', 'garbled', 'a floor', { labellings: [] }],
  'two labellings for lda': ['lda', 'garbled', 'a floor', { labellings: labels('a', 'b') }],
  'one labelling for mdr': ['mdr', 'garbled', 'a floor', { labellings: labels('a') }],
  'labels for ridge': ['ridge', 'garbled', 'a floor', { labellings: labels('a') }],
  'labels for a histogram': ['flat histogram', 'linear', 'noise', { labellings: labels('a') }],
  'no components of pca': ['pca', 'garbled', 'a floor', { components: 0 }],
  'more components than features': ['lda', 'garbled', 'a floor', { components: 6 }],
  'as many components as features': ['pca', 'garbled', 'a floor', { components: 5, outputs: [] }],
  'components of ridge': ['ridge', 'garbled', 'a floor', { components: 1 }],
  'components of a histogram': ['flat histogram', 'linear', 'noise', { components: 1 }],
  'more components than rotated may give': ['dca', 'rotated', 'a floor', { components: 2 }],
  'more components of a pca than rotated may give': ['pca', 'rotated', 'a floor', { components: 4 }],
  'a trace of mdr': ['mdr', 'garbled', 'a floor', { outputs: ['trace'] }],
  'numbers of rows by class of pca': ['pca', 'garbled', 'a floor', { outputs: ['classCounts'] }],
  'numbers of rows by class of ridge': ['ridge', 'garbled', 'a floor', { outputs: ['classCounts'] }],
  'variances of the covariance': ['pca', 'garbled', 'a floor', { outputs: ['variances'] }],
  'variances of lda': ['lda', 'garbled', 'a floor', { outputs: ['variances'] }],
  'a spectrum of dca by garbled': ['dca', 'garbled', 'a floor', { outputs: ['spectrum'] }],
  'a spectrum of ridge': ['ridge', 'garbled', 'a floor', { outputs: ['spectrum'] }],
  'an output of a histogram': ['flat histogram', 'linear', 'noise', { outputs: ['mean'] }],
  'an output twice': ['pca', 'garbled', 'a floor', { outputs: ['mean', 'mean'] }],
  'no spectrum of pca by rotated': ['pca', 'rotated', 'a floor', { outputs: ['mean'] }],
  'no variances of a correlation by rotated': [
    'correlation',
    'rotated',
    'a floor',
    { outputs: ['sampleCount', 'spectrum'] },
  ],
  'no numbers of rows by class by rotated': ['mdr', 'rotated', 'a floor', { outputs: ['spectrum'] }],
  'a sketch with other outputs': ['sketch', 'rotated', 'a floor', { outputs: ['mean', 'spectrum'] }],
  'a sketch of a correlation': [
    'sketch',
    'rotated',
    'a floor',
    { method: { kind: 'pca', scale: 'correlation' } },
  ],
  'a sketch for lda': ['lda', 'rotated', 'a floor', { sketch: { columns: 3 } }],
  'a sketch as wide as its features': ['sketch', 'rotated', 'a floor', { sketch: { columns: 16 } }],
  'a sketch too narrow for its components': ['sketch', 'rotated', 'a floor', { components: 4 }],
  'a sketch with noise': ['sketch', 'simulated', 'a floor', { differentialPrivacy: EPSILON }],
  'a sketch with consent to all': ['sketch', 'rotated', 'a floor', { allowFullRank: true }],
  'a refined sketch with a basis': ['refined sketch', 'rotated', 'a floor', { basis: 'b'.repeat(43) }],
  'a refined sketch too fine': ['refined sketch', 'rotated', 'a floor', { fractionBits: 20 }],
  'mdr without a ridge': ['mdr', 'garbled', 'a floor', { method: { kind: 'mdr', ridge: 0 } }],
  'mdr without a ridge by rotated': ['mdr', 'rotated', 'a floor', { method: { kind: 'mdr', ridge: 0 } }],
  'lda without a ridge, and a constant feature': [
    'lda',
    'garbled',
    'a floor',
    { method: { kind: 'lda', ridge: 0 }, features: CONSTANT },
  ],
  'ridge of 0, and a constant feature': [
    'ridge',
    'garbled',
    'a floor',
    { method: { kind: 'ridge', ridge: 0 }, features: CONSTANT },
  ],
  'a ridge that garbled cannot write': [
    'ridge',
    'garbled',
    'a floor',
    { method: { kind: 'ridge', ridge: 1e-9 } },
  ],
  'a negative signal ridge by rotated': [
    'dca with a signal ridge',
    'rotated',
    'a floor',
    { method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: -0.5 } },
  ],
  'ridge of one feature': ['ridge', 'garbled', 'a floor', { features: [feature('a')] }],
  'ridge that tells everything': [
    'ridge',
    'garbled',
    'a floor',
    { features: [feature('a', { twoValued: true }), feature('b', { twoValued: true })] },
  ],
  'ridge by rotated': ['ridge', 'rotated', 'a floor', {}],
  'ridge with noise': ['ridge', 'garbled', 'noise', {}],
  'ridge with a basis': ['ridge', 'garbled', 'a floor', { basis: 'b'.repeat(43) }],
  'labels for pcr': ['pcr', 'garbled', 'a floor', { labellings: labels('a') }],
  'no components of pcr': ['pcr', 'garbled', 'a floor', { components: 0 }],
  'more components of pcr than predictors': ['pcr', 'garbled', 'a floor', { components: 5 }],
  'more components of pcr than vary': ['pcr', 'garbled', 'a floor', { components: 3, features: CONSTANT }],
  'a spectrum of pcr': ['pcr', 'garbled', 'a floor', { outputs: ['spectrum'] }],
  'pcr that tells everything': [
    'pcr',
    'garbled',
    'a floor',
    {
      components: 1,
      features: [feature('a', { twoValued: true }), feature('b', { twoValued: true })],
    },
  ],
  'pcr by rotated': ['pcr', 'rotated', 'a floor', {}],
  'pcr with noise': ['pcr', 'garbled', 'noise', {}],
  'pcr with a basis': ['pcr', 'garbled', 'a floor', { basis: 'b'.repeat(43) }],
  'a correlation with noise': ['correlation', 'garbled', 'noise', {}],
  'pca by linear': ['pca', 'linear', 'a floor', {}],
  'lda with noise by rotated': ['lda', 'rotated', 'noise', {}],
  'a histogram by simulated': ['flat histogram', 'simulated', 'noise', {}],
  'a histogram without noise': ['flat histogram', 'linear', 'a floor', {}],
  'an exact histogram': ['flat histogram', 'linear', 'noise', { exact: true, allowFullRank: true }],
  'a histogram with a clipping norm': ['flat histogram', 'linear', 'noise', { differentialPrivacy: EPSILON }],
  'a tree without fan-outs': [
    'histogram by a tree',
    'linear',
    'noise',
    histogram({ height: 3, strategy: 'tree' }),
  ],
  'fan-outs of another product': [
    'histogram by a tree',
    'linear',
    'noise',
    histogram({ height: 3, strategy: 'tree', fanouts: [2, 2] }),
  ],
  'fan-outs of wavelets': [
    'histogram by wavelets',
    'linear',
    'noise',
    histogram({ height: 3, strategy: 'privelet', fanouts: [2, 4] }),
  ],
  'a histogram that features of other ranges share': [
    'flat histogram',
    'linear',
    'noise',
    { features: [feature('a', { histogram: 'x' }), feature('b', { histogram: 'x', max: 11 })] },
  ],
  'logarithmic bins of a range that is not even': [
    'flat histogram',
    'linear',
    'noise',
    { features: [feature('a', { logarithmic: 1 })] },
  ],
  'logarithmic bins of pca': ['pca', 'garbled', 'a floor', { features: [feature('a', { logarithmic: 1 })] }],
  'a feature without a grain': [
    'lda',
    'garbled',
    'a floor',
    { features: [feature('a'), feature('b', { grain: undefined })] },
  ],
  'exact without consent': ['pca', 'garbled', 'a floor', { exact: true }],
  'δ = 0 of pca': ['pca', 'garbled', 'noise', { differentialPrivacy: { ...EPSILON, delta: 0 } }],
  'no clipping norm of pca': [
    'pca',
    'garbled',
    'noise',
    { differentialPrivacy: { ...EPSILON, clippingNorm: null } },
  ],
  'more features than garbled computes': [
    'lda',
    'garbled',
    'a floor',
    { features: Array.from({ length: 101 }, (_, i) => feature(`f${i}`)) },
  ],
  'more features than there are without a sketch': [
    'pca',
    'rotated',
    'a floor',
    { features: Array.from({ length: 401 }, (_, i) => feature(`f${i}`)) },
  ],
  'a key too short': ['pca', 'garbled', 'a floor', { keyBits: 1024 }],
};

/** The code and the text of the first check that refuses a task; undefined where none does. */
export function refusalOf(proposal: unknown): string | undefined {
  const read = TaskProposal.safeParse(proposal);
  if (!read.success) return `its form: ${explainIssues(read.error, 'task')}`;
  for (const [title, check] of [
    ['checkTask', checkTask],
    ['checkComputable', checkComputable],
  ] as const) {
    try {
      check(read.data);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return `${title}: ${error.code}: ${error.message}`;
    }
  }
  return undefined;
}

export function refusalOfWrong([method, by, release, changes]: Wrong): string {
  return refusalOf(proposalOf(method, by, release, changes)) ?? 'nothing refuses it';
}
