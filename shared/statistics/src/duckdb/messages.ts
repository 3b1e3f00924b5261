/** What the process that runs DuckDB is asked, and what it answers: one answer for each request, in their order. */

export type Request =
  | { readonly do: 'open'; readonly database: string | undefined; readonly settings: Record<string, string> }
  | { readonly do: 'select'; readonly sql: string }
  | { readonly do: 'chunk'; readonly statement: number }
  | { readonly do: 'run'; readonly sql: string }
  | { readonly do: 'close' };

/** A statement that is planned but not run, by its number; undefined for what is not one SELECT without parameters. */
export interface Planned {
  readonly statement: number;
  readonly names: readonly string[];
  /** As DuckDB writes them, such as DECIMAL(18,3). */
  readonly types: readonly string[];
}

/** Columns of numbers of one kind, one after the other. */
export interface Numbers<Values> {
  readonly values: Values;
  readonly nulls: Nulls;
}

/** 1 where there is no number; undefined: there are all. */
export type Nulls = Uint8Array | undefined;

/** Rows, by the kinds of their columns, see `kindOf`; the numbers themselves go beside it, doubles before integers. */
export interface ChunkMessage {
  readonly rows: number;
  readonly nulls: { readonly doubles: Nulls; readonly integers: Nulls };
  /** By column. */
  readonly items: readonly (readonly Item[])[];
}

/** What a task cannot calculate with is its text. */
export type Item = string | bigint | boolean | null;

const DOUBLES = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;

/** How a column of this type travels: as doubles, which hold every value of it, as 64-bit integers, or as items. */
export function kindOf(type: string): 'doubles' | 'integers' | 'items' {
  if (DOUBLES.test(type)) return 'doubles';
  return type === 'BIGINT' ? 'integers' : 'items';
}

/** `kind` is one of the words that stand in front of DuckDB's messages, and all that is passed on of them. */
export type Answer =
  | { readonly value: Planned | ChunkMessage | undefined; readonly numbers?: ArrayBufferLike }
  | { readonly fault: 'missing' }
  | { readonly fault: 'failed'; readonly kind: string };
