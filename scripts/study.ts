/** `npm run study`: measures a study, or all of a group. The other commands that measure are names for some of these. */
import { GROUPS } from '@eigenveil/studies/groups';
import { runStudies } from '@eigenveil/studies/instrument/main';
import { ROOT } from './rooms.ts';

// The evaluation is an instrument of its own kind: `npm run evaluate`.
if (process.argv[2] === 'evaluation') {
  process.argv.splice(2, 1);
  await import('./evaluate.ts');
} else {
  await runStudies(GROUPS, ROOT);
  if (process.argv.includes('--list'))
    process.stdout.write(
      `${'evaluation'.padEnd(28)} attacks on what tasks reveal: npm run evaluate -- --help\n`,
    );
}
