/** Every command of the documents and every script of package.json, in its smallest form: `npm run test:documents`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUTHENTICATION } from './support/documented/authentication.ts';
import { COMMANDS } from './support/documented/commands.ts';
import { ELSEWHERE } from './support/documented/elsewhere.ts';
import type { Form } from './support/documented/form.ts';
import { everyCommand, unknownBlocks } from './support/documented/list.ts';
import { SCRIPTS } from './support/documented/scripts.ts';
import { DocumentSite } from './support/documented/site.ts';

const FORMS: readonly Form[] = [...AUTHENTICATION, ...COMMANDS, ...SCRIPTS, ...ELSEWHERE];
const commands = everyCommand();
const formOf = (command: string) => FORMS.find(({ of }) => of.test(command));

test('every documented command has a form here, and every form is of one that is documented', () => {
  const without = commands.filter(({ command }) => formOf(command) === undefined);
  expect(without, 'commands without a form in test/support/documented').toEqual([]);
  const used = new Set(commands.map(({ command }) => formOf(command)));
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

  const inOrder = FORMS.flatMap((form) =>
    'run' in form
      ? commands.filter(({ command }) => formOf(command) === form).map((it) => ({ ...it, form }))
      : [],
  );
  test.each(inOrder)('$command ($where)', ({ command, form }) =>
    form.run(site, command).then(() => undefined),
  );
});
