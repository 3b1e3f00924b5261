/** Benchmarks: what each part of Eigenveil takes, beside the published protocol done literally and beside what was published. */
import type { StudyGroup } from '../instrument/study.ts';
import { transform } from './transform.ts';

export const speed: StudyGroup = {
  name: 'speed',
  title: 'Eigenveil: benchmark report',
  studies: [
    // What `npm run bench` runs.
    transform,
    // What the commands `npm run bench:…` run.
  ],
  words: new URL('speed.md', import.meta.url),
  usual: 'full',
  kept: 'benchmarks',
};
