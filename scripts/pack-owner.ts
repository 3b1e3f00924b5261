/**
 * `npm run pack:owner`: packs the owner library and command line as JavaScript with type declarations, in one tarball
 * that carries the Eigenveil packages it needs. (Node strips no types under node_modules, so sources cannot be installed.)
 */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;
const OWNER = 'services/data-owner';
const BUNDLED = [
  'shared/command',
  'shared/paillier',
  'shared/privacy',
  'shared/projection',
  'shared/protocol',
  'shared/statistics',
  'shared/task',
  'shared/wire',
];
/** Of these packages owners get one entry, a folder: the other needs the two-party protocols, which stay with the servers. */
const ENTRIES: Readonly<Record<string, string>> = { 'shared/protocol': 'owner' };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const { out, json } = new Command()
  .name('npm run pack:owner --')
  .description('Packs @eigenveil/data-owner as a tarball that npm can install anywhere.')
  .option('--out <DIR>', 'folder for the tarball', 'out')
  .option('--json', 'print {"file": …} instead of a sentence')
  .parse()
  .opts<{ out: string; json?: true }>();

const stage = await mkdtemp(join(tmpdir(), 'eigenveil-pack-'));
try {
  const file = await pack(stage, resolve(out));
  process.stdout.write(
    json ? `${JSON.stringify({ file })}\n` : `packed ${file}; install it with: npm install ${file}\n`,
  );
} finally {
  await rm(stage, { recursive: true, force: true });
}

async function pack(stage: string, out: string): Promise<string> {
  const compiled = join(stage, 'compiled');
  await compile(stage, compiled);
  const target = join(stage, 'package');
  const owner = await readManifest(OWNER);
  const bundled = await Promise.all(BUNDLED.map(readManifest));
  const own = new Set(bundled.map(({ name }) => name));
  // No registry is ever asked for a package of ours that is not in the tarball.
  const packed = ({ dependencies = {} }: Manifest) =>
    Object.entries(dependencies).filter(([name]) => own.has(name) || !name.startsWith('@eigenveil/'));
  await stagePackage(compiled, OWNER, target, {
    ...owner,
    dependencies: Object.fromEntries([owner, ...bundled].flatMap(packed).sort()),
    bundleDependencies: [...own],
  });
  for (const [i, folder] of BUNDLED.entries()) {
    const manifest = bundled[i]!;
    const dependencies = Object.fromEntries(packed(manifest));
    await stagePackage(compiled, folder, join(target, 'node_modules', manifest.name), {
      ...manifest,
      dependencies,
    });
  }
  await mkdir(out, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: target });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(out, filename);
}

/** One compilation over all packages, since they import each other as sources. */
async function compile(stage: string, outDir: string): Promise<void> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: ROOT,
      outDir,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [OWNER, ...BUNDLED].flatMap((folder) => {
      const entry = ENTRIES[folder];
      const paths = entry === undefined ? ['src', 'bin'] : [join('src', entry)];
      return paths.map((path) => join(ROOT, folder, path));
    }),
  };
  const file = join(stage, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', file]);
}

async function stagePackage(
  compiled: string,
  folder: string,
  target: string,
  manifest: Manifest & { readonly bundleDependencies?: readonly string[] },
) {
  await mkdir(target, { recursive: true });
  await cp(join(compiled, folder, 'src'), join(target, 'dist'), { recursive: true });
  const entry = ENTRIES[folder];
  const entries = Object.entries(manifest.exports).filter(
    ([name]) => entry === undefined || name === `./${entry}`,
  );
  const published: Record<string, unknown> = {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    type: 'module',
    engines: manifest.engines,
    exports: Object.fromEntries(entries.map(compiledExport)),
    dependencies: manifest.dependencies,
  };
  if (manifest.bundleDependencies !== undefined) {
    await cp(join(compiled, folder, 'bin'), join(target, 'bin'), { recursive: true });
    const commands = Object.entries(manifest.bin ?? {}).map(([name, path]) => [
      name,
      path.replace(/\.ts$/, '.js'),
    ]);
    published.bin = Object.fromEntries(commands);
    published.bundleDependencies = manifest.bundleDependencies;
    await copyFile(join(ROOT, folder, 'README.md'), join(target, 'README.md'));
    await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** An entry's source, `./src/x.ts`, as what was compiled from it. */
function compiledExport([entry, source]: [string, string]) {
  const compiled = source.replace('./src/', './dist/').replace(/\.ts$/, '');
  return [entry, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}
