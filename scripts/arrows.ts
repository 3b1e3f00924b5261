/**
 * `npm run lint` checks by this which room stands on which: the dependencies that a package.json declares go one way, and
 * biome ensures that an import is declared.
 */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createProgram, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { z } from 'zod';
import { ROOMS, ROOT } from './rooms.ts';

/** Services stand on all rooms and never on each other, except for the pages, which are made of portable parts of these two. */
const SERVICES: Record<string, readonly string[]> = {
  authenticator: [],
  csp: [],
  'data-owner': [],
  'data-user': [],
  pages: ['data-owner', 'data-user'],
};

/** Nothing that ships stands on these; its tests may. They may stand on everything. */
const FOR_TESTS = ['made-up', 'testbed'];
/** The pages are tried on what demonstrations bring. */
const IN_TESTS: Record<string, readonly string[]> = { pages: ['studies'] };

const FAILURE = codes({ ERR_ARROWS: { title: 'A package stands on one that it may not stand on' } });
const Dependencies = z.record(z.string(), z.string()).default({});
const Package = z.object({ dependencies: Dependencies, devDependencies: Dependencies });

const program = createProgram({
  name: 'arrows',
  version: '0.1.0',
  description: 'Checks that packages stand on each other one way.',
}).action(async () => {
  const wrong: string[] = [];
  for (const path of globSync('{shared,services}/*/package.json', { cwd: ROOT }).sort()) {
    const name = basename(dirname(path));
    if (FOR_TESTS.includes(name)) continue;
    const { dependencies, devDependencies } = Package.parse(
      JSON.parse(await readFile(join(ROOT, path), 'utf8')),
    );
    const allowed = SERVICES[name] === undefined ? below(name) : [...ROOMS, ...SERVICES[name]];
    // A room's tests may use rooms above it, and a service's tests other services.
    const inTests = SERVICES[name] === undefined ? ROOMS : [...ROOMS, ...Object.keys(SERVICES)];
    wrong.push(
      ...ours(dependencies)
        .filter((to) => !allowed.includes(to))
        .map((to) => `${path}: ${to}`),
      ...ours(devDependencies)
        .filter((to) => ![...inTests, ...FOR_TESTS, ...(IN_TESTS[name] ?? [])].includes(to))
        .map((to) => `${path}: ${to}, in tests`),
    );
  }
  if (wrong.length > 0) throw new CodedError(FAILURE.ERR_ARROWS, wrong.join('\n'));
});

/** The rooms on which a room may stand. A room that stands nowhere in the list gets a place there first. */
function below(name: string): readonly string[] {
  const place = ROOMS.indexOf(name);
  if (place < 0) throw new CodedError(FAILURE.ERR_ARROWS, `${name} has no place in scripts/rooms.ts`);
  return ROOMS.slice(0, place);
}

function ours(dependencies: Record<string, string>): string[] {
  return Object.keys(dependencies)
    .filter((it) => it.startsWith('@eigenveil/'))
    .map((it) => it.slice('@eigenveil/'.length));
}

await runCommand(program, process.argv);
