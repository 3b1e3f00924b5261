/** `npm run bench:browser`: what an owner's part takes in a browser. */
import { fileURLToPath } from 'node:url';
import { runStudies } from '@eigenveil/studies/instrument/main';
import { owner } from './owner-study.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const [node, program, ...words] = process.argv;
const group = {
  ...{ name: 'browser', title: 'An owner in a browser', studies: [owner], usual: 'full' as const },
  words: new URL('bench.md', import.meta.url),
};

await runStudies({ browser: async () => group }, ROOT, [node!, program!, 'browser', ...words]);
