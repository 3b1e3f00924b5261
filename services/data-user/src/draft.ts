/**
 * Drafts a task proposal from a sample: column names, their minima and maxima, class labels. For data whose ranges
 * may be public; where they may not, write the ranges from domain knowledge instead.
 */
import { LABELLINGS, LIMITS, type MethodName, type Scale, type TaskProposal } from '@eigenveil/task';
import { ServiceError } from '@eigenveil/wire/errors';
import type { NoFeature, NoLabel, Sample, SampleColumn } from './sample.ts';

export interface DraftOptions {
  readonly method: MethodName | 'ridge';
  /** For pca; covariance where it is not given. */
  readonly scale?: Scale | undefined;
  /** For dca; standard where it is not given. */
  readonly form?: 'standard' | 'book' | undefined;
  /** ρ of a discriminant method or of ridge; 1 where it is not given. */
  readonly ridge?: number | undefined;
  /** ρ′ of dca; 0 where it is not given. */
  readonly signalRidge?: number | undefined;
  /** The column that ridge predicts. */
  readonly target?: string | undefined;
  /** Label columns: none for pca and ridge, one for dca and lda, utility and privacy for mdr. */
  readonly labels: readonly string[];
  /** Of all features, from domain knowledge; that of each column in the sample where it is not given. */
  readonly range?: readonly [min: number, max: number] | undefined;
  /** Columns to leave out. */
  readonly ignore: readonly string[];
}

