/**
 * Says how the tests run. Most files share processes, so that what they import is loaded once per worker and not once per file; those that
 * replace modules, or look at or change what belongs to a whole process, have one to themselves.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The files that cannot share a process, each with the reason. */
export const ALONE = [
  'studies/test/evaluation/attacks/membership/wiring.test.ts', // replaces modules
];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tests = (folders: string) => `${folders}/**/*.test.ts`;
export const ALL = [
  tests('shared/*/test'),
  tests('services/*/test'),
  tests('studies/test'),
  tests('testbed/test'),
  tests('test'),
];

export default defineConfig({
  test: {
    // Many tests wait for other processes; each worker loads everything once.
    maxWorkers: availableParallelism() + 1,
    maxConcurrency: availableParallelism(),
    globalSetup: [
      at('test/support/run-folder.ts'),
      // Tests share one PostgreSQL, which is launched for the first that needs it.
      at('testbed/src/databases/postgres-of-run.ts'),
    ],
    setupFiles: [at('test/support/end-with-run.ts')],
    // The next process need not compile what one has compiled.
    env: {
      NODE_COMPILE_CACHE: at('node_modules/.cache/eigenveil-test'),
    },
    // Node.js loads all modules and strips their types, as it does for the programs.
    experimental: { viteModuleRunner: false },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A machine may be slow: what is waited for comes when it comes.
    expect: { poll: { timeout: 60_000 } },
    tags: [
      { name: 'long', timeout: 300_000, description: 'Run by `npm run test:long`, and not by `npm test`.' },
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ALL,
          exclude: ALONE,
          isolate: false,
          // Looking for mocks in each file takes a tenth of the time.
          experimental: { nodeLoader: false },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
