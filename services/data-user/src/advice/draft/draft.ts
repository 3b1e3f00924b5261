/**
 * Drafts a task proposal from a sample: column names, their minima and maxima, class labels. For data whose
 * ranges may be public; where they may not, write the ranges from domain knowledge instead.
 */
import {
  type DraftedMethod,
  draftedMethod,
  draftingOf,
  flagNaming,
  flagsSchema,
  LIMITS,
  METHODS,
  type MethodName,
} from '@eigenveil/methods';
import { CodedError, type Words, words } from '@eigenveil/platform';
import {
  checkClipping,
  columnTitle,
  differenceOf,
  IS_SUM,
  isRenamed,
  LAST_IS_SUM,
  likeness,
  nearTo,
} from '@eigenveil/statistics/owner';
import { toldOfSkipped } from '@eigenveil/statistics/reading-options';
import { type TaskProposal, USUAL_DELTA } from '@eigenveil/task/schema';
import { CODES } from '@eigenveil/wire/errors';
import { type Dependent, dependentColumns, describeDependent } from './dependent-columns.ts';
import { parseGrains, withGrains } from './grains.ts';
import { draftTerm, type Sample } from './sample.ts';
import type { NoFeature, NoLabel, SampleColumn } from './sample-column.ts';

export interface DraftOptions {
  readonly method: MethodName;
  /** The values of the method's own flags; those that are left out have their defaults. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  /** The number of components, from which a sketch's columns follow. */
  readonly components?: number | undefined;
  /** ρ where no flag gives it; 1 where it is not given. */
  readonly ridge?: number | undefined;
  /** ε of differential privacy, from which a histogram's strategy follows. */
  readonly epsilon?: number | undefined;
  /** δ of differential privacy; 10⁻⁶ where it is not given. */
  readonly delta?: number | undefined;
  /** Label columns, as many as the method has labellings; where there are two, of utility and of privacy. */
  readonly labels: readonly string[];
  /**
   * The range of all features, from domain knowledge; that of each column in the sample where it is not
   * given.
   */
  readonly range?: readonly [min: number, max: number] | undefined;
  /** Columns to leave out; `#3` is the third one. */
  readonly ignore: readonly string[];
  /** Features of which more than half of the cells may lie outside `range`. */
  readonly allowClipping?: readonly string[] | undefined;
  /**
   * Columns that stay although they follow from others, which are left out; where it is not given, all stay,
   * as they do of methods that keep them.
   */
  readonly keep?: readonly string[] | undefined;
  /** NAME=STEP or NAME=cell, in place of what the sample shows. */
  readonly grain?: readonly string[] | undefined;
  /** Told of what looks like a mistake in the sample and is none for certain. */
  readonly onRemark?: ((remark: string) => void) | undefined;
}

export interface Draft extends DraftedMethod {
  /** Digest of the result that it stands on. */
  readonly basis?: string;
  /** Digest of the histogram that its ranges follow from. */
  readonly rangesFrom?: string;
  readonly labellings: TaskProposal['labellings'];
  /** Rows of the file. */
  readonly rows: number;
}

/** ρ of a drafted task, in units of the undivided scatter of features in [−1, 1]. */
const DRAFT_RIDGE = 1;

/**
 * @throws ZodError for flags that the method does not have or values that they do not take; ERR_TASK_INVALID for
 *   labels or a target that the method does not take, a missing column, a cell that is no
 *   number, a label that is missing, too long or has blanks around it, a column that looks like labels and is
 *   not said to be any or to be ignored, labels that are too few or too many; ERR_CLIPPED for features of
 *   which more than half of the cells lie outside the range that is given
 */
