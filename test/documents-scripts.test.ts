/** Every script of package.json and every documented way to call it, in its smallest form: `npm run test:documents`. */
import { afterAll, beforeAll, describe, test } from 'vitest';
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
});
