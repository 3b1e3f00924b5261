/** The group of studies on how well people are recognised on reduced rows, and what a template gives away. */
import type { StudyGroup } from '../instrument/study.ts';
import { arms } from './error-rates/arms.ts';
import { encrypted } from './error-rates/encrypted.ts';
import { frames } from './error-rates/frames.ts';
import { later } from './error-rates/later.ts';
import { learning } from './error-rates/learning.ts';
import { locks } from './error-rates/locks.ts';
import { noise } from './error-rates/noise.ts';
import { time } from './error-rates/time.ts';
import { counts } from './templates/counts.ts';
import { forgery } from './templates/forgery.ts';
import { linkage } from './templates/linkage.ts';
import { reconstruction } from './templates/reconstruction.ts';
import { renewal } from './templates/renewal.ts';
import { scores } from './templates/scores.ts';

export const recognition: StudyGroup = {
  name: 'recognition',
  title: 'Eigenveil: how well people are recognised on reduced rows, and what a template gives away',
  studies: [
    arms,
    time,
    later,
    locks,
    learning,
    frames,
    encrypted,
    noise,
    reconstruction,
    linkage,
    scores,
    forgery,
    counts,
    renewal,
  ],
  words: new URL('recognition.md', import.meta.url),
  usual: 'full',
  kept: 'authentication-study',
};