export async function draftOf(sample: Sample, options: DraftOptions): Promise<Draft> {
  const { labels, ignore } = options;
  const { columns, rows } = sample;
  checkDraftOptions(options);
  const { method, flags = {}, components = 0, ridge = DRAFT_RIDGE, epsilon, delta = USUAL_DELTA } = options;
  const target = targetOf(options);
  const wanted = [...labels, ...(target === undefined ? [] : [target])];
  const missing = [...wanted, ...ignore, ...(options.keep ?? [])].filter(
    (name) => positionOf(columns, name) < 0,
  );
  if (missing.length > 0)
    throw invalid(
      `the file has no column ${missing.map((name) => `${JSON.stringify(name)}${nearName(columns, name)}`).join(', ')}`,
    );
  const positions = (names: readonly string[]) => new Set(names.map((name) => positionOf(columns, name)));
  const [labelled, targeted] = [positions(labels), positions(target === undefined ? [] : [target])];
  const used = columns.filter((column, i) => !labelled.has(i) && !isNamed(columns, column, ignore));
  const isTarget = (column: SampleColumn) => targeted.has(columns.indexOf(column));
  // The column that is predicted comes last.
  const all = [...used.filter((column) => !isTarget(column)), ...used.filter(isTarget)];
  const classes = labels.map((name) => columns[positionOf(columns, name)]!);
  checkCells(sample, all, classes);
  for (const column of all)
    if (column.labelLike !== undefined && !isTarget(column))
      throw unsaidLabels(column.name, column.labelLike);
  const features = withoutFollowing(sample, all, { ...options, target });
  if (options.range !== undefined) {
    const [min, max] = options.range;
    const wished = features.map(({ name }) => ({ name, min, max }));
    checkClipping(wished, { rows, clippedCells: features.map(({ outside = 0 }) => outside) }, options);
  }
  tellRemarks(sample, features, options);
  const ranged = features.map(({ name, range }) => ({
    name,
    ...range!,
    ...(options.range && { min: options.range[0], max: options.range[1] }),
  }));
  const grained = withGrains(ranged, features, parseGrains(options.grain ?? []), (column) =>
    namesOfColumn(columns, column),
  );
  for (const remark of grained.remarks) options.onRemark?.(remark);
  const drafted = { features: grained.features, components, ridge, epsilon, delta };
  return {
    ...(await draftedMethod(method, flags, drafted)),
    labellings: classes.map((column) => ({ column: column.name, classes: classesOf(column) })),
    rows,
  };
}

/**
 * Columns that follow from others, which a task is better without: of those that are neither labels nor
 * ignored, nor predicted.
 * @param options with the columns that stay
 */
export function followingColumns(
  { columns, products }: Sample,
  { labels, ignore, target, keep = [] }: Pick<DraftOptions, 'labels' | 'ignore' | 'keep'> & Targeted,
): Dependent[] {
  if (products === undefined) return [];
  const others = [...labels, ...ignore, ...(target === undefined ? [] : [target])];
  const candidates = columns.flatMap((column, i) => {
    const isFeature = column.noFeature === undefined && column.range !== undefined;
    if (!isFeature || isNamed(columns, column, others)) return [];
    return [{ column, at: products.columns.indexOf(i), keep: isNamed(columns, column, keep) }];
  });
  return dependentColumns(products.scatter, candidates);
}

/** Leaves out the columns that follow from others, and tells them. */
function withoutFollowing(
  sample: Sample,
  features: readonly SampleColumn[],
  options: DraftOptions & Targeted,
): readonly SampleColumn[] {
  const { method, keep } = options;
  if (keep === undefined || METHODS[method].isLinear || draftingOf(method).keepsDependent === true)
    return features;
  const following = followingColumns(sample, options);
  for (const remark of describeDependent(following)) options.onRemark?.(remark);
  const left = new Set(following.map(({ name }) => name));
  return features.filter(({ name }) => !left.has(name));
}

/** Other owners have more rows than a sample; and a sample's own number is nobody's business. */
const ROOM = 10;
const LEAST_ROOM = 1000;

/**
 * The bound on an owner's rows that goes with a sample of this size: ten times as many, rounded up to one
 * digit, at least 1000. Each doubling takes a bit of the slots. 351 → 4000.
 */
export function roomFor(rows: number): number {
  const wanted = Math.max(LEAST_ROOM, ROOM * rows);
  const digit = 10 ** Math.floor(Math.log10(wanted));
  return Math.min(LIMITS.samplesPerOwner, Math.ceil(wanted / digit) * digit);
}

