/** `npm run lint` ends with it: refuses turns of phrase that readers have to decode, in documents, comments and messages. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS } from './documents.ts';
import { findTurns } from './prose/rule.ts';
import { ROOMS, ROOT } from './rooms.ts';

/** The documents and reports, the pages of words, and the sources of all that ships or speaks to readers: these files are checked unless the command names others. */
const COVERED = [
  ...DOCUMENTS,
  '{clients,data,services,shared,site,studies}/**/*.md',
  '{.,examples,scripts/**,site,studies}/*.ts',
  'studies/!(test)/**/*.ts',
  'services/*/{build,src}/**/*.{ts,tsx}',
  `shared/{${ROOMS}}/src/**/*.ts`,
];

const asked = process.argv.slice(2);
const paths = globSync(asked.length > 0 ? asked : COVERED, {
  cwd: ROOT,
  // The list of turns has all of them in its names.
  exclude: asked.length > 0 ? [] : ['scripts/prose/turns.ts', '**/node_modules/**'],
});
let count = 0;
for (const path of paths.sort())
  for (const { line, column, message } of await findTurns(path, await readFile(join(ROOT, path), 'utf8'))) {
    count += 1;
    process.stdout.write(`${path}:${line}:${column} ${message}\n`);
  }
if (count > 0) {
  process.stderr.write(
    `${count} turns of phrase must be written in other words; scripts/prose/turns.ts lists them\n`,
  );
  process.exitCode = 1;
}
