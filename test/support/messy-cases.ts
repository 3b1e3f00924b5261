/** What must come of files as owners have them, of each with the options that it is read by. */
import type { ReadingOptions } from '@eigenveil/statistics';

export type Command = 'contribute' | 'project' | 'draft' | 'demo';
const COMMANDS: readonly Command[] = ['contribute', 'project', 'draft', 'demo'];

/** What comes of a file: rows that are read (and in which lines their doses end), an error, or rows with a warning. */
type Outcome =
  | {
      readonly kind: 'read';
      readonly rows?: number;
      readonly dose?: readonly [number, number];
      readonly skipped?: number;
    }
  | { readonly kind: 'refused'; readonly message: RegExp; readonly code?: string }
  | { readonly kind: 'warned'; readonly message: RegExp };

export interface Options extends ReadingOptions {
  readonly ignore?: readonly string[];
  readonly allowClipping?: readonly string[];
}

export interface Case {
  readonly file: string;
  readonly options: Options;
  readonly of: 'pca' | 'lda' | 'nfd' | 'histogram';
  readonly outcome: Outcome;
  /** Of which commands; all of them by default. */
  readonly by: readonly Command[];
}

const read = (rest: Partial<Extract<Outcome, { kind: 'read' }>> = {}): Outcome => ({ kind: 'read', ...rest });
const refused = (message: RegExp, code?: string): Outcome => ({
  kind: 'refused',
  message,
  ...(code && { code }),
});
const warned = (message: RegExp): Outcome => ({ kind: 'warned', message });
const of = (file: string, outcome: Outcome, options: Options = {}, by = COMMANDS): Case => ({
  file,
  outcome,
  options,
  of: 'pca',
  by,
});
/** Only what is checked against a task: a draft and a demo make their own of the file. */
const BY_TASK: readonly Command[] = ['contribute', 'project'];
/** `project` leaves out all columns that it does not need. */
const BY_COLUMNS: readonly Command[] = ['contribute', 'draft', 'demo'];
const SEMICOLON = { separator: 'semicolon' } as const;
const SKIP = { missing: 'skip', missingValues: ['#N/A', '.', '<NA>', '-999'] } as const;
const BOTH_READINGS = /such as 1,234: that is 1234 by --thousands comma, and 1\.234 by --decimal comma/;
const POINTS = /such as 1\.234: that is 1234 by --thousands point, and 1\.234 by --decimal point/;
const LATIN1 = { encoding: 'windows-1252' } as const;

