/**
 * Messages of code that the command line has, too, in the words of this page: an option of a message is a
 * field of the page.
 */
import { type Elsewhere, type OwnerTerm, partInWords, type TaskTerm } from '@eigenveil/data-owner/portable';
import type { Vocabulary, Words } from '@eigenveil/platform';
import type { RowTerm } from '@eigenveil/statistics/owner';
import { WRITTEN_OTHERWISE } from '../common/files.ts';
import { capital, count, exactTime, fromNow } from '../common/format.ts';
import { DRAWERS, NEIGHBOURS, OUTPUTS } from '../common/task-words.ts';
import type { DatasetBudget } from './owner.ts';
import { MEMBERS, OPTIONS, PARTS } from './policy-form.ts';

/** Labels of the fields about files, which messages name, too. */
export const FILE_LABELS = {
  separator: 'Separator',
  decimal: 'Decimal mark',
  thousands: 'Thousands mark',
  encoding: 'Text encoding',
  trim: 'Ignore spaces around values',
  missing: 'Leave out rows with a missing value',
  missingValues: 'Other marks of a missing value',
  escape: 'A backslash stands before quotes within values',
  skipLines: 'Lines above the header row',
  skipRows: 'Rows of units below the header row',
  numericLabels: 'Take 2.0 for the class 2',
  strict: 'Refuse values outside of their range, instead of clipping them',
  ignore: 'Columns to leave out',
  dataset: 'Name of these rows',
  discard: 'Give up what was prepared from other rows',
} as const;

/** Labels of the fields about what was spent elsewhere. */
export const SPENT_LABELS = {
  epsilon: 'ε',
  delta: 'δ',
  rotated: 'Results by rotated, without differential privacy',
  part: 'Part of a whole, such as 1/2: the sum of what each task has taken',
} as const satisfies Partial<Record<keyof Elsewhere, string>>;

const RULES = MEMBERS.flatMap(({ fields }) => fields);

const policyLabels: Partial<Vocabulary> = Object.fromEntries(
  [...RULES.map(({ name, label }) => [name, label] as const), ...PARTS].map(([name, label]) => [
    `policy.${name}`,
    () => `“${label}”`,
  ]),
);

const labelOf = (name: string): string => policyLabels[`policy.${name}`]?.('') ?? name;

/** The names of the task's parameters. */
const TASK_WORDS = {
  minimumOwners: 'the least number of owners',
  keyBits: 'the length of the Paillier key, in bits,',
  twoParty: 'the two-party protocol',
  components: 'the number of components',
  basis: 'the chain',
  'sketch.refine': 'a refined sketch',
  sketch: 'a sketch',
  outputs: 'what is revealed',
  'method.scale': 'the matrix',
  exact: 'an exact result',
  allowFullRank: 'the consent to reveal the whole scatter matrix',
  series: 'a series',
  releases: 'the number of parts',
  differentialPrivacy: 'differential privacy',
  'differentialPrivacy.epsilon': 'ε',
  'differentialPrivacy.delta': 'δ',
  'differentialPrivacy.neighbours': 'what differential privacy hides',
  'differentialPrivacy.noise': 'who draws the noise',
} as const satisfies Record<TaskTerm, string>;

const taskWords: Partial<Vocabulary> = Object.fromEntries(
  Object.entries(TASK_WORDS).map(([name, words]) => [`task.${name}`, () => words]),
);

const field = (label: keyof typeof FILE_LABELS) => () => `“${FILE_LABELS[label]}”`;
const fieldWith = (label: keyof typeof FILE_LABELS) => (value: string) =>
  value === '' ? `“${FILE_LABELS[label]}”` : `“${FILE_LABELS[label]}”: ${value}`;

const ROW_WORDS: Vocabulary<RowTerm> = {
  ...WRITTEN_OTHERWISE,
  separator: fieldWith('separator'),
  decimal: fieldWith('decimal'),
  thousands: fieldWith('thousands'),
  encoding: fieldWith('encoding'),
  trim: field('trim'),
  trimmed: () => `: tick “${FILE_LABELS.trim}”`,
  missing: field('missing'),
  missingValues: field('missingValues'),
  numericLabels: field('numericLabels'),
  ignore: fieldWith('ignore'),
  defaultMissing: () => 'this page',
  nameMissing: () => `name it under “${FILE_LABELS.missingValues}”`,
  readThousands: (character) => `“${FILE_LABELS.thousands}”: ${character} reads`,
  otherEncoding: () => `choose another “${FILE_LABELS.encoding}”, or save the file as UTF-8`,
  sameMarks: (name) =>
    `“${FILE_LABELS.decimal}” and “${FILE_LABELS.thousands}” are both ${name}: choose another one for one of them`,
  noEncoding: () => `choose “UTF-8, or as the file says” under “${FILE_LABELS.encoding}”`,
  escape: () => `tick “${FILE_LABELS.escape}”`,
  skipLines: (lines) => `set “${FILE_LABELS.skipLines}” to ${lines}`,
  aboveHeader: () => `lines that stand above the header row are skipped by “${FILE_LABELS.skipLines}”`,
  skipRows: (rows) => `set “${FILE_LABELS.skipRows}” to ${rows}`,
  rename: () => 'rename the column in the file',
  renameOne: () => 'take it for that below the preview of your file',
};

