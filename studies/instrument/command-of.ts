/** The command of a run, as its user may repeat it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/**
 * `npm run NAME -- OPTIONS` where a script of package.json measures this study or group, otherwise `npm run study -- STUDY OPTIONS`.
 * @param words what `scripts/study.ts` was given
 */
export async function commandOf({
  root,
  words: [first, ...options],
}: {
  readonly root: string;
  readonly words: readonly string[];
}): Promise<string> {
  const { scripts } = Manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const script = Object.keys(scripts).find((name) => scripts[name] === `node scripts/study.ts ${first}`);
  const rest = options.filter((word) => word !== '--json');
  const given = script === undefined ? [first, ...rest] : rest;
  return [`npm run ${script ?? 'study'}`, ...(given.length === 0 ? [] : ['--', ...given])].join(' ');
}
