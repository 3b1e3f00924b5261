/** `--quick` and `--full`, which every command of measurements takes, and says which one it is without either. */
import { type Command, Option } from 'commander';
import type { Scale } from './tidy.ts';

/** Adds both. `words` say what each does. */
export function addScale(
  command: Command,
  usual: Scale,
  words: { readonly quick: string; readonly full: string },
): Command {
  const says = (scale: Scale) => `${words[scale]}${scale === usual ? ' (default)' : ''}`;
  return command
    .addOption(new Option('--quick', says('quick')).conflicts('full'))
    .addOption(new Option('--full', says('full')).conflicts('quick'));
}

/** Returns which of both the options of such a command ask for. */
export function scaleOf(
  { quick, full }: { readonly quick?: true | undefined; readonly full?: true | undefined },
  usual: Scale,
): Scale {
  if (quick === true) return 'quick';
  return full === true ? 'full' : usual;
}
