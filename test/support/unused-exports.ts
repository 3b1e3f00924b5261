/** Which names the packages that ship export to others, and which of these the shipped code of other packages imports. */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type EcmaScriptModule, parseSync, Visitor } from 'oxc-parser';
import { z } from 'zod';

const OURS = '@eigenveil/';
const PACKAGES = '{shared,services}/*/package.json';
/** What ships of a package; `build` makes the pages. */
const SHIPPED = '{src,bin,build}/**/*.{ts,tsx}';
const TESTS = '{test,bench}/**/*.{ts,tsx}';
const NEVER_SHIPPED = ['shared/made-up'];
/** An entry among tests does not ship: `insides` of the two-party protocols. */
const AMONG_TESTS = './test/';

const Manifest = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).default({}),
});

/** A name of an entry, or of a module by its path. */
interface Name {
  readonly from: string;
  readonly name: string;
}

interface Package {
  readonly name: string;
  /** By entry, the modules that are meant by it. */
  readonly entries: readonly { readonly entry: string; readonly file: string }[];
  /** The text of each file. */
  readonly shipped: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, string>;
}

/**
 * The names that entries of shipped packages export and that shipped code of no other package imports, as `entry: name`.
 * An entry can be a module that its own package uses, too: what the package imports from there has a user, and what is
 * declared there may have one among the tests beside it.
 */
export function unusedExports(root: string): string[] {
  const packages = globSync(PACKAGES, { cwd: root })
    .map((path) => dirname(path))
    .filter((folder) => !NEVER_SHIPPED.includes(folder))
    .map((folder) => readPackage(join(root, folder)));
  const used = new Set(
    packages.flatMap(({ name: own, shipped }) =>
      [...shipped]
        .filter(([, text]) => text.includes(OURS))
        .flatMap(([file, text]) => importsOf(file, text))
        .filter(({ from }) => from !== own && !from.startsWith(`${own}/`))
        .map(keyOf),
    ),
  );
  const modules = new Map<string, EcmaScriptModule>();
  const moduleOf = (file: string) => {
    const module = modules.get(file) ?? parseSync(file, readFileSync(file, 'utf8')).module;
    modules.set(file, module);
    return module;
  };
  const unused = packages.flatMap((it) =>
    it.entries.flatMap(({ entry, file }) => {
      // Whoever takes a name from an entry that passes all of this one on takes it from here.
      const passing = it.entries
        .filter((other) => starsOf(other.file, moduleOf(other.file)).includes(file))
        .map((other) => other.entry);
      return exportsOf(file, moduleOf(file))
        .filter(({ name }) => ![entry, ...passing].some((from) => used.has(keyOf({ from, name }))))
        .filter(({ name }) => !isImported({ from: file, name }, it.shipped))
        .filter(({ from, name }) => from !== file || !isImported({ from, name }, it.tests))
        .map(({ name }) => keyOf({ from: entry, name }));
    }),
  );
  return [...new Set(unused)].sort();
}

/** Names that modules of studies and the testbed export and that no other file of the repository has, as `path: name`. */
export function unusedByAnybody(root: string): string[] {
  const paths = globSync('{studies,testbed,scripts,test,services,shared,examples}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  const words = new Map(
    paths.map((path) => [path, new Set(readFileSync(join(root, path), 'utf8').match(/[\w$]+/g))]),
  );
  const areNamed = [...words].filter(([path]) => /^(studies\/(?!test\/)|testbed\/src\/)/.test(path));
  return areNamed
    .flatMap(([path]) => {
      const file = join(root, path);
      return exportsOf(file, parseSync(file, readFileSync(file, 'utf8')).module)
        .filter(({ name }) => ![...words].some(([other, those]) => other !== path && those.has(name)))
        .map(({ name }) => `${path}: ${name}`);
    })
    .sort();
}

const keyOf = ({ from, name }: Name) => `${from}: ${name}`;

function readPackage(folder: string): Package {
  const { name, exports } = Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const texts = (pattern: string) =>
    new Map(
      globSync(pattern, { cwd: folder }).map((path) => {
        const file = join(folder, path);
        return [file, readFileSync(file, 'utf8')];
      }),
    );
  const entries = Object.entries(exports).flatMap(([entry, to]) =>
    (typeof to === 'string' ? [to] : Object.values(to))
      .filter((source) => !source.startsWith(AMONG_TESTS))
      .map((source) => ({ entry: join(name, entry), file: join(folder, source) })),
  );
  return { name, entries, shipped: texts(SHIPPED), tests: texts(TESTS) };
}

/** Whether one of these files imports a name from a module of their package. */
function isImported(wanted: Name, files: ReadonlyMap<string, string>): boolean {
  const request = `/${basename(wanted.from)}'`;
  return [...files].some(
    ([file, text]) =>
      text.includes(request) &&
      text.includes(wanted.name) &&
      importsOf(file, text).some((it) => keyOf(it) === keyOf(wanted)),
  );
}

/** The names that a module exports, with the module that each is from, without those that it passes on by a star. */
function exportsOf(file: string, { staticExports }: EcmaScriptModule): Name[] {
  return staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) =>
      exportName.name === null
        ? []
        : [
            {
              from: moduleRequest === null ? file : resolved(file, moduleRequest.value),
              name: exportName.name,
            },
          ],
    ),
  );
}

/** The modules of which a module passes on all names. */
function starsOf(file: string, { staticExports }: EcmaScriptModule): string[] {
  return staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) =>
      exportName.name === null && moduleRequest !== null ? [resolved(file, moduleRequest.value)] : [],
    ),
  );
}

/** What a module takes, or passes on, from entries of packages and from modules, by their paths. */
function importsOf(file: string, text: string): Name[] {
  const { module, program } = parseSync(file, text);
  const found: Name[] = [];
  const add = (request: string, name: string | null) => {
    if (name !== null) found.push({ from: resolved(file, request), name });
  };
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { importName } of entries) add(moduleRequest.value, importName.name);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, importName } of entries)
      if (moduleRequest !== null) add(moduleRequest.value, importName.name);
  if (module.dynamicImports.length > 0) {
    // `const { name } = await import('…')`
    new Visitor({
      VariableDeclarator({ id, init }) {
        if (id.type !== 'ObjectPattern' || init?.type !== 'AwaitExpression') return;
        const { argument } = init;
        if (argument.type !== 'ImportExpression' || argument.source.type !== 'Literal') return;
        for (const property of id.properties)
          if (property.type === 'Property' && property.key.type === 'Identifier')
            add(String(argument.source.value), property.key.name);
      },
    }).visit(program);
  }
  return found;
}

const resolved = (file: string, request: string) =>
  request.startsWith('.') ? join(dirname(file), request) : request;
