/** The licences of the packages that a page contains, as one text that goes with it. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

const FILES = /^(?:licen[cs]e|notice|copying)/i;
const FOLDERS = /^(?:licen[cs]es)?$/i;
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const OURS = /^@eigenveil\//;

/**
 * @param inputs what was bundled, as paths that begin at `root`
 * @throws Error for a package that names no licence
 */
export async function licences(root: string, inputs: Iterable<string>): Promise<string> {
  const folders = new Set<string>();
  for (const input of inputs) {
    const [, folder, name] = PACKAGE.exec(resolve(root, input).replaceAll('\\', '/')) ?? [];
    if (folder !== undefined && !OURS.test(name!)) folders.add(folder);
  }
  const texts = await Promise.all([...folders].map(licence));
  return `This page contains these packages of others.\n\n${texts.sort().join('\n')}`;
}

async function licence(folder: string): Promise<string> {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const title = `${manifest.name} ${manifest.version}`;
  if (manifest.license === undefined) throw new Error(`${title} names no licence`);
  // Some packages keep the licences of code that they have taken over in a folder.
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((it) => it.isFile() && FILES.test(it.name) && FOLDERS.test(relative(folder, it.parentPath)))
    .map((it) => join(it.parentPath, it.name))
    .sort();
  if (files.length === 0) throw new Error(`${title} has no file with its licence`);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [`${title} (${manifest.license})`, '='.repeat(72), ...texts.map((text) => text.trim()), ''].join(
    '\n\n',
  );
}
