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
  type Settings,
  warnOfRemarks,
} from '@eigenveil/command';
import { draftingOf, flagNaming, type MethodName } from '@eigenveil/methods';
import { CodedError, type Words } from '@eigenveil/platform';
import { referenceOf } from '@eigenveil/projection/portable';
import { keepRows, rowsOfFiles } from '@eigenveil/statistics/files';
import { checkBasis } from '@eigenveil/task';
import type { TaskId } from '@eigenveil/task/ids';
import { proposalSchemaUrl, TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import type { SignedTask } from '@eigenveil/wire';
import { forecastFloor, hasForecast } from '../../advice/describe/forecast-floor.ts';
import { describeEarlier } from '../../advice/describe/privacy.ts';
import { describeSample, sumSample } from '../../advice/describe/sample.ts';
import { describeTask } from '../../advice/describe/task.ts';
import { basisFrom, type DraftBasis, draftOn, draftRefining, ridgeOn } from '../../advice/draft/basis.ts';
import {
  asksForBookRidge,
  describeBookRidge,
  withBookRidge,
  withoutBookRidge,
} from '../../advice/draft/book-ridge.ts';
import type { Draft, DraftOptions } from '../../advice/draft/draft.ts';
import { draftTask } from '../../advice/draft/file.ts';
import {
  draftAround,
  draftPrivacy,
  draftPrivacyOn,
  EarlierResult,
  type PrivacyDraft,
} from '../../advice/draft/privacy.ts';
import { featuresOfFile, proposalOf, withOwnCells, withoutConsent } from '../../advice/draft/proposal.ts';
import { draftRanged } from '../../advice/draft/ranges.ts';
import { chosenBits, describeRounding, roundingOfSample } from '../../advice/draft/rounding.ts';
import type { ReadSampleRows } from '../../advice/draft/sample.ts';
import { commonOf, type DraftConfiguration, flagsOf } from '../draft-settings.ts';
import { type ClientSettings, taskIdOf } from '../settings.ts';
import { openClient } from './tasks.ts';

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
export async function draftProposal(
  command: Command,
  name: MethodName,
  given: Configuration<Settings>,
): Promise<void> {
  const settings = commonOf(given);
  const flags = flagsOf(name, given);
  const refined = flagNaming('result', name, flags);
  checkTogether(settings, refined?.flag);
  const earlier = await earlierOf(settings, refined?.value);
  await using _rows = await keepRows(settings.data);
  const named = refined && { [refined.flag]: earlier.refined?.digest };
  const draft = await draftFrom(command, earlier, settings, {
    method: name,
    flags: { ...withoutBookRidge(flags), ...named },
  });
  const privacy = await privacyFor(command, name, earlier, draft, settings);
  const { basis, refined: refining } = earlier;
  const links = (basis ?? refining)?.links;
  const { fractionBits, meanFirst, data } = settings;
  const outputs = [...settings.outputs, ...(meanFirst ? (['mean'] as const) : [])];
  const wished = {
    ...proposalOf(draft, { ...settings, outputs }, privacy),
    ...(fractionBits && { fractionBits }),
  };
  const first = checkConfiguration(TaskProposal, wished, 'draft');
  const read: ReadSampleRows = (columns, options) => rowsOfFiles(data, settings).read(columns, options);
  const isBook = asksForBookRidge(flags);
  const plain = isBook ? await withBookRidge(read, first, links) : first;
  await asConfiguration(async () => checkComputable(plain));
  const moved = await roundingOfSample(read, plain, basis?.links);
  const isChosen = fractionBits === undefined && moved !== undefined;
  const proposal = withOwnCells(isChosen ? { ...plain, fractionBits: chosenBits(plain, moved) } : plain);
  await asConfiguration(async () => {
    if (refining !== undefined) checkBasis(proposal, [refining.links.at(-1)!.task]);
  });
  await tellNotes(command, async () => {
    const ofSample = await describeSample(read, proposal, links);
    const ofRounding = moved === undefined ? [] : describeRounding(proposal, moved);
    return [
      ...referenceOf(proposal).forecast(proposal),
      ...(await describeTask(proposal)),
      ...(isBook ? describeBookRidge(proposal) : []),
      ...ofSample,
      ...ofRounding,
    ];
  });
  const text = {
    $schema: proposalSchemaUrl(),
    ...withoutConsent(proposal),
    features: featuresOfFile(proposal),
  };
  const forecast = isJson(command) ? await forecastOf(read, proposal, links) : undefined;
  const json = { ...text, ...(forecast && { $forecast: forecast }) };
  printResult(command, { json, text: JSON.stringify(text, null, 2) });
}

/**
 * Refuses flags that do not go together.
 * @param refining the name of a flag that is given and names a result
 * @throws ERR_CONFIGURATION
 */
function checkTogether(settings: DraftConfiguration, refining: string | undefined): void {
  const { exact, releases, basis, rangesFrom, around, range, meanFirst, epsilon } = settings;
  const isShared = meanFirst || around !== undefined;
  const others = basis ?? refining ?? around ?? range;
  const wrong: readonly (readonly [boolean, string])[] = [
    [exact && releases !== undefined, '"--releases" expected with a floor, which exact tasks do not have'],
    [
      basis !== undefined && refining !== undefined,
      `"--${refining}" expected without --basis: a task names one earlier result`,
    ],
    [
      rangesFrom !== undefined && others !== undefined,
      '"--ranges-from" expected without --basis, --refine, --around and --range',
    ],
    [basis !== undefined && isShared, '"--basis" expected without --mean-first and --around'],
    [
      epsilon === undefined && isShared,
      '"--mean-first" and "--around" expected with --epsilon, of both tasks',
    ],
  ];
  for (const [holds, message] of wrong)
    if (holds) throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, message);
}

