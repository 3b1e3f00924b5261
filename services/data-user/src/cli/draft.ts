/**
 * The command `task draft`: from a sample and flags to a proposal that has been checked, with notes on what
 * it will cost and give.
 */
import {
  addSettings,
  COMMAND_CODES,
  type Command,
  CSV_HELP,
  checkConfiguration,
  printResult,
  readJsonFile,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { proposalSchemaUrl, TaskProposal } from '@eigenveil/task/schema';
import type { DraftBasis } from '../advice/draft/basis.ts';
import type { draftTask } from '../advice/draft/file.ts';
import type { HistogramWishes } from '../advice/draft/histogram.ts';
import type { draftPrivacy, EarlierResult as Earlier } from '../advice/draft/privacy.ts';
import type { Wishes } from '../advice/draft/proposal.ts';
import type { AskedLevels } from '../advice/draft/ranges.ts';
import type { ReadSampleRows } from '../advice/draft/sample.ts';
import { DRAFT_SETTINGS } from './draft-settings.ts';
import { asConfiguration, tellNotes } from './notes.ts';
import { CLIENT_SETTINGS, PREFIX, taskIdOf, withClient } from './tasks.ts';

type HistogramSettings = Omit<HistogramWishes, 'epsilon'> &
  Omit<Wishes, 'components' | 'refine' | 'exact' | 'releases'> & {
    readonly data: string;
    readonly epsilon?: number | undefined;
    readonly components?: number | undefined;
    readonly basis?: string | undefined;
    readonly refine?: string | undefined;
  };

/** Adds it to the command `task`. */
export function addDraft(task: Command): void {
  const command = task
    .command('draft')
    .description('write a task proposal from a file of rows, to be edited');
  const configuration = addSettings(command, PREFIX, { ...DRAFT_SETTINGS, ...CLIENT_SETTINGS });
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
added noise to the first task, the ranges of the second show it the exact mean, but for noise that it knows.

A task with --basis is one of a chain: owners reduce their rows by the result of an earlier task first, whose components are its features
(PCA, then DCA: Fisherfaces). The sample has the columns of the first task, and the labels. Both are answers over the same rows. --ridge is in units of the
components' ranges; where it is not given, it is 1 in units of the first task's. With --epsilon, the earlier task must have a guarantee, too.

--sketch drafts for hundreds or thousands of features: notes say how much of the sample's variance it loses, and how much with the floor's noise. Give it "--two-party rotated"
and, where you know it, one --range: then features whose names count up stand in the draft as one entry ("count").

--refine drafts another round of a sketch: Ω begins with the vectors of that result, so that components come closer to the exact ones. Features and
their ranges are those of that task, whose columns the sample has. It is another answer over the same rows.

--method histogram drafts noisy counts of every feature by 2^h bins, for --epsilon: private ranges and quantiles where nobody knows them. The strategy is the one
with the least expected error for --workload. Give a wide --range, or --logarithmic where nothing but magnitudes is known: ranges that come from the rows void the guarantee.

--method ridge drafts a regression of --target on all other columns, which are not in --ignore. Result and weights go to you, and nobody sees rows.

--ranges-from takes the ranges from such a task, for any other method: from the quantile --lower to the quantile --upper, or what its noise allows, and a tenth wider at each
end. Too few rows for its noise are refused. The draft names that result ("rangesFrom"), and needs no consent to its ranges. Both tasks spend of the same rows.

Example:
  $ eigenveil-user task draft --data sample.csv --method dca --label label --components 1 --owners 10 > task.json`,
  );
  command.action(async () => {
    const { label: labels, ...others } = configuration();
    const onRemark = (remark: string) => warnOfRemarks(command, [remark]);
    const { regrain, owners, ...rest } = others;
    if (regrain !== undefined) {
      const { printRegrained } = await import('./regrain.ts');
      await printRegrained(command, { ...rest, regrain });
      return;
    }
    if (owners === undefined)
      throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"--owners" expected, a number from 2');
    const configured = { ...rest, owners, labels, onRemark };
    const { method, components, exact, releases } = configured;
    if ((exact || method === 'histogram') && releases !== undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--releases" expected with a floor, which exact tasks and histograms do not have',
      );
    if (exact && method === 'histogram')
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--exact" expected without --method histogram, which is released with noise alone',
      );
    if (method === 'histogram') {
      await printHistogram(command, { ...configured, method: 'pca' });
      return;
    }
    if ((components === undefined) !== (method === 'ridge'))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        method === 'ridge'
          ? '"--components" expected without --method ridge, whose weights are no components'
          : '"--components" expected, a number from 1',
      );
    const { data, epsilon, delta, meanFirst, around } = configured;
    const { EarlierResult } = await import('../advice/draft/privacy.ts');
    const first = around === undefined ? undefined : await readJsonFile('--around', around, EarlierResult);
    const settings = {
      ...configured,
      method,
      components: components ?? 0,
      keep: keptColumns(configured, first),
    };
    const [
      { featuresOfFile, proposalOf, withOwnCells, withoutConsent },
      { checkComputable },
      { draftTask },
      { checkBasis },
    ] = await Promise.all([
      import('../advice/draft/proposal.ts'),
      import('@eigenveil/two-party/plan'),
      import('../advice/draft/file.ts'),
      import('@eigenveil/task'),
    ]);
    const named = settings.basis ?? settings.refine;
    if (settings.basis !== undefined && settings.refine !== undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--refine" expected without --basis: a task names one earlier result',
      );
    const earlier = named === undefined ? undefined : await readBasis(named, settings);
    const [basis, refined] = settings.refine === undefined ? [earlier, undefined] : [undefined, earlier];
    const counted =
      settings.rangesFrom === undefined ? undefined : await readBasis(settings.rangesFrom, settings);
    if (
      counted !== undefined &&
      (earlier !== undefined || around !== undefined || settings.range !== undefined)
    )
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--ranges-from" expected without --basis, --refine, --around and --range',
      );
    const draft = await asConfiguration(async () => {
      if (counted !== undefined)
        return draftCounted(command, counted, await draftTask(data, settings), settings);
      if (earlier === undefined) return draftTask(data, settings);
      const { draftOn, draftRefining, ridgeOn } = await import('../advice/draft/basis.ts');
      if (refined !== undefined) return draftRefining(refined, await draftTask(data, settings));
      if (basis === undefined) return draftTask(data, settings);
      const ridge = settings.method === 'pca' ? undefined : ridgeOn(basis);
      return draftOn(basis, await draftTask(data, { ...settings, ridge: settings.ridge ?? ridge }));
    });
    if (basis !== undefined && (meanFirst || around !== undefined))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--basis" expected without --mean-first and --around',
      );
    if (epsilon === undefined && (meanFirst || around !== undefined))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--mean-first" and "--around" expected with --epsilon, of both tasks',
      );
    const wanted = epsilon === undefined ? undefined : { features: draft.features, epsilon, delta };
    const privacy = wanted ? await draftPrivacyOf(command, wanted, { meanFirst, first, basis }) : null;
    const outputs = [...settings.outputs, ...(meanFirst ? (['mean'] as const) : [])];
    const sketch = settings.sketchColumns ?? (settings.sketch || refined !== undefined);
    const wishes = { ...settings, outputs, sketch, refine: refined?.digest };
    const { fractionBits } = settings;
    const wished = { ...proposalOf(draft, wishes, privacy), ...(fractionBits && { fractionBits }) };
    const plain = checkConfiguration(TaskProposal, wished, 'draft');
    await asConfiguration(async () => checkComputable(plain));
    const { chosenBits, describeRounding, roundingOfSample } = await import('../advice/draft/rounding.ts');
    const { rowsOfFiles } = await import('@eigenveil/statistics/files');
    const read: ReadSampleRows = (columns, options) => rowsOfFiles(data, settings).read(columns, options);
    const moved = await roundingOfSample(read, plain, basis?.links);
    const isChosen = fractionBits === undefined && moved !== undefined;
    const proposal = withOwnCells(isChosen ? { ...plain, fractionBits: chosenBits(plain, moved) } : plain);
    await asConfiguration(async () => {
      if (refined !== undefined) checkBasis(proposal, [refined.links.at(-1)!.task]);
    });
    await tellNotes(command, async () => {
      const [{ describeTask }, { describeSample }] = await Promise.all([
        import('../advice/describe/task.ts'),
        import('../advice/describe/sample.ts'),
      ]);
      const ofSample = await describeSample(read, proposal, earlier?.links);
      const ofRounding = moved === undefined ? [] : describeRounding(proposal, moved);
      return [...(await describeTask(proposal)), ...ofSample, ...ofRounding];
    });
    const text = {
      $schema: proposalSchemaUrl(),
      ...withoutConsent(proposal),
      features: featuresOfFile(proposal),
    };
    const forecast =
      command.optsWithGlobals().json === true ? await forecastOf(read, proposal, earlier?.links) : undefined;
    const json = { ...text, ...(forecast && { $forecast: forecast }) };
    printResult(command, { json, text: JSON.stringify(text, null, 2) });
  });
}

/**
 * Returns the columns that stay although they follow from others; undefined for all of them. All stay where
 * features are those of an earlier task, where there is no noise to average away, and for a sketch: of its
 * many features, a sample of fewer rows makes all follow from others.
 */
function keptColumns(
  {
    exact,
    basis,
    refine,
    sketch,
    sketchColumns,
    keep,
  }: {
    readonly exact: boolean;
    readonly basis?: string | undefined;
    readonly refine?: string | undefined;
    readonly sketch: boolean;
    readonly sketchColumns?: number | undefined;
    readonly keep: readonly string[];
  },
  first: Earlier | undefined,
): readonly string[] | undefined {
  const isSketch = sketch || sketchColumns !== undefined || refine !== undefined;
  if (exact || basis !== undefined || isSketch) return undefined;
  return [...keep, ...(first?.features ?? []).map(({ name }) => name)];
}

/** For programs; people are told a note. */
async function forecastOf(read: ReadSampleRows, task: TaskProposal, links: DraftBasis['links'] | undefined) {
  if (task.sketch !== undefined) return undefined;
  const [{ sumSample }, { forecastFloor }] = await Promise.all([
    import('../advice/describe/sample.ts'),
    import('../advice/describe/forecast-floor.ts'),
  ]);
  return forecastFloor(task, await sumSample(read, task, links));
}

/**
 * Its features are those of a draft of pca; a sample has nothing else to say of a histogram, as ranges are
 * not to come from it.
 */
async function printHistogram(
  command: Command,
  settings: Parameters<typeof draftTask>[1] & HistogramSettings,
): Promise<void> {
  const { data, epsilon, delta, height, workload, logarithmic, components, basis, refine } = settings;
  if (components !== undefined || basis !== undefined || refine !== undefined || settings.sketch)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--components", "--basis", "--refine" and "--sketch" expected without --method histogram',
    );
  if (epsilon === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--epsilon" expected: histograms are released with noise alone',
    );
  const [{ draftTask: draftFile }, { histogramOf }, { proposalOf, withoutConsent }, { checkComputable }] =
    await Promise.all([
      import('../advice/draft/file.ts'),
      import('../advice/draft/histogram.ts'),
      import('../advice/draft/proposal.ts'),
      import('@eigenveil/two-party/plan'),
    ]);
  const proposal = await asConfiguration(async () => {
    const draft = await draftFile(data, { ...settings, isRangeWide: true, keep: undefined });
    const own = histogramOf(draft, { epsilon, delta, height, workload, logarithmic });
    const wishes = { ...settings, components: 0, outputs: [], twoParty: 'linear', sketch: false } as const;
    const made = checkConfiguration(TaskProposal, { ...proposalOf(draft, wishes, null), ...own }, 'draft');
    checkComputable(made);
    return made;
  });
  await tellNotes(command, async () => {
    const [{ describeHistogram }, { describeCost }] = await Promise.all([
      import('../advice/describe/histogram.ts'),
      import('../advice/describe/cost.ts'),
    ]);
    return [...describeHistogram(proposal), ...(await describeCost(proposal))];
  });
  const json = { $schema: proposalSchemaUrl(), ...withoutConsent(proposal) };
  printResult(command, { json, text: JSON.stringify(json, null, 2) });
}

/** With ranges from noisy counts; notes say what they cost. */
async function draftCounted(
  command: Command,
  counted: DraftBasis,
  draft: Awaited<ReturnType<typeof draftTask>>,
  levels: AskedLevels,
) {
  const { draftRanged } = await import('../advice/draft/ranges.ts');
  const ranged = draftRanged(counted, draft, levels);
  await tellNotes(command, async () => [...ranged.notes]);
  return ranged.draft;
}

async function readBasis(id: string, settings: Parameters<typeof withClient>[0]): Promise<DraftBasis> {
  const taskId = taskIdOf(id);
  const { basisFrom } = await import('../advice/draft/basis.ts');
  return withClient(settings, (client) => basisFrom(client, taskId));
}

async function draftPrivacyOf(
  command: Command,
  wanted: Parameters<typeof draftPrivacy>[0],
  {
    meanFirst,
    first,
    basis,
  }: { meanFirst: boolean; first: Earlier | undefined; basis: DraftBasis | undefined },
) {
  const { draftAround, draftPrivacy, draftPrivacyOn } = await import('../advice/draft/privacy.ts');
  if (basis !== undefined) return asConfiguration(async () => draftPrivacyOn(basis, wanted));
  if (first === undefined) return asConfiguration(async () => draftPrivacy(wanted, meanFirst));
  const draft = await asConfiguration(async () => draftAround(first, wanted));
  await tellNotes(command, async () =>
    (await import('../advice/describe/privacy.ts')).describeEarlier(first),
  );
  return draft;
}
