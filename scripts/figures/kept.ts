/** The kept reports of the documents: their samples, and the tables that are made of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BenchData, BenchDataSchema } from '@eigenveil/studies/instrument/report';
import type { Cell, Report, Table } from '@eigenveil/studies/instrument/report/document';
import { ROOT } from '../rooms.ts';

export const readText = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');
export const readJson = async (name: string): Promise<unknown> => JSON.parse(await readText(name));
export const readBench = async (name: string): Promise<BenchData> =>
  BenchDataSchema.parse(await readJson(`docs/${name}/report.json`));

/** The samples of one series of a kept run. */
export function samplesOf({ measurements }: BenchData, id: string, series: string): readonly number[] {
  const samples = measurements.find((one) => one.id === id)?.series[series]?.samples;
  if (samples === undefined) throw new RangeError(`the kept report expected ${series} of ${id}, has none`);
  return samples;
}

/** The facts of one measurement of a kept run whose names are such. */
export function factsOf({ measurements }: BenchData, id: string, names: RegExp): string[] {
  const facts = Object.entries(measurements.find((one) => one.id === id)?.facts ?? {});
  const found = facts.flatMap(([name, value]) => (names.test(name) ? [`${value}`] : []));
  if (found.length === 0) throw new RangeError(`the kept report expected ${names} of ${id}, has none`);
  return found;
}

/** The tables of a report whose captions begin like that. */
export function tablesOf(report: Report, caption: string): Table[] {
  const isAsked = (block: Report['sections'][number]['blocks'][number]): block is Table =>
    block.kind === 'table' && block.caption.startsWith(caption);
  const tables = report.sections.flatMap(({ blocks }) => blocks.filter(isAsked));
  if (tables.length === 0) throw new RangeError(`a table "${caption}" expected, got none`);
  return tables;
}

/** A cell's text, which may be in a tone. */
export const textOf = (cell: Cell): string =>
  typeof cell === 'string' ? cell : cell.map(({ text }) => text).join('\n');

/** The cells of the tables with this caption, by the first cells of a row and by the title of a column behind them. */
export function cellsOf(report: Report, caption: string): (row: readonly string[], column: string) => string {
  return cellsIn(tablesOf(report, caption), caption);
}

/** Does what `cellsOf` does, for tables without a report. */
export function cellsIn(
  all: readonly Table[],
  caption: string,
): (row: readonly string[], column: string) => string {
  const tables = all.filter((table) => table.caption.startsWith(caption));
  return (row, column) => {
    const found = tables.flatMap(({ rows, columns }) => {
      const cells = rows.find((one) => row.every((cell, i) => one[i] === cell));
      const cell = cells?.[columns.findIndex(({ title }, i) => i >= row.length && title === column)];
      return cell === undefined ? [] : [textOf(cell)];
    });
    if (found.length !== 1)
      throw new RangeError(
        `"${caption}" expected ${row.join(', ')} with ${column} once, got ${found.length || 'none'}`,
      );
    return found[0]!;
  };
}
