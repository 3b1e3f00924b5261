/** The suites of `npm run bench`, in the order of the report. */
import type { Suite } from '../unit.ts';
import { twoParty } from './two-party.ts';

export const SUITES: readonly Suite[] = [twoParty];