export const CASES: readonly Case[] = [
  of('base.csv', read()),
  of('base.parquet', read()),
  of('dose=500/base.parquet', read()),
  of('thousands_int.csv', refused(BOTH_READINGS)),
  of('thousands_int.csv', read(), { thousands: 'comma' }),
  {
    ...of('latin1_classes.csv', refused(/bytes that are not UTF-8: .*windows-1252/, 'ERR_ENCODING'), {
      ignore: ['id'],
    }),
    of: 'lda',
  },
  of('latin1_clash.csv', refused(/line 2: bytes that are not UTF-8/), { ignore: ['name', 'label'] }),
  of('latin1_clash.csv', read(), { ...LATIN1, ignore: ['name', 'label'] }),
  of('utf16.csv', read()),
  of('utf16.csv', read(), { encoding: 'utf-16' }),
  {
    ...of(
      'hist_comma.csv',
      refused(/all cells of "x" are no numbers.*--decimal comma/, 'ERR_UNREADABLE_CELLS'),
      {
        ...SEMICOLON,
        ignore: ['note'],
      },
    ),
    of: 'histogram',
    by: ['contribute'],
  },
  of(
    'hist_comma.csv',
    refused(/is no number, but one with a comma, which --decimal comma takes/),
    {
      ...SEMICOLON,
      ignore: ['note'],
    },
    ['draft', 'demo'],
  ),
  of('unnamed.csv', refused(/column 1 has no name.*--ignore '#1'/), { ignore: ['label'] }, BY_COLUMNS),
  of('unnamed.csv', refused(/index of a data frame/), { ignore: ['label'] }, BY_COLUMNS),
  of('unnamed.csv', read(), { ignore: ['#1', 'label'] }),
  of('base.pq', read()),
  of('spark.parquet', read()),
  of('tree/**', refused(/have the same rows: .*--allow-repeated-files/, 'ERR_FILE_REPEATED')),
  of('tree/**', read({ rows: 24 }), { allowRepeatedFiles: true }),
  of('tree', read({ rows: 24 }), { allowRepeatedFiles: true }),
  of(
    'casedup.parquet',
    refused(/"dose", but there are "DOSE" \(number 4\) and "dose_1" \(number 5\)/),
    {},
    BY_TASK,
  ),
  of('casedup.parquet', warned(/"DOSE" and "dose_1" are called so by DuckDB/), {}, ['draft', 'demo']),
  of('casedup.parquet', read(), { columns: ['dose_1=dose'], ignore: ['id', 'label', 'DOSE'] }),
  of('casedup_own.parquet', refused(/"DOSE" differs from "dose" \(number 4\)/), {}, ['contribute']),
  of('casedup_own.parquet', warned(/"dose" and "DOSE" differ in upper and lower case/), {}, [
    'draft',
    'demo',
  ]),
  of('casedup_own.parquet', read(), { ignore: ['id', 'label', 'DOSE'] }),
  of('trailing_cols.csv', refused(/has no name: leave it out|column 7 has no name/), {}, BY_COLUMNS),
  of('trailing_cols.csv', read(), { ignore: ['id', 'label', '#7', '#8'] }),
  of('blank_rows.csv', read({ skipped: 2 })),
  of('inch.csv', read()),
  of('backslash.csv', refused(/not valid CSV: .*--escape backslash reads it/)),
  of('backslash.csv', read(), { escape: 'backslash' }),
  of('quoted_names_with_comma.csv', read(), { columns: ['age, years=age'] }),
  ...['na_dot.csv', 'na_excelna.csv', 'na_pdna.csv'].flatMap((file) => [
    of(file, refused(/row 4.*name it with --missing-values/)),
    of(file, read({ rows: 11, skipped: 1 }), SKIP),
  ]),
  of('na_blank.csv', refused(/a cell of blanks alone: --trim makes it an empty one/)),
  of('na_blank.csv', read({ rows: 11, skipped: 1 }), { trim: true, missing: 'skip' }),
  of('sentinel.csv', warned(/a single value alone makes the lower end of the range of "dose"/), {}, [
    'draft',
    'demo',
  ]),
  of(
    'sentinel.csv',
    refused(/a mark of a missing value: --missing skip|is a missing value: --missing skip/),
    {
      missingValues: ['-999'],
    },
  ),
  of('sentinel.csv', read({ rows: 9, skipped: 3, dose: [75, 2500] }), SKIP),
  of('sentinel.csv', read({ rows: 9, skipped: 3, dose: [75, 2500] }), {
    missing: 'skip',
    missingValues: ['dose:-999.0'],
  }),
  of(
    'case.csv',
    refused(/missing: "age", but "Age" \(number 2\) differs from it in upper and lower case alone/),
    {},
    BY_TASK,
  ),
  of('case.csv', read(), { columns: ['Age=age', 'Weight=weight'] }),
  {
    ...of('nfd.csv', refused(/differs from it in the normal form of accents/), {}, ['contribute']),
    of: 'nfd',
  },
  of('nfd.csv', read(), { columns: ['#3=weight'] }),
  of('bool_py.csv', read()),
  {
    ...of(
      'label_R.csv',
      refused(/differs from the class "true" in upper and lower case alone/),
      { ignore: ['id'] },
      ['contribute'],
    ),
    of: 'lda',
  },
  of('gz_misnamed.csv', read()),
  of(
    'cut.csv.gz',
    refused(/cannot be read: its gzip data end too early, as if the file was cut off/, 'ERR_FILE_UNREADABLE'),
  ),
  of('copy/*.csv', refused(/have the same rows/, 'ERR_FILE_REPEATED')),
  of('copy/*.csv', read({ rows: 24 }), { allowRepeatedFiles: true }),
  of('german_ints.csv', warned(POINTS), SEMICOLON),
  of('german_ints.csv', read(), { ...SEMICOLON, thousands: 'point' }),
  of('german_points.csv', refused(POINTS), { ...SEMICOLON, decimal: 'comma' }),
  of('german_points.csv', read(), { ...SEMICOLON, decimal: 'comma', thousands: 'point' }),
  of(
    'grams.csv',
    refused(/more than half of the cells of "weight" .*--allow-clipping weight/, 'ERR_CLIPPED'),
    {},
    BY_TASK,
  ),
  of('grams.csv', read(), { allowClipping: ['weight'] }),
  of('sep_line.csv', read()),
  of('units_row.csv', refused(/row 1 .*holds units, not numbers: --skip-rows 1/)),
  of('units_row.csv', read(), { skipRows: 1 }),
];

/** Files whose rows are those of the good one, number by number. */
export const SAME = new Set([
  ...['base.parquet', 'dose=500/base.parquet', 'latin1_clash.csv', 'utf16.csv', 'unnamed.csv', 'base.pq'],
  ...[
    'spark.parquet',
    'casedup.parquet',
    'casedup_own.parquet',
    'trailing_cols.csv',
    'blank_rows.csv',
    'inch.csv',
    'backslash.csv',
  ],
  ...['quoted_names_with_comma.csv', 'case.csv', 'nfd.csv', 'gz_misnamed.csv', 'german_points.csv'],
  ...['sep_line.csv', 'units_row.csv'],
]);
