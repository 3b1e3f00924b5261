/** `npm run study`: measures a study, or all of a group. The other commands that measure are names for some of these. */
import { GROUPS } from '@eigenveil/studies/groups';
import { runStudies } from '@eigenveil/studies/instrument/main';
import { ROOT } from './rooms.ts';

await runStudies(GROUPS, ROOT);
