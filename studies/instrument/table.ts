/** Tables for people at a terminal. */
import Table from 'cli-table3';

/** A column: what stands above it, and what a row has in it. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string | number;
  readonly align: 'left' | 'right';
}

/** A column of words. */
export const words = <Row>(head: string, cell: Column<Row>['cell']): Column<Row> => ({
  head,
  cell,
  align: 'left',
});

/** A column of numbers. */
export const figures = <Row>(head: string, cell: Column<Row>['cell']): Column<Row> => ({
  head,
  cell,
  align: 'right',
});

export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map(({ align }) => align),
    style: { head: [], border: [] },
  });
  for (const row of rows) table.push(columns.map(({ cell }) => cell(row)));
  return table.toString();
}