export interface Draft {
  readonly method: TaskProposal['method'];
  readonly features: TaskProposal['features'];
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
 * @throws ERR_TASK_INVALID for options that the method does not take, a missing column, a cell that is no number, a label that is missing, too
 * long or has blanks around it, a column that looks like labels and is not said to be any or to be ignored, labels that are too few or too many
 */
export function draftOf(sample: Sample, options: DraftOptions): Draft {
  const { labels, ignore } = options;
  const { columns, rows } = sample;
  checkDraftOptions(options);
  const known = new Map(columns.map((column) => [column.name, column]));
  const missing = [...labels, ...ignore].filter((name) => !known.has(name));
  if (missing.length > 0)
    throw invalid(`the file has no column ${missing.map((name) => JSON.stringify(name)).join(', ')}`);
  const { target } = options;
  if (target !== undefined && !known.has(target))
    throw invalid(`the file has no column ${JSON.stringify(target)}`);
  const used = columns.filter(({ name }) => !labels.includes(name) && !ignore.includes(name));
  // What is predicted comes last.
  const features = [
    ...used.filter(({ name }) => name !== target),
    ...used.filter(({ name }) => name === target),
  ];
  const classes = labels.map((name) => known.get(name)!);
  checkCells(columns, features, classes);
  for (const { name, labelLike } of features)
    if (labelLike !== undefined && name !== target) throw unsaidLabels(name, labelLike);
  return {
    method: methodOf(options),
    features: features.map(({ name, range }) => ({
      name,
      ...range!,
      ...(options.range && { min: options.range[0], max: options.range[1] }),
    })),
    labellings: classes.map((column) => ({ column: column.name, classes: classesOf(column) })),
    rows,
  };
}

/** Other owners have more rows than a sample; and a sample's own number is nobody's business. */
const ROOM = 10;
const LEAST_ROOM = 1000;

/**
 * The bound on an owner's rows that goes with a sample of so many: ten times as many, rounded up to one digit, at least 1000. Each doubling takes a bit of
 * the slots. 351 → 4000.
 */
export function roomFor(rows: number): number {
  const wanted = Math.max(LEAST_ROOM, ROOM * rows);
  const digit = 10 ** Math.floor(Math.log10(wanted));
  return Math.min(LIMITS.samplesPerOwner, Math.ceil(wanted / digit) * digit);
}

/** Of the first row that has one; its column by number, as without a header the name is a cell of data. */
function checkCells(
  columns: readonly SampleColumn[],
  features: readonly SampleColumn[],
  classes: readonly SampleColumn[],
): void {
  const faults = [
    ...features.flatMap(({ name, noFeature }) =>
      noFeature ? [{ name, row: noFeature.row, why: NO_FEATURE[noFeature.kind] }] : [],
    ),
    ...classes.flatMap(({ name, noLabel }) =>
      noLabel ? [{ name, row: noLabel.row, why: NO_LABEL[noLabel.kind] }] : [],
    ),
  ];
  const [first] = faults.sort((a, b) => a.row - b.row);
  if (first === undefined) return;
  const place = columns.findIndex(({ name }) => name === first.name) + 1;
  throw invalid(`column ${place} of row ${first.row} ${first.why}`);
}

function methodOf({ method: kind, scale, form, ridge, signalRidge }: DraftOptions): TaskProposal['method'] {
  if (kind === 'pca') return { kind, ...(scale && { scale }) };
  const drafted = { ridge: ridge ?? DRAFT_RIDGE };
  if (kind !== 'dca') return { kind, ...drafted };
  return { kind, form: form ?? 'standard', ...drafted, signalRidge: signalRidge ?? 0 };
}

const WAY_OUT =
  'if it is a class label, name the column with --label; otherwise leave it out with --ignore and its name';

/** Why a cell is no feature's. */
const NO_FEATURE: Readonly<Record<NoFeature['kind'], string>> = {
  missing: `is a missing value: leave such rows out of the sample; ${WAY_OUT}`,
  'no number': `is no number, with a point and without blanks: ${WAY_OUT}`,
};

/** Why a cell would make a class that nobody means. */
const NO_LABEL: Readonly<Record<NoLabel['kind'], string>> = {
  missing:
    'is a missing label: leave such rows out of the sample; if it is a class all the same, write it among "classes" in the draft',
  blanks:
    'is a label with blanks around it, which would be a class of its own: take them out of the sample; owners have --trim',
  long: 'is longer than a label may be: leave such rows out of the sample, or the column with --ignore',
};

/** @throws ERR_TASK_INVALID for options that the method does not take */
export function checkDraftOptions(options: DraftOptions): void {
  const { method, scale, form, ridge, signalRidge, labels, target, ignore } = options;
  if ((target !== undefined) !== (method === 'ridge'))
    throw invalid('"--target" expected with --method ridge, and with no other: the column that is predicted');
  if (target !== undefined && ignore.includes(target))
    throw invalid('"--target" expected a column that "--ignore" does not name');
  if (scale !== undefined && method !== 'pca')
    throw invalid(`"--scale" expected with --method pca alone, got ${method}`);
  if (form !== undefined && method !== 'dca')
    throw invalid(`"--form" expected with --method dca alone, got ${method}`);
  if (signalRidge !== undefined && method !== 'dca')
    throw invalid(`"--signal-ridge" expected with --method dca alone, got ${method}`);
  if (ridge !== undefined && method === 'pca')
    throw invalid('"--ridge" expected with --method dca, lda, mdr or ridge, got pca');
  const wanted = LABELLINGS[method];
  if (labels.length !== wanted)
    throw invalid(`"--label" expected ${COLUMNS_OF_LABELS[wanted]} for ${method}, got ${labels.length}`);
}

const COLUMNS_OF_LABELS = {
  0: 'no column (leave label columns out with --ignore)',
  1: 'one column',
  2: 'two columns, of utility and of privacy,',
} as const;

/** Its name is one of ours, so that it is no cell of data. */
function unsaidLabels(column: string, count: number): ServiceError {
  const name = JSON.stringify(column);
  return invalid(
    `column ${name} looks like a label (by its name, and by ${count} different whole numbers): ${WAY_OUT}; if it is a feature all the same, leave it out here and write it among "features" in the draft`,
  );
}

function classesOf({ name, labels }: SampleColumn): string[] {
  const column = JSON.stringify(name);
  if (labels === undefined)
    throw invalid(
      `the label column ${column} has more than the ${LIMITS.classes} different labels that a task takes: is it an id or a quantity? Then --ignore it`,
    );
  if (labels.length < 2)
    throw invalid(`the label column ${column} has one label alone in the file: two are needed`);
  return [...labels];
}

function invalid(message: string): ServiceError {
  return new ServiceError('ERR_TASK_INVALID', message);
}
