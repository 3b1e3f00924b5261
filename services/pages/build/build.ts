/**
 * Bundles the two pages: the operator's console and the data owner's page. Each is one HTML file that loads a script
 * and a style sheet by their digests, beside the licences of what it contains, and beside compressed copies for web
 * servers. The same sources give the same bytes in any folder; the copies need not be the same with another Node.js.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressed, ENCODINGS, readCopies, SUFFIXES } from '@eigenveil/command/compressed';
import { SUMS, sha256, sumsOf } from '@eigenveil/command/sums';
import { type BuildOptions, build, type Plugin } from 'esbuild';

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

/**
 * Adapts zod to a page: only the used parts remain, and nothing that compiles text, which the pages' Content-
 * Security-Policy forbids.
 */
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
          ? { errors: [{ text: 'zod is not what build/build.ts changes: look at it again' }] }
          : { contents, loader: 'js' };
      });
  },
};

export type Page = 'console' | 'owner';

/** Digests in the form of the attribute `integrity`. */
interface Digests {
  readonly script: string;
  readonly style: string;
}

const TITLES: Readonly<Record<Page, string>> = {
  console: 'Eigenveil console',
  owner: 'Eigenveil: your contribution',
};

/**
 * The policy of the owner's page stands in the page itself, since the page lies at any host (the console gets
 * its policy from the data user). `connect-src 'self'` is for the worker. Whoever makes the page for a host
 * adds the services there; until then the page reaches none.
 */
const OWNER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default eigenveil-worker',
].join('; ');