const OWNER_WORDS: Vocabulary<OwnerTerm> = {
  again: () => 'do it again',
  atLeast: () => 'must be at least',
  allowSimulated: () => 'your policy does not name it',
  dataset: field('dataset'),
  delta: () => 'δ',
  discardPending: field('discard'),
  drawer: (name) => DRAWERS[name as keyof typeof DRAWERS],
  enrol: () => 'enrol first',
  epsilon: () => 'ε',
  fittingReleases: (releases) =>
    `which is enough for a task that is not exact and is made for at least ${releases} results over the same rows`,
  fullRank: () =>
    'the result may tell the whole scatter matrix, for which “The whole scatter matrix may be revealed” would have to be ticked',
  home: () => 'it was contributed by another device',
  memory: () => 'this browser may forget what it has sent: afterwards',
  moment: (at) => `${fromNow(new Date(at), new Date())} (${exactTime(new Date(at))})`,
  name: () => '',
  neighbours: (relation) => `about ${NEIGHBOURS[relation as keyof typeof NEIGHBOURS]}`,
  noHome: () => '',
  noPrice: (dataset) =>
    `what the data set ${dataset} may spend is counted about ${NEIGHBOURS['add-remove']}, and a guarantee about ${NEIGHBOURS.replace} amounts to none of that kind`,
  output: (name) => OUTPUTS[name as keyof typeof OUTPUTS],
  ownersFolder: () => 'this browser',
  readAgain: () => 'get the result once more, later',
  refinedColumns: () => 'it goes on from an earlier result of who gets this one',
  relation: (name) => NEIGHBOURS[name as keyof typeof NEIGHBOURS],
  saidNow: () => '',
  sayBudget: () => 'say it under “Policy”',
  spent: (name) => `“${SPENT_LABELS[name as keyof typeof SPENT_LABELS]}”`,
  takes: (name) =>
    `for which ${labelOf(name)} would have to be ${RULES.find((it) => it.name === name)?.kind === 'check' ? 'ticked' : 'higher'}`,
  totalNeighbours: () =>
    `it would go further about ${NEIGHBOURS['add-remove']}: choose that in your policy, under ${labelOf('neighbours')}`,
  withdrawAgain: () => 'withdraw once more',
};

/** This page's words for all things that messages name. */
export const PAGE_WORDS: Partial<Vocabulary> = {
  ...policyLabels,
  ...taskWords,
  ...ROW_WORDS,
  ...OWNER_WORDS,
};

/** Returns a message in the words of this page. */
export function pageWords(message: Words | string): string {
  return typeof message === 'string' ? message : message.by(PAGE_WORDS);
}

/** Names columns: the first ones by their names, and how many more there are. */
export function columnsInWords(names: readonly string[]): string {
  const named = names.slice(0, MOST_COLUMNS).map((name) => `“${name}”`);
  const more = names.length - named.length;
  const last = more > 0 ? count(more, 'other column') : named.pop()!;
  return named.length === 0 ? last : `${named.join(', ')} and ${last}`;
}

/** The largest number of columns that are named, so that one paragraph has them. */
const MOST_COLUMNS = 8;

/** Returns a message as a sentence of its own. */
export const sentence = (message: Words | string): string => `${capital(pageWords(message))}.`;

/** Says how a member of the policy would have to be filled in. */
export function changeInWords(name: string, value: unknown): string {
  const label = labelOf(name);
  if (value === null) return `leave ${label} empty`;
  if (typeof value === 'boolean') return `${value ? 'tick' : 'untick'} ${label}`;
  if (Array.isArray(value)) return `under ${label}, tick ${optionsInWords(name, value)}`;
  if (typeof value === 'object') return `under ${label}, ${partsInWords(name, value as object)}`;
  return OPTIONS.has(`${name}.${value}`)
    ? `under ${label}, choose ${optionsInWords(name, [value])}`
    : `${label}: ${value}`;
}

/** Says what is allowed where a member of the policy has this value. */
export function allowedInWords(name: string, value: unknown): string {
  const label = labelOf(name);
  if (value === null) return `${label}: not asked for`;
  if (typeof value === 'boolean') return value ? label : `not: ${label}`;
  if (Array.isArray(value)) return `${label}: ${optionsInWords(name, value)}`;
  if (typeof value === 'object') return `${label}: ${partsInWords(name, value as object)}`;
  return `${label}: ${OPTIONS.has(`${name}.${value}`) ? optionsInWords(name, [value]) : value}`;
}

const optionsInWords = (name: string, values: readonly unknown[]): string =>
  values.map((it) => `“${OPTIONS.get(`${name}.${it}`) ?? it}”`).join(' and ');

const partsInWords = (name: string, value: object): string =>
  Object.entries(value)
    .map(([part, it]) => `“${PARTS.get(`${name}.${part}`) ?? part}”: ${it}`)
    .join(', ');

/**
 * Says how many results of this kind can follow, and what is left for tasks of other kinds: a task under
 * differential privacy may take a little, which leaves too little for a half.
 * @param isCounted true if the task is counted already, so that nothing more is spent for it
 */
export function leftInWords({ dataset, left, ofWholes }: DatasetBudget, isCounted: boolean): string {
  const rest =
    ofWholes === '0'
      ? ''
      : ` Of what they may tell, ${partInWords(ofWholes)} of a whole is then left for tasks of any kind.`;
  const most = `${left >= 20 ? 'at least ' : ''}${left === 0 ? 'no result' : count(left, 'result')}`;
  return `${isCounted ? 'It is counted already: ' : 'After it, '}your rows “${dataset}” can give ${most} of this kind more.${rest}`;
}
