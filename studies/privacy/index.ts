/** Published methods of private PCA side by side, and what drafts forecast of noise. */
import type { StudyGroup } from '../instrument/study.ts';
import { attack } from './attack.ts';
import { classification } from './classification.ts';
import { clipping } from './clipping.ts';
import { definiteness } from './definiteness.ts';
import { elfedpcaExperiment } from './elfedpca.ts';
import { forecast } from './forecast.ts';
import { publishing } from './publishing.ts';
import { utility } from './utility.ts';

export const privacy: StudyGroup = {
  name: 'privacy',
  title: 'Eigenveil: methods of private PCA side by side',
  studies: [
    utility,
    clipping,
    classification,
    publishing,
    attack,
    elfedpcaExperiment,
    definiteness,
    forecast,
  ],
  words: new URL('privacy.md', import.meta.url),
  usual: 'full',
  kept: 'privacy-comparison',
};
