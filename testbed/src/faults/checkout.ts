/** A copy of the repository, uncommitted changes included, in which faults can be planted while the original is worked on. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Source } from './fault.ts';

/** Where faults are looked for. */
const SOURCES = /^(?:(?:(?:services|shared)\/[^/]+|testbed)\/(?:src|bin)|studies\/(?!test\/)[^/]+)\/.*\.ts$/;
const SCOPE = '@eigenveil';

export class Checkout {
  readonly folder: string;
  readonly sources: readonly Source[];

  private constructor(folder: string, sources: readonly Source[]) {
    this.folder = folder;
    this.sources = sources;
  }

  /** Copies the repository at `root` to `folder`; its dependencies are linked, but its own packages are those of the copy. */
  static async copy(root: string, folder: string): Promise<Checkout> {
    const files = await filesOf(root);
    for (const path of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(join(root, path), join(folder, path));
    }
    const sources = await readSources(root, files);
    await linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
    await linkOwnModules(root, folder);
    return new Checkout(folder, sources);
  }

  /** Reads the sources in which faults are looked for. */
  static async sourcesOf(root: string): Promise<Source[]> {
    return readSources(root, await filesOf(root));
  }

  has(path: string): Promise<boolean> {
    return isFile(join(this.folder, path));
  }

  /** Does work while one source is another. */
  async with<T>({ path, text }: Source, work: () => Promise<T>): Promise<T> {
    const file = join(this.folder, path);
    const original = await readFile(file);
    await writeFile(file, text);
    try {
      return await work();
    } finally {
      await writeFile(file, original);
    }
  }
}

function readSources(root: string, files: readonly string[]): Promise<Source[]> {
  const paths = files.filter((path) => SOURCES.test(path));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

/** Returns the files that git tracks or would, but for those that are deleted. */
async function filesOf(root: string): Promise<string[]> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const paths = [...new Set(listed.split('\0').filter((it) => it !== ''))];
  const there = await Promise.all(paths.map((path) => isFile(join(root, path))));
  return paths.filter((_, i) => there[i]);
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Without the caches, which are kept by path. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(join(to, SCOPE), { recursive: true });
  for (const name of await readdir(from)) {
    if (name === SCOPE || (name.startsWith('.') && name !== '.bin')) continue;
    await symlink(join(from, name), join(to, name));
  }
  // These links are relative: the same ones lead to the packages of the copy.
  for (const name of await readdir(join(from, SCOPE)))
    await symlink(await readlink(join(from, SCOPE, name)), join(to, SCOPE, name));
}

/**
 * A package of ours has modules of its own where it needs another version than others. The folder itself is no link: `npm ci` in the copy
 * would empty the original.
 */
async function linkOwnModules(root: string, folder: string): Promise<void> {
  for (const modules of globSync('{studies,testbed,{shared,services}/*}/node_modules', { cwd: root })) {
    if (!(await isFile(join(folder, dirname(modules), 'package.json')))) continue;
    await mkdir(join(folder, modules));
    for (const name of await readdir(join(root, modules)))
      await symlink(join(root, modules, name), join(folder, modules, name));
  }
}
