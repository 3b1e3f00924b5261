/** Every script of package.json and every documented way to call it, in its smallest form: `npm run test:documents`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runnable } from './support/documented/forms.ts';
import { SCRIPTS } from './support/documented/scripts.ts';
import { DocumentSite } from './support/documented/site.ts';

describe('a script', { tags: ['long'] }, () => {
  let site: DocumentSite;
  beforeAll(async () => {
    site = await DocumentSite.start();
  });
  afterAll(() => site.close());

  // Each is a process of its own; as many run as there are cores.
  test.concurrent.each(runnable(SCRIPTS))('$command', ({ command, form }) =>
    form.run(site, command).then(() => undefined),
  );

  test('of the browser says how it is used where there is none', async () => {
    const env = { ...process.env, CHROMIUM_PATH: '/nowhere' };
    const script = fileURLToPath(new URL('../services/pages/bench/bench.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--help'], { env });
    expect(stdout).toContain('--repetitions');
  });
});
