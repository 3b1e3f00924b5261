/** Which cells are missing: those that hold nothing, and those with a mark for it. */
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { parseDecimal } from './number.ts';
import type { CsvForm } from './reading-options.ts';

const DEFAULTS = ['', 'NA', 'N/A', 'NaN', 'nan', 'NULL', 'null', '?'] as const;

/** What other programs write for nothing, which is no default since it could be something. */
const PROBABLE: ReadonlySet<string> = new Set(
  '. - -- --- * ** #N/A #NA #N/A! #NULL! #NUM! #VALUE! #REF! #DIV/0! #NAME? <NA> <na> n/a na Na N.A. n.a. None none NONE nil Null NaT -nan +nan -NaN Missing missing unknown'.split(
    ' ',
  ),
);

export const isProbablyMissing = (text: string) => PROBABLE.has(text);

/** The marks of one column. */
export class MissingMarks {
  readonly #texts: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<number>;

  constructor(marks: readonly string[]) {
    this.#texts = new Set(marks);
    this.#numbers = new Set(marks.flatMap((mark) => parseDecimal(mark) ?? []));
  }

  /** Whether any number is a mark. */
  get hasNumbers(): boolean {
    return this.#numbers.size > 0;
  }

  hasNumber(value: number): boolean {
    return this.#numbers.has(value);
  }

  /** Whether a cell is missing. `value` is the number that it writes, if it writes one. */
  has(text: string, value?: number | undefined): boolean {
    return this.#texts.has(text) || (value !== undefined && this.#numbers.has(value));
  }
}

/**
 * The marks of each column of a file.
 * @param columns the names of each column of a file: its own, that of the task, and `#` with its number
 * @throws ERR_CSV_COLUMNS for marks of a column that is not there
 */
export function missingMarks(
  { missingValues = [], defaultMissing = true }: Pick<CsvForm, 'missingValues' | 'defaultMissing'>,
  columns: readonly (readonly string[])[],
): MissingMarks[] {
  const everywhere: string[] = defaultMissing ? [...DEFAULTS] : [];
  const own = columns.map((): string[] => []);
  for (const mark of missingValues) {
    const found = columnOf(mark, columns);
    if (found === undefined) everywhere.push(mark);
    else own[found.column]!.push(found.mark);
  }
  // Most columns have the same marks.
  const common = new MissingMarks(everywhere);
  return own.map((marks) => (marks.length === 0 ? common : new MissingMarks([...everywhere, ...marks])));
}

function columnOf(
  text: string,
  columns: readonly (readonly string[])[],
): { readonly column: number; readonly mark: string } | undefined {
  for (let colon = text.indexOf(':'); colon > 0; colon = text.indexOf(':', colon + 1)) {
    const name = text.slice(0, colon);
    const column = columns.findIndex((names) => names.includes(name));
    if (column >= 0) return { column, mark: text.slice(colon + 1) };
  }
  // A column that is misspelt must not become a mark that no cell has.
  if (!/^[\p{L}_#][^:]*:/u.test(text)) return undefined;
  const name = JSON.stringify(text.slice(0, text.indexOf(':')));
  throw new CodedError(
    STATISTICS_CODES.ERR_CSV_COLUMNS,
    `"--missing-values" names a column that is not there: ${name}`,
  );
}