/** Earlier results that a draft takes something from. */
interface Earlier {
  /** The first of two tasks that share ε. */
  readonly first: EarlierResult | undefined;
  readonly basis: DraftBasis | undefined;
  readonly refined: DraftBasis | undefined;
  /** A histogram. */
  readonly counted: DraftBasis | undefined;
}

async function earlierOf(settings: DraftConfiguration, refined: string | undefined): Promise<Earlier> {
  const { around, basis, rangesFrom } = settings;
  const fetched = async (id: string | undefined) => (id === undefined ? undefined : readBasis(id, settings));
  return {
    first: around === undefined ? undefined : await readJsonFile('--around', around, EarlierResult),
    basis: await fetched(basis),
    refined: await fetched(refined),
    counted: await fetched(rangesFrom),
  };
}

/** Drafts from the sample, with what earlier results give in place of it. */
function draftFrom(
  command: Command,
  earlier: Earlier,
  settings: DraftConfiguration,
  method: Pick<DraftOptions, 'method' | 'flags'>,
): Promise<Draft> {
  const { basis, refined, counted, first } = earlier;
  return asConfiguration(async () => {
    const draft = await draftTask(settings.data, {
      ...settings,
      ...method,
      labels: settings.label,
      ridge: basis && ridgeOn(basis),
      keep: keptColumns(settings, first),
      onRemark: (remark) => warnOfRemarks(command, [remark]),
    });
    if (counted !== undefined) {
      const ranged = draftRanged(counted, draft, settings);
      await tellNotes(command, async () => ranged.notes);
      return ranged.draft;
    }
    if (refined !== undefined) return draftRefining(refined, draft);
    return basis === undefined ? draft : draftOn(basis, draft);
  });
}

/**
 * Returns the columns that stay although they follow from others; undefined for all of them. All stay where
 * features are those of an earlier task, and where there is no noise to average away.
 */
function keptColumns(
  { exact, basis, keep }: DraftConfiguration,
  first: EarlierResult | undefined,
): readonly string[] | undefined {
  if (exact || basis !== undefined) return undefined;
  return [...keep, ...(first?.features ?? []).map(({ name }) => name)];
}

/** Forecasts what the floor costs, for programs: people get a note. */
async function forecastOf(read: ReadSampleRows, task: TaskProposal, links: DraftBasis['links'] | undefined) {
  if (task.sketch !== undefined || !hasForecast(task)) return undefined;
  return forecastFloor(task, await sumSample(read, task, links));
}

async function readBasis(id: string, settings: ClientSettings): Promise<DraftBasis> {
  const taskId = taskIdOf(id);
  await using client = await openClient(settings);
  return await basisFrom(client, taskId);
}

/** Returns the part of a proposal that asks for differential privacy; null without. */
function privacyFor(
  command: Command,
  method: MethodName,
  { basis, first }: Earlier,
  { features }: Draft,
  { epsilon, delta, meanFirst }: DraftConfiguration,
): Promise<PrivacyDraft | null> {
  return asConfiguration(async () => {
    if (epsilon === undefined) return null;
    const { clippingNorm } = draftingOf(method);
    const wanted = { features, epsilon, delta, clippingNorm };
    if (basis !== undefined) return draftPrivacyOn(basis, wanted);
    if (first === undefined) return draftPrivacy(wanted, meanFirst);
    const draft = draftAround(first, wanted);
    await tellNotes(command, async () => describeEarlier(first));
    return draft;
  });
}

/** Prints notes for people; with --json they are not even made. */
export async function tellNotes(
  command: Command,
  lines: () => Promise<readonly (Words | string)[]>,
): Promise<void> {
  if (isJson(command)) return;
  for (const line of await lines()) printNote(command, `note: ${line}`);
}

/**
 * Reports every fault of a proposal as one of its file or of the flags, under the code that says what it is.
 */
export async function asConfiguration<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodedError && error.info.exit !== 'usage') throw asUsage(error);
    throw error;
  }
}
