/** The suites of `npm run bench`, in the order of the report. */
import type { Suite } from '../../instrument/unit.ts';
import { accuracy } from './accuracy.ts';
import { keyLength } from './key-length.ts';
import { processes } from './processes.ts';
import { published } from './published.ts';
import { scaling } from './scaling.ts';
import { sketch } from './sketch.ts';
import { twoParty } from './two-party.ts';

export const SUITES: readonly Suite[] = [
  keyLength,
  published,
  twoParty,
  sketch,
  accuracy,
  scaling,
  processes,
];