export function pageHtml(page: Page, { script, style }: Digests): string {
  const policy =
    page === 'owner' ? `\n<meta http-equiv="Content-Security-Policy" content="${OWNER_POLICY}">` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">${policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${TITLES[page]}</title>
<link rel="stylesheet" href="main.css" integrity="${style}">
<script type="module" src="main.js" integrity="${script}"></script>
</head>
<body>
<div id="page"><noscript>This page computes in your browser: it needs JavaScript.</noscript></div>
</body>
</html>
`;
}

const LICENCE_FILES = /^(?:licen[cs]e|notice|copying)/i;
const LICENCE_FOLDERS = /^(?:licen[cs]es)?$/i;
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const OURS = /^@eigenveil\//;

/**
 * @param inputs what was bundled, as paths that begin at `root`
 * @throws Error for a package that names no licence
 */
async function licences(root: string, inputs: Iterable<string>): Promise<string> {
  const folders = new Set<string>();
  for (const input of inputs) {
    const [, folder, name] = PACKAGE.exec(resolve(root, input).replaceAll('\\', '/')) ?? [];
    if (folder !== undefined && !OURS.test(name!)) folders.add(folder);
  }
  const texts = await Promise.all([...folders].map(licence));
  // Two packages may have each brought the same version of a third one.
  return `This page contains these packages of others.\n\n${[...new Set(texts)].sort().join('\n')}`;
}

async function licence(folder: string): Promise<string> {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const title = `${manifest.name} ${manifest.version}`;
  if (manifest.license === undefined) throw new Error(`${title} names no licence`);
  // Some packages keep the licences of code that they have taken over in a folder.
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(
      (it) =>
        it.isFile() && LICENCE_FILES.test(it.name) && LICENCE_FOLDERS.test(relative(folder, it.parentPath)),
    )
    .map((it) => join(it.parentPath, it.name))
    .sort();
  if (files.length === 0) throw new Error(`${title} has no file with its licence`);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [`${title} (${manifest.license})`, '='.repeat(72), ...texts.map((text) => text.trim()), ''].join(
    '\n\n',
  );
}

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The folder of each page: beside the program that hands it out, so that neither depends on this package. The
 * folders are never committed.
 */
export const FOLDERS: Readonly<Record<Page, string>> = {
  console: fileURLToPath(new URL('../../data-user/console/', import.meta.url)),
  owner: fileURLToPath(new URL('../../data-owner/page/', import.meta.url)),
};

/** Options for bundling any script that browsers run. */
export const FOR_BROWSERS = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  // These browsers sign with Ed25519 in WebCrypto, and convert bytes to text themselves.
  target: ['chrome140', 'firefox133', 'safari18.2'],
  // The library of matrices is bundled from its sources, of which only the used parts go in; its published
  // form is one file, which would go in whole.
  alias: {
    'ml-matrix': fileURLToPath(new URL('../../../node_modules/ml-matrix/src/index.js', import.meta.url)),
  },
  plugins: [zod],
  write: false,
} satisfies BuildOptions;

const OPTIONS = {
  ...FOR_BROWSERS,
  absWorkingDir: ROOT,
  minify: true,
  // Modules are read as UTF-8 whatever a host says, and letters are shorter than their escapes.
  charset: 'utf8',
  // All licences stand in a file of their own.
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
  logLevel: 'error',
} as const satisfies BuildOptions;

/** The contents of files, by name. */
type Files = Map<string, Buffer>;

/**
 * Builds pages, each into its folder, which then holds nothing else.
 * @throws as esbuild, for sources that cannot be bundled
 * @throws Error for a package in a page that has no licence beside it
 */
export async function buildPages(folders: Readonly<Partial<Record<Page, string>>> = FOLDERS): Promise<void> {
  await Promise.all(Object.entries(folders).map(([page, folder]) => buildPage(page as Page, folder)));
}

/** The script that each page loads when it first needs it (`later.ts`), by a name that has its digest. */
const LATER: Readonly<Record<Page, readonly [name: string, source: string]>> = {
  console: ['charts', 'common/charts.ts'],
  owner: ['age', 'owner/age.ts'],
};

/**
 * The files of which compressed copies lie beside them. index.html has a kilobyte, and that of the owner's page is
 * written for each host.
 */
const COPIED = /\.(?:css|js|txt)$/;

async function buildPage(page: Page, folder: string): Promise<void> {
  const files: Files = new Map();
  const inputs = new Set<string>();
  const define: Record<string, string> = {};
  const [name, source] = LATER[page];
  const code = await bundle(source, {}, inputs).then((outputs) => outputs.get(`${name}.js`)!);
  const file = `${name}-${sha256(code).slice(0, 16)}.js`;
  files.set(file, code);
  define[`${name.toUpperCase()}_SCRIPT`] = JSON.stringify({ file, integrity: integrity(code) });
  if (page === 'owner') {
    const worker = await bundle('owner/worker.ts', {}, inputs).then((outputs) => outputs.get('worker.js')!);
    files.set('worker.js', worker);
    define.WORKER_INTEGRITY = JSON.stringify(integrity(worker));
  }
  for (const [name, bytes] of await bundle(join(page, 'main.tsx'), define, inputs)) files.set(name, bytes);
  const [script, style] = ['main.js', 'main.css'].map((name) => integrity(files.get(name)!));
  files.set('index.html', Buffer.from(pageHtml(page, { script: script!, style: style! })));
  files.set('LICENSES.txt', Buffer.from(await licences(ROOT, inputs)));
  const sorted: Files = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  await put(
    folder,
    new Map([...sorted, [SUMS, Buffer.from(sumsOf(sorted))], ...(await copies(folder, sorted))]),
  );
}

/** Returns the compressed copies of files. A copy that lies in the folder already is taken, since the smallest takes seconds. */
async function copies(folder: string, files: Files): Promise<Files> {
  const copied = [...files].filter(([name]) => COPIED.test(name));
  const made = copied.map(async ([name, bytes]) => {
    const there = await readCopies(folder, name, bytes).catch(() => null);
    return Promise.all(
      ENCODINGS.map(
        async (it) => [name + SUFFIXES[it], there?.get(it) ?? (await compressed(it, bytes))] as const,
      ),
    );
  });
  return new Map((await Promise.all(made)).flat());
}

/**
 * Makes these the files of a folder. A file that has the same content already is not written again, since
 * somebody may be reading it.
 */
async function put(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    const there = await readFile(path).catch(() => null);
    if (there?.equals(bytes)) continue;
    const fresh = `${path}.${process.pid}.new`;
    await writeFile(fresh, bytes);
    await rename(fresh, path);
  }
  for (const name of await readdir(folder))
    if (!files.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Bundles one script for browsers that is no page, in the same way as the pages: for tests and benchmarks.
 * @param source below `src/`
 */
export async function bundled(
  source: string,
  define: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const outputs = await bundle(source, define, new Set());
  return outputs.get(basename(source).replace(/tsx?$/, 'js'))!;
}

/** Returns the outputs of a source, and adds its inputs to `inputs`, by paths that begin at `ROOT`. */
async function bundle(
  source: string,
  define: Readonly<Record<string, string>>,
  inputs: Set<string>,
): Promise<Files> {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: [join(SOURCES, source)],
    outdir: ROOT,
    define: { 'process.env.NODE_ENV': '"production"', ...define },
  });
  for (const input of Object.keys(metafile.inputs)) inputs.add(input);
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
}

/** Returns the digest in the form of the attribute `integrity`. */
export function integrity(bytes: string | Uint8Array): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}