/** A column by name and number; by its number alone, where the header may be a row of data. */
function titleOf(columns: readonly SampleColumn[], column: SampleColumn): string {
  const position = columns.indexOf(column);
  const isData =
    columns.some(({ name }) => /^[\d.,+-]*\d[\d.,+-]*$/.test(name)) || column.labels?.includes(column.name);
  return isData ? `${position + 1}` : columnTitle(column.name, position);
}

/**
 * Returns the place of a column, by its name for the task, its own, or its number; -1 where there is none.
 */
function positionOf(columns: readonly SampleColumn[], name: string): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position >= 0) return position;
  const own = columns.findIndex((column) => column.own === name);
  if (own >= 0) return own;
  const number = /^#(\d+)$/.exec(name)?.[1];
  return number !== undefined && Number(number) <= columns.length ? Number(number) - 1 : -1;
}

/** The column of a name; undefined where there is none. */
export function columnNamed(columns: readonly SampleColumn[], name: string): SampleColumn | undefined {
  return columns[positionOf(columns, name)];
}

/** All that `columnNamed` finds it by. */
export function namesOfColumn(columns: readonly SampleColumn[], column: SampleColumn): string[] {
  const { name, own } = column;
  return [name, ...(own === undefined ? [] : [own]), `#${columns.indexOf(column) + 1}`];
}

function isNamed(columns: readonly SampleColumn[], column: SampleColumn, names: readonly string[]): boolean {
  return names.some(
    (name) => name === column.name || name === column.own || columns[positionOf(columns, name)] === column,
  );
}

function nearName(columns: readonly SampleColumn[], name: string): string {
  const names = columns.map((column) => column.name);
  const own = nearTo(name, names);
  if (own === undefined) return '';
  const near = names.indexOf(own);
  return `, but ${columnTitle(own, near)} differs from it in ${differenceOf(own, name)} alone`;
}

/** Tells what is odd about features, and about the sample as a whole. */
function tellRemarks(
  { endsInSum, skippedRows = 0 }: Sample,
  features: readonly SampleColumn[],
  { method, range, onRemark }: DraftOptions,
): void {
  if (onRemark === undefined) return;
  for (const remark of toldOfSkipped(skippedRows)) onRemark(remark);
  for (const [i, feature] of features.entries()) {
    const twin = features.find(
      ({ name }, k) => (k < i && likeness(name) === likeness(feature.name)) || isRenamed(feature.name, name),
    );
    if (twin !== undefined)
      onRemark(
        isRenamed(feature.name, twin.name)
          ? `the columns ${JSON.stringify(twin.name)} and ${JSON.stringify(feature.name)} are called so by DuckDB where names differ in case alone: are they two features?`
          : `the columns ${JSON.stringify(twin.name)} and ${JSON.stringify(feature.name)} differ in ${differenceOf(twin.name, feature.name)} alone: are they two features?`,
      );
    const told = feature.remarks;
    if (told === undefined) continue;
    const { min, max } = feature.range!;
    const more = range === undefined ? [told.end()] : [];
    const spread = draftingOf(method).countsValues
      ? undefined
      : told.spread(range?.[0] ?? min, range?.[1] ?? max);
    for (const remark of [told.count(), ...told.numbers(), ...more, spread])
      if (remark !== undefined) onRemark(remark);
  }
  if (endsInSum === true) onRemark(LAST_IS_SUM);
}

/** Refuses the first row that has a bad cell. */
function checkCells(
  { columns, rows, endsInSum }: Sample,
  features: readonly SampleColumn[],
  classes: readonly SampleColumn[],
): void {
  const isUnits = features.every(({ noFeature, range }) => noFeature?.row === 1 && range !== undefined);
  if (isUnits && features.some(({ noFeature }) => noFeature?.kind === 'no number'))
    throw invalid(
      words`row 1 holds units, not numbers: ${draftTerm('draftUnits', '--skip-rows 1 passes over it')}`,
    );
  const faults = [
    ...features.flatMap((column) =>
      column.noFeature ? [{ column, ...column.noFeature, why: whyNoFeature(column.noFeature) }] : [],
    ),
    ...classes.flatMap((column) =>
      column.noLabel ? [{ column, ...column.noLabel, why: whyNoLabel(column.noLabel) }] : [],
    ),
  ];
  const [first] = faults.sort((a, b) => a.row - b.row);
  if (first === undefined) return;
  const title = titleOf(columns, first.column);
  if (first.row === 0) throw invalid(words`column ${title} ${first.why}`);
  const sum = endsInSum === true && first.row === rows ? IS_SUM : '';
  throw invalid(words`column ${title} of row ${first.row} ${first.why}${sum}`);
}

