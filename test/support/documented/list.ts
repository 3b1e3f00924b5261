/** Every command that the documents show, and every script of package.json: the list that `npm run test:documents` goes through. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksWithoutCommand, commandsIn } from '../recipes.ts';

export const ROOT = new URL('../../..', import.meta.url).pathname;

export interface Documented {
  /** On one line, without a prompt, a time of cron, `npx` and comments, so that one command has one form. */
  readonly command: string;
  /** Where it stands, as `docs/running.md`. */
  readonly where: readonly string[];
}

/** Changes of earlier releases show commands that may be gone. */
const EXCLUDED = ['CHANGELOG.md'];
const COMMENT_OF_EXAMPLE = /^ \*\s+((?:[A-Z_]+=\S+ )*(?:\[.*\] )?(?:npx )?node .*)$/gm;

export const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const tracked = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', pattern], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((name) => name !== '' && !EXCLUDED.includes(name));

export const documents = (): string[] => tracked('*.md');

export function canonical(command: string): string {
  return command
    .replace(/^\$ |^0 \* \* \* \* /, '')
    .replace(/(?<=^|\s)npx (?=eigenveil-|node )/g, '')
    .replace(/\s+#\s.*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** In the order of the documents, each command once. */
export function everyCommand(): Documented[] {
  const places = new Map<string, Set<string>>();
  const note = (command: string, where: string) => {
    const one = canonical(command);
    places.set(one, (places.get(one) ?? new Set()).add(where));
  };
  for (const name of documents()) for (const command of commandsIn(read(name))) note(command, name);
  for (const name of tracked('examples/*.ts'))
    for (const [, command] of read(name).matchAll(COMMENT_OF_EXAMPLE)) note(command!, name);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const name of Object.keys(scripts))
    note(name === 'test' ? 'npm test' : `npm run ${name}`, 'package.json');
  return [...places].map(([command, where]) => ({ command, where: [...where] }));
}

/** Blocks of no language that do not begin with a command: what is shown there needs a language such as `text`. */
export const unknownBlocks = (): string[] =>
  documents().flatMap((name) => blocksWithoutCommand(read(name)).map(({ line }) => `${name}:${line}`));
