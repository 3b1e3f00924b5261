/** `npm run study:templates`: attacks on templates of continuous authentication, and the page that says what they found. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { addScale, scaleOf } from '@eigenveil/studies/instrument/scale';
import { templatePage } from '@eigenveil/studies/recognition/template-report';
import { runTemplateStudy } from '@eigenveil/studies/recognition/template-study';
import { benchmark } from './options.ts';

const EXPLANATION = `It writes out/authentication-study/templates.md and templates.json. Walking windows are bundled; keystrokes come from the
folder EIGENVEIL_DATA, and the page says so where they are not there. A full run takes some five minutes of one processor, with the same figures each
time.`;

const { json, ...asked } = addScale(
  benchmark({
    name: 'study:templates',
    description: 'Measures what a template of continuous authentication gives away.',
    explanation: EXPLANATION,
    example: '--quick',
  }),
  'full',
  { quick: 'a dozen people and few components, in seconds: to see that it runs', full: 'all of them' },
)
  .parse()
  .opts<{ quick?: true; full?: true; json?: true }>();

const study = await runTemplateStudy(scaleOf(asked, 'full') === 'quick', (line) => console.error(line));
const data = `${JSON.stringify(study, null, 1)}\n`;
const page = templatePage(study);
const folder = new URL('../out/authentication-study/', import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL('templates.json', folder), data);
await writeFile(new URL('templates.md', folder), page);
if (json) process.stdout.write(data);
else console.log(`Written: ${fileURLToPath(new URL('templates.md', folder))}`);
