/**
 * `npm run pack`: packs the libraries and commands of owners and data users, and the projector, as JavaScript with type declarations. Each
 * tarball carries the Eigenveil packages that it needs, and its page. (Node strips no types under node_modules, so sources cannot be
 * installed.)
 */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, parse, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildPages, type Page } from '@eigenveil/pages/build';
import { Argument, Command } from 'commander';
import { ROOT } from './rooms.ts';

const run = promisify(execFile);
const OURS = '@eigenveil/';
/** An entry that lies elsewhere, among tests, is for tests and studies alone: it is never packed. */
const SOURCES = './src/';
/** The package that a line imports from; lines of comments begin with a star. */
const IMPORTED = /^(?!\s*\*).*(?:from |import\(|import )'((?:@[^/']+\/)?[^./'][^/']*)/gm;

interface Packed {
  readonly folder: string;
  /** By folder of a package, the one entry of it that is packed: a file of that name, which imports packages alone. */
  readonly entries: Readonly<Record<string, string>>;
  /** The page that it has, and the folder of its own that the page is built into. */
  readonly page?: readonly [Page, string];
}
const PACKED: Readonly<Record<string, Packed>> = {
  // The other entry of protocol needs the two-party protocols, which stay with the servers.
  owner: { folder: 'services/data-owner', entries: { 'shared/protocol': 'owner' }, page: ['owner', 'page'] },
  user: { folder: 'services/data-user', entries: {}, page: ['console', 'console'] },
  projection: { folder: 'shared/projection', entries: {} },
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  /** By name, the source, or the sources by the condition under which they are meant. */
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** The sources, in the same form, of what the package imports from itself by a name. */
  readonly imports?: Manifest['exports'];
  readonly dependencies?: Readonly<Record<string, string>>;
  /** The packages that those who need them install beside it. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** A package on its way into a tarball. */
interface Staged {
  readonly folder: string;
  readonly entry: string | undefined;
  readonly manifest: Manifest;
  /** The packages that its packed files import. */
  readonly dependencies: Readonly<Record<string, string>>;
}

const program = new Command()
  .name('npm run pack --')
  .description('Packs libraries and commands as tarballs that npm can install anywhere.')
  .addArgument(new Argument('[packages...]', 'which (default: all)').choices(Object.keys(PACKED)))
  .option('--out <DIR>', 'folder for the tarballs', 'out')
  .option('--json', 'print {"files": {…}} instead of sentences')
  .parse();
const { out, json } = program.opts<{ out: string; json?: true }>();
const names = program.args.length > 0 ? program.args : Object.keys(PACKED);

const stage = await mkdtemp(join(tmpdir(), 'eigenveil-pack-'));
try {
  const compiled = join(stage, 'compiled');
  const wanted = await Promise.all(
    names.map(async (name) => ({ name, packages: await withImported(PACKED[name]!) })),
  );
  await compile(
    stage,
    compiled,
    wanted.flatMap(({ packages }) => packages),
  );
  const files: Record<string, string> = {};
  for (const { name, packages } of wanted) {
    const target = join(stage, name);
    const { page } = PACKED[name]!;
    if (page !== undefined) await buildPages({ [page[0]]: join(target, page[1]) });
    files[name] = await pack(compiled, target, packages, resolve(out));
  }
  const lines = Object.values(files).map((file) => `packed ${file}; install it with: npm install ${file}\n`);
  process.stdout.write(json ? `${JSON.stringify({ files })}\n` : lines.join(''));
} finally {
  await rm(stage, { recursive: true, force: true });
}

async function pack(
  compiled: string,
  target: string,
  [main, ...bundled]: readonly Staged[],
  out: string,
): Promise<string> {
  // No registry is ever asked for a package of ours that is not in the tarball.
  await stagePackage(compiled, main!, target, bundled);
  for (const it of bundled) await stagePackage(compiled, it, join(target, 'node_modules', it.manifest.name));
  await mkdir(out, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: target });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(out, filename);
}

/** The package and all of ours that what is packed of it imports, itself first. */
async function withImported({ folder, entries }: Packed): Promise<Staged[]> {
  const staged = [await readPackage(folder, entries[folder])];
  for (const { dependencies } of staged) {
    for (const name of Object.keys(dependencies).filter((it) => it.startsWith(OURS))) {
      if (staged.some(({ manifest }) => manifest.name === name)) continue;
      const next = `shared/${name.slice(OURS.length)}`;
      staged.push(await readPackage(next, entries[next]));
    }
  }
  return staged;
}

