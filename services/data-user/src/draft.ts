/**
 * Drafts a task proposal from a CSV file: column names, their minima and maxima, class labels. For data whose ranges
 * may be public; where they may not, write the ranges from domain knowledge instead.
 */
import { CSV_SYNTAX, parseDecimal, readFileBytes, StatisticsError } from '@eigenveil/statistics';
import type { MethodName, Scale, TaskProposal } from '@eigenveil/task';
import { ServiceError } from '@eigenveil/wire';
import { CsvError, type Parser, parse } from 'csv-parse';

export interface DraftOptions {
  readonly method: MethodName;
  /** For pca; covariance where it is not given. */
  readonly scale?: Scale | undefined;
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
 * @throws ERR_TASK_INVALID for a header with numbers or with a name twice, a missing column, a cell that is
 * no number or a file without rows, ERR_CSV_SYNTAX, ERR_FILE_UNREADABLE
 */
export async function draftTask(file: string, options: DraftOptions): Promise<Draft> {
  const { method, scale, labels, ignore } = options;
  if (scale !== undefined && method !== 'pca')
    throw invalid(`"scale" expected with pca alone, got ${method}`);
  let header: string[] = [];
  const parser = parse({
    ...CSV_SYNTAX,
    columns: (names: string[]) => {
      header = names;
      return names;
    },
  });
  feed(parser, file);
  let columns: string[] | undefined;
  const ranges = new Map<string, Range>();
  const classes = new Map(labels.map((label) => [label, new Set<string>()]));
  let rows = 0;
  for await (const row of rowsOf(parser)) {
    rows += 1;
    columns ??= featureColumns(header, labels, ignore);
    for (const column of columns) {
      const value = row[column]!.trim() === '' ? Number.NaN : Number(row[column]);
      if (!Number.isFinite(value)) {
        // By its number: without a header the name is a cell of data.
        const place = `column ${header.indexOf(column) + 1} of row ${rows}`;
        throw invalid(`${place} is no number: leave the column out with --ignore and its name`);
      }
      ranges.set(column, extended(ranges.get(column), value));
    }
    for (const [label, values] of classes) values.add(row[label]!);
  }
  if (rows === 0) throw invalid('the file has no rows');
  return {
    method: methodOf(method, scale),
    features: [...ranges].map(([name, range]) => ({ name, ...range })),
    labellings: [...classes].map(([column, values]) => ({
      column,
      classes: [...values].sort(byNumberThenText),
    })),
    rows,
  };
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

function methodOf(kind: MethodName, scale: Scale | undefined): TaskProposal['method'] {
  if (kind === 'pca') return { kind, ...(scale && { scale }) };
  if (kind === 'dca') return { kind, form: 'standard', ridge: DRAFT_RIDGE, signalRidge: 0 };
  return { kind, ridge: DRAFT_RIDGE };
}

function byNumberThenText(a: string, b: string): number {
  return Number(a) - Number(b) || (a < b ? -1 : 1);
}

function invalid(message: string): ServiceError {
  return new ServiceError('ERR_TASK_INVALID', message);
}
