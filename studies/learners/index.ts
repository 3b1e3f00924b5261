/** Learners under differential privacy on raw and on reduced rows, and attacks on their promises. */
import type { StudyGroup } from '../instrument/study.ts';
import { LEARNER_AUDITS } from './audits.ts';
import { accountants } from './study/accountants.ts';
import { accuracy } from './study/accuracy.ts';
import { auditsStudy } from './study/audited.ts';
import { clusters } from './study/clusters.ts';
import { features } from './study/features.ts';
import { perturbation } from './study/perturbation.ts';
import { regression } from './study/regression.ts';

export const learners: StudyGroup = {
  name: 'learners',
  title: 'Eigenveil: learners under differential privacy, and the features that serve them',
  studies: [
    accuracy,
    perturbation,
    regression,
    clusters,
    accountants,
    auditsStudy(LEARNER_AUDITS, {
      id: 'learners/audits',
      of: 'learner',
      quickShare: 1 / 4,
      words: new URL('study/audits.md', import.meta.url),
    }),
    // Last, as it takes longest.
    features,
  ],
  words: new URL('learners.md', import.meta.url),
  usual: 'full',
  kept: 'learners-comparison',
};