async function readPackage(folder: string, entry: string | undefined): Promise<Staged> {
  const manifest = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
  const sources = globSync(entry === undefined ? '{src,bin}/**/*.ts' : `src/${entry}.ts`, {
    cwd: join(ROOT, folder),
  });
  const imported = new Set<string>();
  for (const source of sources) {
    const text = await readFile(join(ROOT, folder, source), 'utf8');
    for (const [, name] of text.matchAll(IMPORTED)) imported.add(name!);
  }
  const dependencies = Object.entries(manifest.dependencies ?? {}).filter(([name]) => imported.has(name));
  return { folder, entry, manifest, dependencies: Object.fromEntries(dependencies) };
}

/** One compilation over all packages, since they import each other as sources. */
async function compile(stage: string, outDir: string, packages: readonly Staged[]): Promise<void> {
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
    include: packages.flatMap(({ folder, entry }) =>
      (entry === undefined ? ['src', 'bin'] : [`src/${entry}.ts`]).map((part) => join(ROOT, folder, part)),
    ),
  };
  const file = join(stage, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', file]);
}

/** @param bundled packages that the tarball of this one carries */
async function stagePackage(
  compiled: string,
  { folder, entry, manifest, dependencies }: Staged,
  target: string,
  bundled?: readonly Staged[],
) {
  await mkdir(target, { recursive: true });
  // Tarballs are compiled together, so what another one has of the package lies there, too.
  const parts = entry === undefined ? [''] : [`${entry}.js`, `${entry}.d.ts`];
  for (const part of parts)
    await cp(join(compiled, folder, 'src', part), join(target, 'dist', part), { recursive: true });
  for (const data of globSync('*.schema.json', { cwd: join(ROOT, folder) }))
    await copyFile(join(ROOT, folder, data), join(target, data));
  const entries = Object.entries(manifest.exports).filter(([name, sources]) =>
    entry === undefined ? typeof sources !== 'string' || sources.startsWith(SOURCES) : name === `./${entry}`,
  );
  const published: Record<string, unknown> = {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    type: 'module',
    engines: manifest.engines,
    exports: Object.fromEntries(entries.map(compiledExport)),
    imports: Object.fromEntries(Object.entries(manifest.imports ?? {}).map(compiledExport)),
    dependencies,
    peerDependencies: manifest.peerDependencies,
    peerDependenciesMeta: manifest.peerDependenciesMeta,
  };
  if (bundled !== undefined) {
    const all = [dependencies, ...bundled.map((it) => it.dependencies)].flatMap(Object.entries<string>);
    published.dependencies = Object.fromEntries(all.sort());
    published.bundleDependencies = bundled.map((it) => it.manifest.name);
    if (manifest.bin !== undefined) {
      await cp(join(compiled, folder, 'bin'), join(target, 'bin'), { recursive: true });
      published.bin = Object.fromEntries(
        await Promise.all(
          Object.entries(manifest.bin).map(async ([name, path]) => {
            const command = path.replace(/\.ts$/, '.js');
            const { base } = parse(command);
            await rename(join(target, command), join(target, dirname(command), `run-${base}`));
            await writeFile(join(target, command), launcher(name, base, manifest.engines.node!));
            return [name, command];
          }),
        ),
      );
    }
    await copyFile(join(ROOT, folder, 'README.md'), join(target, 'README.md'));
    await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/**
 * Returns the file that a command begins with: any Node.js can read it, so that one which is too old says so, instead of failing somewhere within.
 * @param engine `>=24`
 */
function launcher(name: string, base: string, engine: string): string {
  const [, least] = /^>=(\d+)$/.exec(engine) ?? [];
  if (least === undefined) throw new Error(`"engines.node" expected such as >=24, got ${engine}`);
  return `#!/usr/bin/env node
if (Number.parseInt(process.versions.node, 10) < ${least}) {
  console.error('${name} needs Node.js ${least} or newer, and this is ' + process.versions.node);
  process.exitCode = 2;
} else {
  await import('./run-${base}');
}
`;
}

function compiledExport([entry, sources]: [string, Manifest['exports'][string]]) {
  if (typeof sources === 'string') return [entry, compiledSource(sources)];
  const conditions = Object.entries(sources).map(([condition, source]) => [
    condition,
    compiledSource(source),
  ]);
  return [entry, Object.fromEntries(conditions)];
}

/** An entry's source, `./src/x.ts`, as what was compiled from it. */
function compiledSource(source: string) {
  const compiled = source.replace(SOURCES, './dist/').replace(/\.ts$/, '');
  return { types: `${compiled}.d.ts`, default: `${compiled}.js` };
}
