/**
 * Drafts a task proposal from a CSV file: column names, their minima and maxima, class labels. For data whose ranges
 * may be public; where they may not, write the ranges from domain knowledge instead.
 */
import { CSV_SYNTAX, isMissing, parseDecimal, readFileBytes, StatisticsError } from '@eigenveil/statistics';
import { LABELLINGS, LIMITS, type MethodName, type Scale, type TaskProposal } from '@eigenveil/task';
import { ServiceError } from '@eigenveil/wire';
import { CsvError, type Parser, parse } from 'csv-parse';
import { isNamedLikeLabels, LabelLike } from './label-like.ts';

export interface DraftOptions {
  readonly method: MethodName;
  /** For pca; covariance where it is not given. */
  readonly scale?: Scale | undefined;
  /** For dca; standard where it is not given. */
  readonly form?: 'standard' | 'book' | undefined;
  /** ρ of a discriminant method; 1 where it is not given. */
  readonly ridge?: number | undefined;
  /** ρ′ of dca; 0 where it is not given. */
  readonly signalRidge?: number | undefined;
  /** Label columns: none for pca, one for dca and lda, utility and privacy for mdr. */
  readonly labels: readonly string[];
  /** Columns to leave out. */
  readonly ignore: readonly string[];
}

export interface Draft {
  readonly method: TaskProposal['method'];
  readonly features: TaskProposal['features'];
  readonly labellings: TaskProposal['labellings'];
  /** Rows of the file. */
  readonly rows: number;
}

/** ρ of a drafted discriminant task, in units of the undivided scatter of features in [−1, 1]. */
const DRAFT_RIDGE = 1;

/**
 * Reads the file once.
 * @throws ERR_TASK_INVALID for options that the method does not take, a header with numbers or with a name twice, a missing column, a
 * cell that is no number, a label that is missing or has blanks around it, a column that looks like labels and is not said to be any or to be ignored, labels that are too few or too many, a
 * file without rows, ERR_CSV_SYNTAX, ERR_FILE_UNREADABLE
 */
