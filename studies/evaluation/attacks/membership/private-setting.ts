/** The differential privacy of tasks whose results are attacked: what docs/privacy.md has as its example. */
export const PRIVATE_SETTING = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;
