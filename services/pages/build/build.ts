/**
 * Bundles the two pages: the operator's console and the data owner's page. The same sources give the same
 * bytes in any folder.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type Page, pageHtml } from './html.ts';
import { licences } from './licences.ts';
import { zod } from './zod.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The file with the digests of all other files, as `sha256sum --check` reads them. */
const SUMS = 'SHA256SUMS';

export type { Page };

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
type Files = Map<string, string | Uint8Array>;

/**
 * Builds pages, each into its folder, which then holds nothing else.
 * @throws as esbuild, for sources that cannot be bundled
 * @throws Error for a package in a page that has no licence beside it
 */
export async function buildPages(folders: Readonly<Partial<Record<Page, string>>> = FOLDERS): Promise<void> {
  await Promise.all(Object.entries(folders).map(([page, folder]) => buildPage(page as Page, folder)));
}

async function buildPage(page: Page, folder: string): Promise<void> {
  const files: Files = new Map();
  const inputs = new Set<string>();
  const define: Record<string, string> = {};
  if (page === 'owner') {
    await bundle(join(page, 'worker.ts'), {}, files, inputs);
    define.WORKER_INTEGRITY = JSON.stringify(integrity(files.get('worker.js')!));
  }
  await bundle(join(page, 'main.tsx'), define, files, inputs);
  const [script, style] = ['main.js', 'main.css'].map((name) => integrity(files.get(name)!));
  files.set('index.html', pageHtml(page, { script: script!, style: style! }));
  files.set('LICENSES.txt', await licences(ROOT, inputs));
  const lines = [...files].map(([name, bytes]) => `${digest('sha256', bytes, 'hex')}  ${name}\n`);
  files.set(SUMS, lines.sort((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join(''));

  await put(folder, files);
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
    if (there?.equals(Buffer.from(bytes))) continue;
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
  const files: Files = new Map();
  await bundle(source, define, files, new Set());
  return files.get(basename(source).replace(/tsx?$/, 'js')) as Uint8Array;
}

/** Adds the outputs of a source to `files`, and its inputs to `inputs`, by paths that begin at `ROOT`. */
async function bundle(
  source: string,
  define: Readonly<Record<string, string>>,
  files: Files,
  inputs: Set<string>,
): Promise<void> {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: [join(SOURCES, source)],
    outdir: ROOT,
    define: { 'process.env.NODE_ENV': '"production"', ...define },
  });
  for (const { path, contents } of outputFiles) files.set(basename(path), contents);
  for (const input of Object.keys(metafile.inputs)) inputs.add(input);
}

/** Returns the digest in the form of the attribute `integrity`. */
export function integrity(bytes: string | Uint8Array): string {
  return `sha384-${digest('sha384', bytes, 'base64')}`;
}

function digest(
  algorithm: 'sha256' | 'sha384',
  bytes: string | Uint8Array,
  encoding: 'hex' | 'base64',
): string {
  return createHash(algorithm).update(bytes).digest(encoding);
}
