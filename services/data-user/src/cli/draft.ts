/** The command `task draft`: from a sample and flags to a proposal that has been checked, with notes on what it will cost and give. */
import { addSettings, type Command, CSV_HELP } from '@eigenveil/command';
import { DRAFT_SETTINGS } from './draft-settings.ts';
import { PREFIX } from './settings.ts';

/** Adds `draft` to the command `task`. */
export function addDraft(task: Command): void {
  const command = task
    .command('draft')
    .description('write a task proposal from a file of rows, to be edited');
  const configuration = addSettings(command, PREFIX, DRAFT_SETTINGS);
  command.addHelpText(
    'after',
    `${CSV_HELP}

Takes minima and maxima from the file, so use it only on data whose ranges may be public. With --epsilon, write the ranges
from domain knowledge into the draft before you consent to them there ("dataIndependentRanges"). "twoValued" says whether a
feature takes two values alone, as in the file: how many rows have it tells its variance, so that fewer components leave the rest unknown.

Each feature declares its grain, how far apart its values lie (1 for whole numbers and codes, 0.1 for one decimal, "cell" for measured values), as the file shows it
or --grain says. Both servers add noise by it, the floor, so that whole numbers tell no more of the rows than measured ones would; --releases says for how many results over the
same rows. Columns that follow from others in every row (copies, complements, the last one of a one-hot group, sums) are left out unless --keep names them, since the
noise would average away by them. --exact drafts without a floor, and leaves no such column out: the whole scatter matrix may follow from the result. --regrain FILE writes an
older proposal again with grains from --data and --grain, and changes nothing else of it. With --json, "$forecast" has what the floor will cost by the sample.

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

--sketch drafts for hundreds or thousands of features: notes say how much of the sample's variance it loses, and how much with the floor's noise. Give it "--two-party rotated"
and, where you know it, one --range: then features whose names count up stand in the draft as one entry ("count").

--refine drafts another round of a sketch: Ω begins with the vectors of that result, so that components come closer to the exact ones. Features and
their ranges are those of that task, whose columns the sample has. It is another answer over the same rows.

--method histogram drafts noisy counts of every feature by 2^h bins, for --epsilon: private ranges and quantiles where nobody knows them. The strategy is the one
with the least expected error for --workload. Give a wide --range, or --logarithmic where only magnitudes are known: ranges that come from the rows void the guarantee.

--method ridge drafts a regression of --target on all other columns, which are not in --ignore. Result and weights go to you, and nobody sees rows.

--ranges-from takes the ranges from such a task, for any other method: from the quantile --lower to the quantile --upper, or what its noise allows, and a tenth wider at each
end. Too few rows for its noise are refused. The draft names that result ("rangesFrom"), and needs no consent to its ranges. Both tasks spend of the same rows.

Example:
  $ eigenveil-user task draft --data sample.csv --method dca --label label --components 1 --owners 10 > task.json`,
  );
  command.action(async () => {
    const settings = configuration();
    const { draftProposal } = await import('./actions/proposal.ts');
    await draftProposal(command, settings);
  });
}
