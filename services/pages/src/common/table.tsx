/** A table with a name. Where the page is too narrow, it scrolls by itself, also by keyboard. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True for numbers, which stand at the right. */
  readonly numeric?: boolean;
}

/** A table in which the first column names its row. */
export function Table<Row>(props: {
  readonly caption: string;
  /** True if the caption is only for screen readers, because a heading says the same. */
  readonly captionHidden?: boolean;
  /** True if the cells of a row stand below each other on a narrow screen, each with the head of its column. */
  readonly stacks?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
}) {
  const { caption, captionHidden = false, stacks = false, columns, rows, keyOf } = props;
  return (
    <Scroll label={caption}>
      <table class={stacks ? 'stacks' : ''}>
        <caption class={captionHidden ? 'hidden' : ''}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, numeric }) => (
              <th key={head} scope="col" class={numeric ? 'numeric' : ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ head, cell, numeric }, i) =>
                i === 0 ? (
                  <th key={head} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} data-head={head} class={numeric ? 'numeric' : ''}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function reachable(element: HTMLElement | null): void {
  if (element !== null) element.tabIndex = 0;
}

/** A part of the page that scrolls by itself where it is too wide; the keyboard reaches it. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="scroll" aria-label={label} ref={reachable}>
      {children}
    </section>
  );
}
