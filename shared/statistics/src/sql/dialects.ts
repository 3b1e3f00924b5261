/**
 * Writes for each database what the statement of a task's sums needs: names, numbers, text and exact sums.
 */
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';

export const DIALECTS = ['duckdb', 'postgres', 'spark', 'bigquery'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** A way to sum integers that is exact as long as no partial sum is larger in magnitude than `most`. */
interface Sum {
  readonly most: bigint;
  /** Sums an expression of 64 bits. */
  readonly of: (expression: string) => string;
}

interface Dialect {
  readonly double: string;
  readonly integer: string;
  readonly text: string;
  /** A label as text that is compared to the letter, whatever collation its column has. */
  readonly label: (column: string) => string;
  /** The column as a double, rounded correctly. */
  readonly cell: (column: string) => string;
  /**
   * Keeps the planner from copying the expressions of an inner query into each place of the outer one that
   * uses them.
   */
  readonly fence: string;
  readonly quote: (name: string) => string;
  /**
   * Says whether `source."name"` is a column and nothing else; there a bare name may also be a function, such
   * as "user".
   */
  readonly qualifies: boolean;
  /**
   * The characters that a name that is quoted may not hold, and whether names that differ in case alone are
   * one.
   */
  readonly forbidden: RegExp;
  readonly longestName: number;
  readonly foldsCase: boolean;
  /** Text from the hexadecimal digits of its UTF-8. */
  readonly textOfBytes: (hexadecimal: string) => string;
  /** Texts with one blank between each two; there may be more than functions have arguments. */
  readonly join: (texts: readonly string[]) => string;
  /** The ways to sum, from the fastest to the widest. */
  readonly sums: readonly Sum[];
}

const INT64: bigint = 2n ** 63n - 1n;
const INT128: bigint = 2n ** 127n - 1n;

const sum = (expression: string) => `SUM(${expression})`;
const sumAs = (type: string) => (expression: string) => `SUM(CAST(${expression} AS ${type}))`;
const castTo = (type: string) => (column: string) => `CAST(${column} AS ${type})`;
const doubled = (quote: string) => (name: string) => quote + name.replaceAll(quote, quote + quote) + quote;

export const DIALECT: Readonly<Record<DialectName, Dialect>> = {
  duckdb: {
    double: 'DOUBLE',
    integer: 'BIGINT',
    text: 'VARCHAR',
    label: (column) => `CAST(${column} AS VARCHAR) COLLATE C`,
    // Its cast rounds decimals of more than 15 digits, and integers of 128 bits, twice; reading their text
    // rounds once. The type is known when the statement is planned, so the test costs nothing.
    cell: (column) =>
      `CASE WHEN regexp_matches(typeof(${column}), '^(DECIMAL|U?HUGEINT|BIGNUM)') THEN CAST(CAST(${column} AS VARCHAR) AS DOUBLE) ELSE CAST(${column} AS DOUBLE) END`,
    fence: '',
    quote: doubled('"'),
    qualifies: true,
    forbidden: /$^/,
    longestName: Infinity,
    foldsCase: true,
    textOfBytes: (hexadecimal) => `decode(unhex('${hexadecimal}'))`,
    join: (texts) => `concat_ws(' ', ${texts.join(', ')})`,
    sums: [{ most: INT128, of: sum }], // HUGEINT
  },
  postgres: {
    double: 'double precision',
    integer: 'bigint',
    text: 'text',
    label: (column) => `CAST(${column} AS text) COLLATE "C"`,
    cell: castTo('double precision'),
    fence: ' OFFSET 0',
    quote: doubled('"'),
    qualifies: false, // a function of the whole row, where there is no such column
    forbidden: /$^/,
    // Longer ones are cut off without an error, and could then be another column's.
    longestName: 63,
    foldsCase: false,
    textOfBytes: (hexadecimal) => `convert_from(decode('${hexadecimal}', 'hex'), 'UTF8')`,
    join: (texts) => `array_to_string(ARRAY[${texts.join(', ')}], ' ')`,
    sums: [{ most: INT128, of: sum }], // numeric, added up in 128 bits
  },
  spark: {
    double: 'DOUBLE',
    integer: 'BIGINT',
    text: 'STRING',
    label: castTo('STRING'), // before version 4 there is one collation, and no word for it
    cell: castTo('DOUBLE'),
    fence: '',
    quote: doubled('`'),
    qualifies: true,
    forbidden: /$^/,
    longestName: Infinity,
    foldsCase: true,
    textOfBytes: (hexadecimal) => `decode(unhex('${hexadecimal}'), 'UTF-8')`,
    join: (texts) => `concat_ws(' ', ${texts.join(', ')})`,
    sums: [
      { most: INT64, of: sum },
      // The sum of DECIMAL(p, 0) is a DECIMAL(p + 10, 0); a product of two cells has at most 13 digits.
      { most: 10n ** 38n - 1n, of: sumAs('DECIMAL(28, 0)') },
    ],
  },
  bigquery: {
    double: 'FLOAT64',
    integer: 'INT64',
    text: 'STRING',
    label: (column) => `COLLATE(CAST(${column} AS STRING), '')`,
    cell: castTo('FLOAT64'),
    fence: '',
    quote: (name) => `\`${name}\``,
    qualifies: true,
    // A backslash escapes inside backticks; the others cannot stand in a column's name.
    forbidden: /[!"$()*,./;?@[\\\]^`{}~]/,
    longestName: 300,
    foldsCase: true,
    textOfBytes: (hexadecimal) => `SAFE_CONVERT_BYTES_TO_STRING(FROM_HEX('${hexadecimal}'))`,
    join: (texts) => `ARRAY_TO_STRING([${texts.join(', ')}], ' ')`,
    sums: [
      { most: INT64, of: sum },
      { most: 10n ** 29n - 1n, of: sumAs('NUMERIC') },
      { most: 10n ** 38n - 1n, of: sumAs('BIGNUMERIC') },
    ],
  },
};

/** Characters that no statement may hold: they cannot be seen, or end a line. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Texts that shells of databases and templates replace wherever they stand, also between quotes. */
const TEMPLATE = /\$\{|\{\{|\{%|\{#|#\{/;
/** Names of our own, which a name of the task must not be taken for. */
const OURS = /^ev_/i;
const PLAIN = /^[\p{L}\p{N} _.+-]*$/u;

/**
 * Names of the owner's columns as the statement writes them. The task's names are those of the data user, who
 * may have made them up to be something else than a name: what quotes cannot hold in every case is refused.
 * @throws ERR_SQL_NAME
 */
export function quoteColumns(dialect: Dialect, names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    const folded = dialect.foldsCase ? foldCase(name) : name;
    const isTooLong = Buffer.byteLength(name) > dialect.longestName;
    if (name === '' || isTooLong || [UNSEEN, TEMPLATE, OURS, dialect.forbidden].some((it) => it.test(name)))
      throw nameError(name, 'cannot be written safely in this dialect');
    if (seen.has(folded)) throw nameError(name, 'is, in this dialect, the same as another one');
    seen.add(folded);
    return dialect.quote(name);
  });
}

/**
 * Returns what is the same of two names where case does not count: of some letters only the upper cases are,
 * such as of s and ſ.
 */
const foldCase = (name: string) => name.toUpperCase().toLowerCase();

/**
 * A text of the task as a literal. A text that could be anything except letters, digits and few signs more is
 * written by its bytes.
 */
export function textLiteral(dialect: Dialect, text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  return dialect.textOfBytes(Buffer.from(text).toString('hex'));
}

/** A double, exactly: the shortest decimal that reads back as it. */
export function doubleLiteral(dialect: Dialect, value: number): string {
  return `CAST('${value}' AS ${dialect.double})`;
}

/**
 * The fastest exact sum of integers that come to at most the given one in all.
 * @throws ERR_SQL_WIDTH
 */
export function exactSum(dialect: Dialect, bound: bigint): (expression: string) => string {
  const found = dialect.sums.find(({ most }) => bound <= most);
  if (found !== undefined) return found.of;
  throw new CodedError(
    STATISTICS_CODES.ERR_SQL_WIDTH,
    `sums of this task can reach 2^${bound.toString(2).length - 1}, more than this dialect adds up exactly: give the rows as a file`,
  );
}

function nameError(name: string, problem: string): CodedError {
  return new CodedError(
    STATISTICS_CODES.ERR_SQL_NAME,
    `column ${JSON.stringify(name)} ${problem}: give it a column of your own with --columns`,
  );
}
