/** Directions that look at no row: a uniformly random orthonormal frame, what chance captures. */

import { RealDraws } from '../random/real.ts';
import { featuresOf, orthonormal } from './matrix.ts';
import { type PcaMethod, PURE } from './method.ts';

export const randomDirections: PcaMethod = {
  name: 'random-directions',
  title: 'random directions',
  reference: 'a uniformly random orthonormal frame',
  panel: 'baseline',
  dependsOnSites: false,
  promise: {
    ...{ ...PURE, trust: 'nobody', means: 'not needed', counts: 'protected' },
    remarks: 'Looks at no row. What captures no more has found nothing.',
    keeps: () => ({ epsilon: 0, dpDelta: 0 }),
  },
  run: (source, sites, { components }) => {
    const draws = new RealDraws(source);
    const dimension = featuresOf(sites);
    // Gaussian columns have no direction that they prefer.
    return orthonormal(
      Array.from({ length: components }, () => Array.from({ length: dimension }, () => draws.normal())),
    );
  },
};
