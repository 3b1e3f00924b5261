/** Bundles the two pages: the operator's console and the data owner's page. The same sources give the same bytes. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Page, pageHtml } from './html.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** Where each page belongs: beside the program that hands it out, so that neither depends on this package. Never committed. */
export const FOLDERS: Readonly<Record<Page, string>> = {
  console: fileURLToPath(new URL('../../data-user/console/', import.meta.url)),
  owner: fileURLToPath(new URL('../../data-owner/page/', import.meta.url)),
};

/** Browsers that sign with Ed25519 in WebCrypto. */
const TARGET = ['chrome137', 'firefox130', 'safari18'];

/**
 * Builds both pages below these folders, which are emptied first.
 * @throws as esbuild, for sources that cannot be bundled
 */
export async function buildPages(folders: Readonly<Record<Page, string>> = FOLDERS): Promise<void> {
  await Promise.all(Object.entries(folders).map(([page, folder]) => buildPage(page as Page, folder)));
}

async function buildPage(page: Page, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [{ in: join(SOURCES, page, 'main.tsx'), out: 'main' }],
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    minify: true,
    legalComments: 'linked',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const [script, style] = await Promise.all(
    ['main.js', 'main.css'].map(async (file) => integrity(await readFile(join(folder, file)))),
  );
  await writeFile(join(folder, 'index.html'), pageHtml(page, { script: script!, style: style! }));
}

/** As in the attribute of that name. */
function integrity(bytes: Uint8Array): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}
