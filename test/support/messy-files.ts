/**
 * Files as owners have them, made up here, each with what somebody's real file did: a folder of them, with the names of the folder `messy` that
 * EIGENVEIL_DATA may hold, and one that it lacks. All but those that say so hold the rows of base.csv.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';

const NAMES = ['id', 'age', 'weight', 'dose', 'score', 'label'] as const;
const ROWS: readonly (readonly [age: number, weight: number, dose: number, score: number])[] = [
  [20, 51.5, 75, 0.25],
  [27, 54.25, 950, 1.375],
  [33, 60.5, 1234, 0.75],
  [41, 61.75, 2500, 0.5],
  [46, 66.5, 640, 0.375],
  [52, 63.25, 12000, 1.125],
  [58, 72.5, 310, 1.25],
  [61, 69.75, 1800, 0.625],
  [69, 75.5, 480, 2.5],
  [73, 70.25, 4020, 1.75],
  [80, 74.5, 560, 3.5],
  [85, 68.75, 990, 2.375],
];

/** The numbers of the rows, as they are to be read. */
export const MESSY_ROWS = ROWS;

type Cell = (value: number, column: (typeof NAMES)[number], row: number) => string;
const plain: Cell = (value) => String(value);

interface Form {
  readonly separator?: string;
  readonly header?: string;
  readonly id?: (row: number) => string;
  readonly label?: (row: number) => string;
  readonly cell?: Cell;
  readonly whole?: boolean;
  readonly more?: string;
}

function csv({
  separator = ',',
  header,
  id,
  label,
  cell = plain,
  whole = false,
  more = '',
}: Form = {}): string {
  const lines = ROWS.map((row, n) => {
    const cells = row.map((value, k) => cell(whole ? Math.round(value) : value, NAMES[k + 1]!, n));
    const first = id?.(n) ?? String(n + 1).padStart(3, '0');
    return `${[first, ...cells, label?.(n) ?? String((n % 2) + 1)].join(separator)}${more}\n`;
  });
  return `${header ?? `${NAMES.join(separator)}${more}`}\n${lines.join('')}`;
}

const pointed = (value: number) =>
  value >= 1000 ? String(value).replace(/(\d)(\d{3})$/, '$1.$2') : String(value);
const comma = (text: string) => text.replace('.', ',');
const ofDose =
  (of: (value: number, row: number) => string): Cell =>
  (value, column, row) =>
    column === 'dose' ? of(value, row) : String(value);

/** Writes all of them into a folder. */
export async function writeMessyFiles(folder: string): Promise<void> {
  const base = csv();
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'base.csv': base,
    'thousands_int.csv': csv({
      whole: true,
      cell: ofDose((value) => (value >= 1000 ? `"${pointed(value).replace('.', ',')}"` : String(value))),
    }),
    'latin1_classes.csv': latin1(csv({ label: (n) => ['é', 'ü', 'ø', 'none'][n % 4]! })),
    'latin1_clash.csv': latin1(csv({ header: NAMES.join().replace('id', 'name'), id: (n) => `Müller${n}` })),
    'utf16.csv': Buffer.from(`\ufeff${base}`, 'utf16le'),
    'hist_comma.csv': `x;note\n${Array.from({ length: 60 }, (_, n) => `${40 + (n % 7)},5;a\n`).join('')}`,
    'unnamed.csv': csv({ header: NAMES.join().replace('id', ''), id: String }),
    'trailing_cols.csv': csv({ more: ',,' }),
    'blank_rows.csv': `${base}   \n\t\n\n`,
    'inch.csv': csv({ id: () => '5" pipe' }),
    'backslash.csv': csv({ id: () => '"say \\"hi\\" now"' }),
    'quoted_names_with_comma.csv': csv({ header: NAMES.join().replace('age', '"age, years"') }),
    'na_blank.csv': csv({ cell: ofDose((value, n) => (n === 3 ? ' ' : String(value))) }),
    'na_dot.csv': csv({ cell: ofDose((value, n) => (n === 3 ? '.' : String(value))) }),
    'na_excelna.csv': csv({ cell: ofDose((value, n) => (n === 3 ? '#N/A' : String(value))) }),
    'na_pdna.csv': csv({ cell: ofDose((value, n) => (n === 3 ? '<NA>' : String(value))) }),
    'sentinel.csv': csv({ cell: ofDose((value, n) => ([2, 5, 9].includes(n) ? '-999' : String(value))) }),
    'case.csv': csv({ header: NAMES.join().replace('age', 'Age').replace('weight', 'Weight') }),
    'nfd.csv': csv({ header: NAMES.join().replace('weight', 'poids_kg_é'.normalize('NFD')) }),
    'bool_py.csv': csv({
      cell: (value, column) => (column === 'score' ? (value > 1 ? 'True' : 'False') : String(value)),
    }),
    'label_R.csv': csv({ label: (n) => (n % 2 === 0 ? 'TRUE' : 'FALSE') }),
    'gz_misnamed.csv': gzipSync(base),
    'cut.csv.gz': gzipSync(base).subarray(0, 90),
    'policy_bom.json': '\ufeff{ "twoParty": ["rotated"], "allowSpectrum": true }',
    'copy/rows.csv': base,
    'copy/rows (1).csv': base,
    'german_ints.csv': csv({ separator: ';', whole: true, cell: ofDose(pointed) }),
    'german_points.csv': csv({
      separator: ';',
      cell: (value, column) => (column === 'dose' ? pointed(value) : comma(String(value))),
    }),
    'grams.csv': csv({ cell: (value, column) => String(column === 'weight' ? 1000 * value : value) }),
    'sep_line.csv': `sep=;\r\n${csv({ separator: ';' })}`,
    'units_row.csv': base.replace('\n', '\n,years,kg,mg,,\n'),
    'tree/a.csv': base,
    'tree/sub/b.csv': base,
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await writeParquet(folder);
}

/** The same rows by DuckDB: as they are, by another name, in folders, and with two columns that differ in case alone. */
async function writeParquet(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const rows = `SELECT * FROM read_csv('${join(folder, 'base.csv')}', all_varchar = true)`;
  const typed = `SELECT id, age::INTEGER AS age, weight::DOUBLE AS weight, dose::INTEGER AS dose, score::DOUBLE AS score, label::INTEGER AS label FROM (${rows})`;
  await mkdir(join(folder, 'dose=500'));
  await mkdir(join(folder, 'spark.parquet'));
  for (const name of ['base.parquet', 'base.pq', 'dose=500/base.parquet', 'spark.parquet/part-0000.parquet'])
    await connection.run(`COPY (${typed}) TO '${join(folder, name)}' (FORMAT parquet)`);
  // Spark leaves these beside the parts.
  await writeFile(join(folder, 'spark.parquet/_SUCCESS'), '');
  await writeFile(join(folder, 'spark.parquet/.part-0000.parquet.crc'), 'crc');
  await connection.run(
    `COPY (SELECT *, dose AS doze FROM (${typed})) TO '${join(folder, 'casedup_own.parquet')}' (FORMAT parquet, COMPRESSION uncompressed)`,
  );
  // DuckDB calls the second one dose_1.
  await connection.run(
    `COPY (SELECT id, age, weight, 2 * dose AS "DOSE", dose, score, label FROM (${typed})) TO '${join(folder, 'casedup.parquet')}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  await renameColumn(join(folder, 'casedup_own.parquet'), 'doze', 'DOSE');
}

/** In the file's bytes, since DuckDB would not write such names. */
async function renameColumn(file: string, from: string, to: string): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(file);
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at)) bytes.write(to, at, 'latin1');
  await writeFile(file, bytes);
}