const WAY_OUT = draftTerm(
  'draftWayOut',
  'if it is a class label, name the column with --label; otherwise leave it out with --ignore and its name',
);

/** Says why a cell is no feature's. */
function whyNoFeature({ kind, what }: NoFeature): Words {
  if (kind === 'type') return words`${what ?? ''}; ${WAY_OUT}`;
  return kind === 'missing'
    ? words`is a missing value: ${draftTerm('draftMissing', '--missing skip leaves such rows out')}; ${WAY_OUT}`
    : words`is no number, but ${what ?? 'something else'}; ${WAY_OUT}`;
}

/** Reasons why a cell would make a class that nobody means. */
const NO_LABEL: Readonly<Record<Exclude<NoLabel['kind'], 'type'>, Words>> = {
  missing: words`is a missing label: ${draftTerm('draftMissing', '--missing skip leaves such rows out')}; if it is a class all the same, write it among "classes" in the draft`,
  blanks: words`is a label with blanks around it, which would be a class of its own: ${draftTerm('draftTrim', '--trim passes over them')}`,
  long: words`is longer than a label may be: leave such rows out of the sample, or the column ${draftTerm('draftIgnore', 'with --ignore')}`,
};

const whyNoLabel = ({ kind, what }: NoLabel) =>
  kind === 'type'
    ? words`${what ?? ''}: leave it out ${draftTerm('draftIgnore', 'with --ignore')}, or write it as text`
    : NO_LABEL[kind];

/** The column that is predicted, of a method that predicts one. */
interface Targeted {
  readonly target?: string | undefined;
}

const targetOf = ({ method, flags = {} }: DraftOptions) => flagNaming('target', method, flags)?.value;

/**
 * @throws ZodError for flags that the method does not have or values that they do not take; ERR_TASK_INVALID for
 *   labels or a target that the method does not take
 */
export function checkDraftOptions(options: DraftOptions): void {
  const { method, flags = {}, labels, ignore } = options;
  flagsSchema(method).parse(flags);
  const target = targetOf(options);
  if (target !== undefined && ignore.includes(target))
    throw invalid('"--target" expected a column that "--ignore" does not name');
  const wanted = METHODS[method].labellings;
  if (labels.length !== wanted)
    throw invalid(`"--label" expected ${COLUMNS_OF_LABELS[wanted]} for ${method}, got ${labels.length}`);
}

const COLUMNS_OF_LABELS = {
  0: 'no column (leave label columns out with --ignore)',
  1: 'one column',
  2: 'two columns, of utility and of privacy,',
} as const;

/** Its name is one of ours, so that it is no cell of data. */
function unsaidLabels(column: string, count: number): CodedError {
  const name = JSON.stringify(column);
  return invalid(
    words`column ${name} looks like a label (by its name, and by ${count} different whole numbers): ${WAY_OUT}; if it is a feature all the same, leave it out here and write it among "features" in the draft`,
  );
}

function classesOf({ name, labels }: SampleColumn): string[] {
  const column = JSON.stringify(name);
  if (labels === undefined)
    throw invalid(
      words`the label column ${column} has more than the ${LIMITS.classes} different labels that a task takes: is it an id or a quantity? Then ${draftTerm('draftLabels', '--ignore it')}`,
    );
  if (labels.length < 2)
    throw invalid(`the label column ${column} has one label alone in the file: two are needed`);
  return [...labels];
}

function invalid(message: Words | string): CodedError {
  return new CodedError(CODES.ERR_TASK_INVALID, message);
}
