/** The programs answer --help at once: what an action works with is loaded when it runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from '@eigenveil/testbed/processes/programs';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const HOOK = new URL('support/loaded-modules.ts', import.meta.url).pathname;
const ROOT = new URL('..', import.meta.url).pathname;

/** Where a module comes from: a package of npm, a folder of the repository, or Node.js itself. */
function originOf(url: string): string {
  if (url.startsWith('node:')) return url;
  const path = new URL(url).pathname;
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (installed !== null) return installed[1]!;
  return path.slice(ROOT.length).split('/').slice(0, 2).join('/');
}

/** Packages whose codes of errors `wire` assembles, which the CSP's settings take with a schema of `wire`. */
const CODES = ['authentication', 'methods', 'paillier', 'privacy', 'statistics'].map(
  (name) => `shared/${name}`,
);
const SERVICE = ['shared/command', 'shared/platform', 'shared/server', 'shared/task', 'shared/wire'];

for (const [name, folders, tags] of [
  ['csp', [...SERVICE, ...CODES, 'services/csp', 'canonicalize'], []],
  // Its drafts are commands that methods make.
  ['user', [...SERVICE, 'shared/methods', 'shared/statistics', 'services/data-user'], ['long']],
  [
    'owner',
    [...SERVICE.filter((it) => it !== 'shared/server'), 'shared/statistics', 'services/data-owner'],
    ['long'],
  ],
  ['authenticator', [...SERVICE, 'shared/statistics', 'services/authenticator', 'canonicalize'], ['long']],
] as const)
  test(`eigenveil-${name} --help loads settings and the command line alone`, {
    tags: [...tags],
  }, async () => {
    const { stdout, stderr } = await run(process.execPath, ['--import', HOOK, program(name), '--help'], {
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toContain(`Usage: eigenveil-${name}`);
    const urls = JSON.parse(stderr) as string[];
    const origins = new Set(urls.map(originOf));
    expect([...origins].filter((it) => !it.startsWith('node:')).sort()).toEqual(
      ['commander', 'zod', ...folders].sort(),
    );
    // In no package of these is everything light: what a server, a client, a database or threads need is loaded later.
    const heavy = ['node:http', 'node:https', 'node:sqlite', 'node:tls', 'node:worker_threads'];
    expect(heavy.filter((it) => origins.has(it))).toEqual([]);
    const early = urls.filter((url) =>
      /\/cli\/actions\/|\/(server|task|methods|wire|csp|data-user|data-owner|authenticator)\/src\/index\.ts$/.test(
        url,
      ),
    );
    expect(early).toEqual([]);
  });
