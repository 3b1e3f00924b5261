/** Commands that `npm run test:documents` does not run, with the reasons. */
import type { Form } from './form.ts';

const elsewhere = (why: string, ...of: readonly RegExp[]): Form[] =>
  of.map((one) => ({ of: one, elsewhere: why }));

export const ELSEWHERE: readonly Form[] = [
  ...elsewhere(
    '.ci/run gives it before or after this',
    /^npm ci$/,
    /^npm test$/,
    /^npm run (?:lint|prepare|typecheck|typecheck:root|typecheck:examples)$/,
    /^npm run evaluate -- --quick$/,
    /^npm run test:documents$/,
    /^npm run test:python$/,
  ),
  ...elsewhere('it is for before a release, and needs what pip gets', /^npm run test:python:long$/),
  ...elsewhere('test/documents-site.test.ts runs it, in the same run', /^npm run docs$/),
  ...elsewhere(
    'it asks a registry for packages',
    /^npm ci --omit=dev$/,
    /^npm install (?:--loglevel warn|@duckdb\S+)$/,
  ),
  ...elsewhere(
    'it asks a registry for packages; test/package.test.ts installs the tarballs',
    /^npm install \S*eigenveil-\S+\.tgz$/,
  ),
  ...elsewhere(
    'all tests and all faults: test:long and faults are run here, each by itself',
    /^npm run test:all$/,
  ),
  ...elsewhere(
    'it writes files of the checkout anew, with which `npm test` or `npm run lint` compare',
    /^npm run format$/,
    /^EIGENVEIL_(?:FIXTURES|RECORD|PICTURES)=/,
    /^npx vitest run \S+ -u$/,
  ),
  ...elsewhere(
    'it is for systemd; test/diary.test.ts does as systemd would',
    /^systemctl (?:start|stop|reload) /,
  ),
  ...elsewhere('it needs docker; test/deploy.test.ts reads the file that it builds', /^docker build /),
  ...elsewhere('it asks a certificate authority', /^certbot /),
  ...elsewhere("it asks somebody's database", /^psql /),
  ...elsewhere('it asks a host of the owners', /^curl /, /^for file in .*curl /),
  ...elsewhere(
    'it goes on until it is told to end, as test/recipes.test.ts does; the same demo is run here without it',
    /^npm run demo -- --keep$/,
  ),
  ...elsewhere(
    'it needs a PostgreSQL of its own; test/postgres.test.ts starts the service with one',
    /^EIGENVEIL_USER_DATABASE_URL=/,
  ),
  ...elsewhere(
    'it is for the shell of whoever follows the document, as test/recipes.test.ts does',
    /^export /,
  ),
  ...elsewhere(
    'test/examples.test.ts starts it as a process, in the same run',
    /(?:^| )node examples\/\S+\.ts/,
  ),
  ...elsewhere('it shows only that scripts have a form', /^npm run$/),
];
