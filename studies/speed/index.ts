/** Benchmarks: what each part of Eigenveil takes, beside the published protocol done literally and beside what was published. */
import type { StudyGroup } from '../instrument/study.ts';
import { accuracy } from './accuracy.ts';
import { BENCHMARKS } from './benchmarks.ts';
import { keyLength } from './key-length.ts';
import { published } from './published-tables.ts';
import { processes } from './roles-in-processes.ts';
import { scaling } from './scaling.ts';
import { sketch } from './sketch.ts';
import { transform } from './transform.ts';
import { twoParty } from './two-party-protocols.ts';
import { waits } from './waits.ts';

export const speed: StudyGroup = {
  name: 'speed',
  title: 'Eigenveil: benchmark report',
  studies: [
    // The studies that `npm run bench` runs.
    ...[keyLength, published, twoParty, sketch, accuracy, scaling, processes, transform],
    waits,
    // The studies that the commands `npm run bench:…` run.
    ...BENCHMARKS,
  ],
  words: new URL('speed.md', import.meta.url),
  usual: 'full',
  kept: 'benchmarks',
};