export async function draftTask(file: string, options: DraftOptions): Promise<Draft> {
  const { labels, ignore } = options;
  checkOptions(options);
  let header: string[] = [];
  const parser = parse({
    ...CSV_SYNTAX,
    columns: (names: string[]) => {
      // Before rows whose decimal commas make cells of their own.
      if (names.length === 1 && /[;\t]/.test(names[0]!))
        throw invalid(
          'the header row has semicolons or tabs in it: a sample takes commas, and decimal points',
        );
      header = names;
      return names;
    },
  });
  feed(parser, file);
  let columns: string[] | undefined;
  const ranges = new Map<string, Range>();
  const labelLike = new Map<string, LabelLike>();
  const classes = new Map(labels.map((label) => [label, new Set<string>()]));
  let rows = 0;
  // By its number: without a header the name is a cell of data.
  const placeOf = (column: string) => `column ${header.indexOf(column) + 1} of row ${rows}`;
  for await (const row of rowsOf(parser)) {
    rows += 1;
    if (columns === undefined) {
      columns = featureColumns(header, labels, ignore);
      for (const column of columns.filter(isNamedLikeLabels)) labelLike.set(column, new LabelLike());
    }
    for (const column of columns) {
      const text = row[column]!;
      const value = parseDecimal(text);
      if (value === undefined) throw invalid(`${placeOf(column)} ${noFeature(text)}`);
      labelLike.get(column)?.add(value);
      ranges.set(column, extended(ranges.get(column), value));
    }
    for (const [column, values] of classes) {
      const text = row[column]!;
      const problem = noLabel(text);
      if (problem !== undefined) throw invalid(`${placeOf(column)} ${problem}`);
      values.add(text);
    }
  }
  if (rows === 0) throw invalid('the file has no rows');
  for (const [column, { count }] of labelLike) if (count !== undefined) throw unsaidLabels(column, count);
  for (const [column, { size }] of classes) checkClasses(column, size);
  return {
    method: methodOf(options),
    features: [...ranges].map(([name, range]) => ({ name, ...range })),
    labellings: [...classes].map(([column, values]) => ({
      column,
      classes: [...values].sort(byNumberThenText),
    })),
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

interface Range {
  readonly min: number;
  readonly max: number;
  readonly twoValued: boolean;
}

function extended(range: Range | undefined, value: number): Range {
  if (range === undefined) return { min: value, max: value, twoValued: true };
  const { min, max } = range;
  const isThird = min < max && value !== min && value !== max;
  return { min: Math.min(min, value), max: Math.max(max, value), twoValued: range.twoValued && !isThird };
}

/** The parser's own errors quote the file, so only their code and line are kept. */
async function* rowsOf(parser: Parser): AsyncGenerator<Record<string, string>> {
  try {
    yield* parser;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new StatisticsError('ERR_CSV_SYNTAX', `line ${parser.info.lines}: not valid CSV (${error.code})`);
  }
}

function feed(parser: Parser, file: string): void {
  void (async () => {
    try {
      for await (const chunk of readFileBytes(file))
        if (!parser.write(chunk)) await new Promise((go) => parser.once('drain', go));
      parser.end();
    } catch (error) {
      parser.destroy(error as Error);
    }
  })();
}

function featureColumns(
  header: readonly string[],
  labels: readonly string[],
  ignore: readonly string[],
): string[] {
  if (header.some((name) => parseDecimal(name) !== undefined))
    throw invalid('the file needs a header row first, with names that are no numbers');
  if (new Set(header).size < header.length) throw invalid('the header row needs names that differ');
  const missing = [...labels, ...ignore].filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw invalid(`the file has no column ${missing.map((name) => JSON.stringify(name)).join(', ')}`);
  return header.filter((name) => !labels.includes(name) && !ignore.includes(name));
}

function methodOf({ method: kind, scale, form, ridge, signalRidge }: DraftOptions): TaskProposal['method'] {
  if (kind === 'pca') return { kind, ...(scale && { scale }) };
  const drafted = { ridge: ridge ?? DRAFT_RIDGE };
  if (kind !== 'dca') return { kind, ...drafted };
  return { kind, form: form ?? 'standard', ...drafted, signalRidge: signalRidge ?? 0 };
}

const NO_FEATURE =
  'if it is a class label, name the column with --labels; otherwise leave it out with --ignore and its name';

/** Why a cell is no feature's, without showing it. */
function noFeature(text: string): string {
  return isMissing(text)
    ? `is a missing value: leave such rows out of the sample; ${NO_FEATURE}`
    : `is no number, with a point and without blanks: ${NO_FEATURE}`;
}

/** Why a cell would make a class that nobody means, without showing it; undefined if it may be one. */
function noLabel(text: string): string | undefined {
  if (isMissing(text))
    return 'is a missing label: leave such rows out of the sample; if it is a class all the same, write it among "classes" in the draft';
  return text.trim() === text
    ? undefined
    : 'is a label with blanks around it, which would be a class of its own: take them out of the sample; owners have --trim';
}

function checkOptions({ method, scale, form, ridge, signalRidge, labels }: DraftOptions): void {
  if (scale !== undefined && method !== 'pca')
    throw invalid(`"--scale" expected with --method pca alone, got ${method}`);
  if (form !== undefined && method !== 'dca')
    throw invalid(`"--form" expected with --method dca alone, got ${method}`);
  if (signalRidge !== undefined && method !== 'dca')
    throw invalid(`"--signal-ridge" expected with --method dca alone, got ${method}`);
  if (ridge !== undefined && method === 'pca')
    throw invalid('"--ridge" expected with --method dca, lda or mdr, got pca');
  const wanted = LABELLINGS[method];
  if (labels.length !== wanted)
    throw invalid(`"--labels" expected ${COLUMNS_OF_LABELS[wanted]} for ${method}, got ${labels.length}`);
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
    `column ${name} looks like a label (by its name, and by ${count} different whole numbers): ${NO_FEATURE}; if it is a feature all the same, leave it out here and write it among "features" in the draft`,
  );
}

function checkClasses(column: string, size: number): void {
  const name = JSON.stringify(column);
  if (size < 2) throw invalid(`the label column ${name} has one label alone in the file: two are needed`);
  if (size > LIMITS.classes)
    throw invalid(
      `the label column ${name} has ${size} different labels, of which a task takes ${LIMITS.classes}: is it an id or a quantity? Then --ignore it`,
    );
}

function byNumberThenText(a: string, b: string): number {
  return Number(a) - Number(b) || (a < b ? -1 : 1);
}

function invalid(message: string): ServiceError {
  return new ServiceError('ERR_TASK_INVALID', message);
}
