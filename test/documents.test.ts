/** Every command of the documents has a smallest form, and those of the four command lines are run: `npm run test:documents`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUTHENTICATION } from './support/documented/authentication.ts';
import { COMMANDS } from './support/documented/commands.ts';
import { DOCUMENTED, FORMS, formOf, runnable } from './support/documented/forms.ts';
import { unknownBlocks } from './support/documented/list.ts';
import { DocumentSite } from './support/documented/site.ts';

test('every documented command has a form here, and every form is of one that is documented', () => {
  const without = DOCUMENTED.filter(({ command }) => formOf(command) === undefined);
  expect(without, 'commands without a form in test/support/documented').toEqual([]);
  const used = new Set(DOCUMENTED.map(({ command }) => formOf(command)));
  expect(FORMS.filter((form) => !used.has(form)).map(({ of }) => of)).toEqual([]);
});

test('a block without a language begins with a command that is known', () => {
  expect(unknownBlocks()).toEqual([]);
});

describe('a documented command', { tags: ['long'] }, () => {
  let site: DocumentSite;
  beforeAll(async () => {
    site = await DocumentSite.start();
  });
  afterAll(() => site.close());

  test.each(runnable([...AUTHENTICATION, ...COMMANDS]))('$command', ({ command, form }) =>
    form.run(site, command).then(() => undefined),
  );
});
