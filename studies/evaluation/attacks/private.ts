/** The differential privacy of tasks whose results are attacked: what docs/privacy.md has as its example. */
import { defaultClippingNorm } from '@eigenveil/privacy';
import type { Scene } from '../scene.ts';

export const EPSILON = 1;

export const privacyOf = ({ proposal }: Pick<Scene, 'proposal'>) =>
  ({
    epsilon: EPSILON,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: defaultClippingNorm(proposal.features.length),
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  }) as const;
