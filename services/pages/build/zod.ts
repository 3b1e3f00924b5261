/**
 * Adapts zod to a page: only the used parts remain, and nothing that compiles text, which the pages'
 * Content-Security-Policy forbids.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Our sources import zod in this way. Through that object esbuild keeps all of zod, with its texts in fifty
 * languages; of a namespace it drops the unused parts.
 */
const IMPORT = /^import \{ z \} from 'zod';$/m;

/** Texts that stand once in a file of zod, and their replacements. */
const CHANGES = [
  // zod tries in this way whether it may compile, which browsers report as a violation although it is caught.
  {
    file: /[\\/]zod[\\/]v4[\\/]core[\\/]util\.js$/,
    from: /const F = Function;\s+new F\(""\);\s+return true;/,
    to: 'return false;',
  },
  // After the change above, this code is never reached.
  {
    file: /[\\/]zod[\\/]v4[\\/]core[\\/]doc\.js$/,
    from: /const F = Function;[\s\S]*?return factory\([^\n]*/,
    to: "throw new Error('nothing is compiled here');",
  },
  // This code writes a schema as a JSON schema, which no page needs.
  {
    file: /[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/,
    from: /^ *inst\._zod\.processJSONSchema = .*;$/gm,
    to: '',
  },
] as const;

export const zod: Plugin = {
  name: 'zod',
  setup(build) {
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(IMPORT, "import * as z from 'zod';"),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }));
    for (const { file, from, to } of CHANGES)
      build.onLoad({ filter: file }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const contents = source.replace(from, to);
        return contents === source
          ? { errors: [{ text: 'zod is not what build/zod.ts changes: look at it again' }] }
          : { contents, loader: 'js' };
      });
  },
};
