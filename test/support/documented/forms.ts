/** All documented commands with their smallest forms. */
import { AUTHENTICATION } from './authentication.ts';
import { COMMANDS } from './commands.ts';
import { ELSEWHERE } from './elsewhere.ts';
import type { Form, Runnable } from './form.ts';
import { type Documented, everyCommand } from './list.ts';
import { SCRIPTS } from './scripts.ts';

export const FORMS: readonly Form[] = [...AUTHENTICATION, ...COMMANDS, ...SCRIPTS, ...ELSEWHERE];
export const DOCUMENTED = everyCommand();

export const formOf = (command: string): Form | undefined => FORMS.find(({ of }) => of.test(command));

/** The commands of some forms that run here, in the order of the forms. */
export const runnable = (forms: readonly Form[]): (Documented & { readonly form: Runnable })[] =>
  forms.flatMap((form) =>
    'run' in form
      ? DOCUMENTED.filter(({ command }) => formOf(command) === form).map((it) => ({ ...it, form }))
      : [],
  );
