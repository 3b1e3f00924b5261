/** `npm run lint` ends with it: refuses turns of phrase that readers have to decode, in documents, comments and messages. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTurns } from './prose/rule.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** The files that are looked at unless the command names others. A folder joins once it has none of these turns. */
const COVERED = [
  '*.md',
  'docs/*.md',
  'services/*/{build,src}/**/*.{ts,tsx}',
  'shared/{authentication,command,paillier,platform,privacy,projection,protocol}/src/**/*.ts',
  'shared/{release,server,statistics,task,two-party,wire}/src/**/*.ts',
];

const asked = process.argv.slice(2);
const paths = globSync(asked.length > 0 ? asked : COVERED, { cwd: ROOT });
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
