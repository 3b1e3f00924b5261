/** Private histograms: theory against experiment, and what ranges from them are worth. */
import { least, mean, most } from '../instrument/figure.ts';
import type { StudyGroup } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { auditsStudy } from '../learners/study/audited.ts';
import { RELEASE_AUDITS } from './audits.ts';
import { experiments } from './experiments.ts';
import { oneCurator } from './one-curator.ts';
import { ownStrategy } from './own-strategy.ts';
import { quantiles } from './quantiles.ts';
import { strategies } from './strategies.ts';
import { worth } from './worth.ts';

const hasLaplaceNoise = ({ dpDelta }: Tidy): boolean => dpDelta === 0;

export const ranges: StudyGroup = {
  name: 'ranges',
  title: 'Eigenveil: private histograms, their errors, and the ranges that they give',
  studies: [
    experiments,
    oneCurator,
    strategies,
    ownStrategy,
    quantiles,
    auditsStudy(RELEASE_AUDITS, {
      id: 'ranges/audits',
      of: 'release',
      quickShare: 1,
      facts: {
        leastOfLaplace: { where: hasLaplaceNoise, figure: least('proven', { digits: 2 }) },
        mostOfLaplace: { where: hasLaplaceNoise, figure: most('proven', { digits: 2 }) },
        gaussian: {
          where: (record) => !hasLaplaceNoise(record),
          figure: mean('proven', { digits: 2 }),
        },
      },
      words: new URL('audits.md', import.meta.url),
    }),
    // Last, as it takes longest.
    worth,
  ],
  words: new URL('ranges.md', import.meta.url),
  usual: 'quick',
  kept: 'ranges-comparison',
};
