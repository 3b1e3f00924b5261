/**
 * The command `task draft` with one command for each method: from a sample and flags to a proposal that has been
 * checked, with notes on what it will cost and give.
 */
import { addSettings, COMMAND_CODES, type Command, CSV_HELP } from '@eigenveil/command';
import { draftingOf, METHODS, type MethodName } from '@eigenveil/methods/schema';
import { CodedError, hyphenated } from '@eigenveil/platform';
import { Help, Option } from 'commander';
import { COMMON, REGRAIN_SETTINGS, settingsOf } from './draft-settings.ts';
import { PREFIX } from './settings.ts';

const NAMES = Object.keys(METHODS) as MethodName[];

const COMMON_HELP = `${CSV_HELP}

A draft takes minima and maxima from the file, and with --ridge book a number of its scatter, so use it only on data of which these may be public. With --epsilon, write the ranges
from domain knowledge into the draft before you consent to them there ("dataIndependentRanges"). "twoValued" says whether a
feature takes two values alone, as in the file: how many rows have it tells its variance, so that fewer components leave the rest unknown.

Each feature declares its grain, how far apart its values lie (1 for whole numbers and codes, 0.1 for one decimal, "cell" for measured values), as the file shows it
or --grain says. Both servers add noise by it, the floor, so that whole numbers tell no more of the rows than measured ones would; --releases says for how many results over the
same rows. Columns that follow from others in every row (copies, complements, the last one of a one-hot group, sums) are left out unless --keep names them, since the
noise would average away by them. --exact drafts without a floor, and leaves no such column out: the whole scatter matrix may follow from the result. With --json,
"$forecast" has what the floor will cost by the sample.

A column that is named like labels (label, class, target, outcome, diagnosis, category, species or y as its name's last word) and has
at most twenty different whole numbers must stand in --label or in --ignore. Notes say what the sample lets expect; nothing of them
is in the draft. Every member is explained in docs/tasks.md.

Two tasks that share ε give better components than one. Draft the first with --mean-first, and the second, with the same ε and δ,
--around the result of the first: its ranges lie around that mean, and rows are clipped to half as much. Only what the first has
spent is counted: a third task, --around the second or once more --around the first, spends more than ε and δ. If the CSP alone
added noise to the first task, the ranges of the second show it the exact mean, except for noise that it knows.

A task with --basis is one of a chain: owners reduce their rows by the result of an earlier task first, whose components are its features
(PCA, then DCA: Fisherfaces). The sample has the columns of the first task, and the labels. Both are answers over the same rows. --ridge is in units of the
components' ranges; where it is not given, it is 1 in units of the first task's. With --epsilon, the earlier task must have a guarantee, too.

--ranges-from takes the ranges from a task of histogram: from the quantile --lower to the quantile --upper, or what its noise allows, and a tenth wider at each
end. Too few rows for its noise are refused. The draft names that result ("rangesFrom"), and needs no consent to its ranges. Both tasks spend of the same rows.`;

/** Adds `draft` to the command `task`. */
export function addDraft(task: Command): void {
  const group = task
    .command('draft')
    .description('write a task proposal from a file of rows, to be edited: a command for each method');
  for (const flag of OLD_FLAGS) group.addOption(new Option(`--${flag} [VALUE]`).hideHelp());
  const options = NAMES.flatMap((name) => addMethod(group, name).options).filter(({ hidden }) => !hidden);
  addRegrain(group);
  group.allowUnknownOption().allowExcessArguments();
  group.action(() => {
    const [first] = group.args;
    if (first?.startsWith('-') === true || OLD_FLAGS.some((flag) => group.getOptionValue(flag) !== undefined))
      throw oldSpelling(group, 'pca');
    group.help({ error: true });
  });
  const common = Object.keys(COMMON).map((flag) => options.find((it) => it.attributeName() === flag)!);
  group.configureHelp({ visibleOptions: (it) => [...common, ...new Help().visibleOptions(it)] });
  group.addHelpText('after', COMMON_HELP);
}

function addMethod(group: Command, name: MethodName): Command {
  const { purpose, details, example, flags } = draftingOf(name);
  const command = group.command(name).description(purpose);
  const settings = settingsOf(name);
  const configuration = addSettings(command, PREFIX, settings);
  for (const option of command.options)
    if (option.attributeName() in settings)
      option.helpGroup(option.attributeName() in flags ? `Options of ${name}:` : 'Common options:');
  const others = [...new Set(NAMES.flatMap((it) => Object.keys(settingsOf(it))))].filter(
    (flag) => !(flag in settings),
  );
  for (const flag of others) command.addOption(new Option(`--${hyphenated(flag)} [VALUE]`).hideHelp());
  command.addHelpText(
    'after',
    `
${details}

eigenveil-user task draft --help says what drafts have in common.

Example:
  $ eigenveil-user task draft ${name} --data sample.csv ${example} --owners 10 > task.json`,
  );
  command.action(async () => {
    if (OLD_FLAGS.some((flag) => group.getOptionValue(flag) !== undefined)) throw oldSpelling(group, name);
    const strange = others.find((flag) => command.getOptionValueSource(flag) === 'cli');
    if (strange !== undefined) throw otherFlag(strange, name);
    const given = configuration();
    const { draftProposal } = await import('./actions/proposal.ts');
    await draftProposal(command, name, given);
  });
  return command;
}

function addRegrain(group: Command): void {
  const command = group
    .command('regrain <FILE>')
    .description('write an older proposal again with grains, and change nothing else of it');
  const configuration = addSettings(command, PREFIX, REGRAIN_SETTINGS);
  command.addHelpText(
    'after',
    `${CSV_HELP}

Grains are those of the file of rows, as a draft takes them, or what --grain says.

Example:
  $ eigenveil-user task draft regrain older.json --data sample.csv > task.json`,
  );
  command.action(async (file: string) => {
    const settings = configuration();
    const { printRegrained } = await import('./actions/regrain.ts');
    await printRegrained(command, file, settings);
  });
}

/** Flags that drafts had before each method had a command, wherever they stand behind `draft`. */
const OLD_FLAGS = ['method', 'scale', 'sketch', 'regrain'] as const;

/** @param name the method where no flag says another one */
function oldSpelling(group: Command, name: MethodName): CodedError {
  const [method, scale, sketch, regrain] = OLD_FLAGS.map((flag): unknown => group.getOptionValue(flag));
  const isSketch =
    sketch !== undefined || ['--sketch-columns', '--refine'].some((it) => group.args.includes(it));
  const now =
    regrain !== undefined
      ? 'regrain FILE'
      : scale === 'correlation'
        ? scale
        : isSketch
          ? 'sketch'
          : (NAMES.find((it) => it === method) ?? name);
  return new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    `a command for each method has taken the place of --method, --scale and --sketch: give "eigenveil-user task draft ${now} …" with the other flags as they are`,
  );
}

/** A flag that other methods have. */
function otherFlag(flag: string, name: MethodName): CodedError {
  const having = NAMES.filter((it) => flag in settingsOf(it));
  return new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    `"--${hyphenated(flag)}" expected of ${having.join(', ')} alone, got ${name}`,
  );
}
