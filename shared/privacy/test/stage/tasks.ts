/** Tasks of the stage for tests. */
import type { PrivacySetting, StageTask } from '../../src/index.ts';

export const KINDS = ['pca', 'dca', 'lda', 'mdr'] as const;
export const NEIGHBOURS = ['add-remove', 'replace'] as const;

const CLASSES = { pca: [1], dca: [3], lda: [2], mdr: [2, 3] } as const;

export function settingOf(changes: Partial<PrivacySetting> = {}): PrivacySetting {
  return {
    epsilon: 1,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: 1,
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
    ...changes,
  };
}

export function stageTask(
  kind: keyof typeof CLASSES,
  setting: Partial<PrivacySetting> = {},
  changes: Partial<StageTask> = {},
): StageTask {
  return {
    weights: kind === 'pca' ? { V: 0.5, M: 0.5 } : { V: 1, M: 1 },
    collectsR: kind !== 'mdr',
    features: 3,
    classes: CLASSES[kind],
    fractionBits: 5,
    maximumOwners: 10,
    setting: settingOf(setting),
    ...changes,
  };
}
