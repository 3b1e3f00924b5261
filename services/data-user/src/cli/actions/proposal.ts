/**
 * The work of `task draft` and `task create`: proposals are checked, with notes on what they will cost and
 * give.
 */
import {
  asUsage,
  COMMAND_CODES,
  type Command,
  type Configuration,
  checkConfiguration,
  isJson,
  printNote,
  printResult,
  readJsonFile,
  warnOfRemarks,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { rowsOfFiles } from '@eigenveil/statistics/files';
import { checkBasis } from '@eigenveil/task';
import type { TaskId } from '@eigenveil/task/ids';
import { proposalSchemaUrl, TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import type { SignedTask } from '@eigenveil/wire';
import { describeCost } from '../../advice/describe/cost.ts';
import { forecastFloor } from '../../advice/describe/forecast-floor.ts';
import { describeHistogram } from '../../advice/describe/histogram.ts';
import { describeEarlier } from '../../advice/describe/privacy.ts';
import { describeSample, sumSample } from '../../advice/describe/sample.ts';
import { describeTask } from '../../advice/describe/task.ts';
import { basisFrom, type DraftBasis, draftOn, draftRefining, ridgeOn } from '../../advice/draft/basis.ts';
import { draftTask } from '../../advice/draft/file.ts';
import { describeGrains } from '../../advice/draft/grains.ts';
import { histogramOf } from '../../advice/draft/histogram.ts';
import { draftAround, draftPrivacy, draftPrivacyOn, EarlierResult } from '../../advice/draft/privacy.ts';
import { featuresOfFile, proposalOf, withOwnCells, withoutConsent } from '../../advice/draft/proposal.ts';
import { type AskedLevels, draftRanged } from '../../advice/draft/ranges.ts';
import { chosenBits, describeRounding, roundingOfSample } from '../../advice/draft/rounding.ts';
import type { ReadSampleRows } from '../../advice/draft/sample.ts';
import type { DRAFT_SETTINGS } from '../draft-settings.ts';
import { type ClientSettings, taskIdOf } from '../settings.ts';
import { OlderProposal, regrained } from './regrain.ts';
import { openClient } from './tasks.ts';

type DraftConfiguration = Configuration<typeof DRAFT_SETTINGS>;

/** Proposes a task to the CSP, and says what it will cost. */
export async function createTask(
  command: Command,
  proposal: TaskProposal,
  id: TaskId,
  settings: ClientSettings,
): Promise<SignedTask> {
  await asConfiguration(async () => checkComputable(proposal));
  await tellNotes(command, async () => [
    ...(await describeTask(proposal)),
    `task ${id}; should no answer come, give the command again with --id ${id}`,
  ]);
  await using client = await openClient(settings);
  return await client.create(proposal, id);
}

/** Drafts a proposal from a file of rows, and prints it. */
export async function draftProposal(command: Command, given: DraftConfiguration): Promise<void> {
  const { label: labels, regrain, owners, ...rest } = given;
  const onRemark = (remark: string) => warnOfRemarks(command, [remark]);
  if (regrain !== undefined) {
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
  const first = around === undefined ? undefined : await readJsonFile('--around', around, EarlierResult);
  const settings = {
    ...configured,
    method,
    components: components ?? 0,
    keep: keptColumns(configured, first),
  };
  const named = settings.basis ?? settings.refine;
  if (settings.basis !== undefined && settings.refine !== undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--refine" expected without --basis: a task names one earlier result',
    );
  const earlier = named === undefined ? undefined : await readBasis(named, given);
  const [basis, refined] = settings.refine === undefined ? [earlier, undefined] : [undefined, earlier];
  const counted = settings.rangesFrom === undefined ? undefined : await readBasis(settings.rangesFrom, given);
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
  const read: ReadSampleRows = (columns, options) => rowsOfFiles(data, settings).read(columns, options);
  const moved = await roundingOfSample(read, plain, basis?.links);
  const isChosen = fractionBits === undefined && moved !== undefined;
  const proposal = withOwnCells(isChosen ? { ...plain, fractionBits: chosenBits(plain, moved) } : plain);
  await asConfiguration(async () => {
    if (refined !== undefined) checkBasis(proposal, [refined.links.at(-1)!.task]);
  });
  await tellNotes(command, async () => {
    const ofSample = await describeSample(read, proposal, earlier?.links);
    const ofRounding = moved === undefined ? [] : describeRounding(proposal, moved);
    return [...(await describeTask(proposal)), ...ofSample, ...ofRounding];
  });
  const text = {
    $schema: proposalSchemaUrl(),
    ...withoutConsent(proposal),
    features: featuresOfFile(proposal),
  };
  const forecast = isJson(command) ? await forecastOf(read, proposal, earlier?.links) : undefined;
  const json = { ...text, ...(forecast && { $forecast: forecast }) };
  printResult(command, { json, text: JSON.stringify(text, null, 2) });
}

/** Prints the proposal of `--regrain`. */
async function printRegrained(command: Command, settings: Parameters<typeof regrained>[1]): Promise<void> {
  const older = await readJsonFile('--regrain', settings.regrain, OlderProposal);
  const { features, remarks } = await asConfiguration(() => regrained(older, settings));
  warnOfRemarks(command, remarks);
  await tellNotes(command, async () => describeGrains(features));
  const json = { ...older, features };
  printResult(command, { json, text: JSON.stringify(json, null, 2) });
}

/**
 * Returns the columns that stay although they follow from others; undefined for all of them. All stay where
 * features are those of an earlier task, where there is no noise to average away, and for a sketch: with its
 * many features, a sample of fewer rows makes all of them follow from others.
 */
function keptColumns(
  { exact, basis, refine, sketch, sketchColumns, keep }: Omit<DraftConfiguration, 'label' | 'regrain'>,
  first: EarlierResult | undefined,
): readonly string[] | undefined {
  const isSketch = sketch || sketchColumns !== undefined || refine !== undefined;
  if (exact || basis !== undefined || isSketch) return undefined;
  return [...keep, ...(first?.features ?? []).map(({ name }) => name)];
}

/** Forecasts what the floor costs, for programs: people get a note. */
async function forecastOf(read: ReadSampleRows, task: TaskProposal, links: DraftBasis['links'] | undefined) {
  if (task.sketch !== undefined) return undefined;
  return forecastFloor(task, await sumSample(read, task, links));
}

/**
 * Prints the draft of a histogram. Its features are those of a draft of pca; nothing else in it comes from
 * the sample, above all no ranges.
 */
async function printHistogram(
  command: Command,
  settings: Parameters<typeof draftTask>[1] &
    Omit<DraftConfiguration, 'method' | 'label' | 'regrain' | 'owners'> & { readonly owners: number },
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
  const proposal = await asConfiguration(async () => {
    const draft = await draftTask(data, { ...settings, isRangeWide: true, keep: undefined });
    const own = histogramOf(draft, { epsilon, delta, height, workload, logarithmic });
    const wishes = { ...settings, components: 0, outputs: [], twoParty: 'linear', sketch: false } as const;
    const made = checkConfiguration(TaskProposal, { ...proposalOf(draft, wishes, null), ...own }, 'draft');
    checkComputable(made);
    return made;
  });
  await tellNotes(command, async () => [...describeHistogram(proposal), ...(await describeCost(proposal))]);
  const json = { $schema: proposalSchemaUrl(), ...withoutConsent(proposal) };
  printResult(command, { json, text: JSON.stringify(json, null, 2) });
}

/** Takes ranges from noisy counts; notes say what they cost. */
async function draftCounted(
  command: Command,
  counted: DraftBasis,
  draft: Awaited<ReturnType<typeof draftTask>>,
  levels: AskedLevels,
) {
  const ranged = draftRanged(counted, draft, levels);
  await tellNotes(command, async () => [...ranged.notes]);
  return ranged.draft;
}

async function readBasis(id: string, settings: ClientSettings): Promise<DraftBasis> {
  const taskId = taskIdOf(id);
  await using client = await openClient(settings);
  return await basisFrom(client, taskId);
}

async function draftPrivacyOf(
  command: Command,
  wanted: Parameters<typeof draftPrivacy>[0],
  {
    meanFirst,
    first,
    basis,
  }: { meanFirst: boolean; first: EarlierResult | undefined; basis: DraftBasis | undefined },
) {
  if (basis !== undefined) return asConfiguration(async () => draftPrivacyOn(basis, wanted));
  if (first === undefined) return asConfiguration(async () => draftPrivacy(wanted, meanFirst));
  const draft = await asConfiguration(async () => draftAround(first, wanted));
  await tellNotes(command, async () => describeEarlier(first));
  return draft;
}

/** Prints notes for people; with --json they are not even made. */
async function tellNotes(command: Command, lines: () => Promise<readonly string[]>): Promise<void> {
  if (isJson(command)) return;
  for (const line of await lines()) printNote(command, `note: ${line}`);
}

/**
 * Reports every fault of a proposal as one of its file or of the flags, under the code that says what it is.
 */
async function asConfiguration<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodedError && error.info.exit !== 'usage') throw asUsage(error);
    throw error;
  }
}
