/**
 * The options by which rows are read, declared once: the commands that read rows take their flags from here,
 * and the library its options. It loads only zod, so that command lines start fast.
 */
import { ENCODINGS } from '@eigenveil/platform/file-form';
import { z } from 'zod';

/** Characters that may stand between cells. */
export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
export type Separator = keyof typeof SEPARATORS;

const names = Object.keys(SEPARATORS) as [Separator, ...Separator[]];

/** The setting that says where rows are. */
export const ROWS_FILE = {
  description:
    'CSV file with a header row, also in a gzip archive, or Parquet file, whatever its name; a folder of such files; * and ** name several, in quotes; - for CSV on standard input',
  placeholder: 'FILE',
} as const;

/** The setting that names the columns that are no part of a task. */
export const IGNORED_COLUMNS = {
  schema: z.array(z.string()),
  description:
    "columns of the file to leave out, with commas between or as a JSON list; '#3' is the third one, if it has no name",
  default: [],
  placeholder: 'LIST',
};

/** Returns what must be said of rows that `missing` leaves out. */
export const toldOfSkipped = (rows: number): readonly string[] =>
  rows === 0
    ? []
    : [
        `${rows === 1 ? '1 row was' : `${rows} rows were`} left out, since a cell is missing or all are blank`,
      ];

/** Options that say how one file of rows is written. */
export const CSV_OPTIONS = {
  missing: {
    schema: z.enum(['error', 'skip']),
    description: 'what to do with rows that lack a cell: refuse the file, or leave them out and count them',
    default: 'error',
    placeholder: 'error|skip',
  },
  missingValues: {
    schema: z.array(z.string()).optional(),
    description:
      'further marks of a missing cell, with commas between or as a JSON list: texts to the letter, numbers as numbers; of one column: dose:-999',
    placeholder: 'LIST',
  },
  defaultMissing: {
    schema: z.boolean(),
    description:
      'take an empty cell, NA, N/A, NaN, nan, NULL, null and ? for missing; --no-default-missing leaves --missing-values alone',
    default: true,
  },
  separator: {
    schema: z.enum(names).optional(),
    description: `what stands between cells: ${names.join(', ')} (default: comma, or what a first line such as "sep=;" names)`,
    placeholder: 'NAME',
  },
  decimal: {
    schema: z.enum(['point', 'comma']).optional(),
    description:
      "what stands before a number's fraction: point or comma (default: point; comma with --thousands point)",
    placeholder: 'NAME',
  },
  thousands: {
    schema: z.enum(['point', 'comma', 'space']).optional(),
    description: 'what stands between the thousands of a number: point, comma or space (default: nothing)',
    placeholder: 'NAME',
  },
  trim: {
    schema: z.boolean(),
    description: 'pass over blanks around names, numbers and labels',
    default: false,
  },
  escape: {
    schema: z.literal('backslash').optional(),
    description: 'what stands before a quote in a quoted cell: backslash (default: another quote)',
    placeholder: 'backslash',
  },
  encoding: {
    schema: z.enum(ENCODINGS).optional(),
    description: `how the bytes write text: ${ENCODINGS.join(', ')} (default: utf-8, or what a byte order mark says)`,
    placeholder: 'NAME',
  },
  skipLines: {
    schema: z.int().min(0).optional(),
    description: 'lines to pass over before the header row',
    placeholder: 'NUMBER',
  },
  skipRows: {
    schema: z.int().min(0).optional(),
    description: 'rows to pass over behind the header row, such as one of units',
    placeholder: 'NUMBER',
  },
  columns: {
    schema: z
      .union([
        z.array(z.string()),
        z
          .record(z.string(), z.string())
          .transform((own) => Object.entries(own).map(([name, column]) => `${column}=${name}`)),
      ])
      .optional(),
    description:
      'names that columns of the file have for the task, with commas between or as a JSON list: Age=age, or \'#3=age\' for the third column; or as JSON: {"age": "Age"}',
    placeholder: 'LIST',
  },
} as const;

/** Options that say which files are read, and by what. */
const FILE_OPTIONS = {
  folderColumns: {
    schema: z.array(z.string()).optional(),
    description:
      'columns to take from names of folders, such as month of month=1/rows.csv, with commas between or as a JSON list (default: a folder is never data)',
    placeholder: 'LIST',
  },
  allowRepeatedFiles: {
    schema: z.boolean(),
    description: 'read files of one folder or pattern that have the same rows',
    default: false,
  },
  memory: {
    schema: z.int().min(64),
    description: 'what DuckDB may use at most, in MB; it reads everything except CSV',
    default: 512,
    placeholder: 'NUMBER',
  },
} as const;

/** Options that every command takes that reads files of rows. */
export const READING_OPTIONS = {
  ...CSV_OPTIONS,
  ...FILE_OPTIONS,
  numericLabels: {
    schema: z.boolean(),
    description: 'take a label that is the same number as a class for that class: 2.0 for 2',
    default: false,
  },
} as const;

/** Options by which an owner of rows says what it knows of them although it looks like a mistake. */
export const CONSENT_OPTIONS = {
  allowClipping: {
    schema: z.array(z.string()).optional(),
    description:
      'features of which more than half of the cells may lie outside their range, with commas between or as a JSON list',
    placeholder: 'LIST',
  },
  countUnreadable: {
    schema: z.boolean(),
    description: 'of histograms: count cells that are no numbers, however many they are',
    default: false,
  },
} as const;

type Declared = Readonly<Record<string, { readonly schema: z.ZodType }>>;
type Unchanged<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;
type OptionsOf<Table extends Declared> = {
  readonly [Name in keyof Table]?: Unchanged<z.output<Table[Name]['schema']>> | undefined;
};

/** The form in which CSV is written. */
export type CsvForm = OptionsOf<typeof CSV_OPTIONS>;
/** The options by which files of rows are read. */
export type ReadingOptions = OptionsOf<typeof READING_OPTIONS>;
export type ConsentOptions = OptionsOf<typeof CONSENT_OPTIONS>;
