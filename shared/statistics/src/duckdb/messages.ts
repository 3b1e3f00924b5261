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

/** Of a column of numbers: 1 where there is none; undefined where there are all. */
export type Nulls = Uint8Array | undefined;

/** Items by row; or with codes, each item once or more often, and by row which one it is. */
export interface Items {
  readonly items: readonly Item[];
  readonly codes?: Uint16Array | undefined;
}

/** Rows by their columns; 64 bits for each number, column by column, go beside it. */
export interface ChunkMessage {
  readonly rows: number;
  readonly columns: readonly (Items | Nulls)[];
}

/** What a task cannot calculate with is its text. */
export type Item = string | bigint | boolean | null;

const DOUBLES = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;
const ITEMS = /^(BOOLEAN|UBIGINT|U?HUGEINT|BIGNUM)$/;

/** How columns travel: as numbers of 64 bits, as texts, as items that are what they are, or written as texts. */
export const ARRAYS = {
  doubles: Float64Array,
  integers: BigInt64Array,
  texts: undefined,
  items: undefined,
  written: undefined,
};
export type Kind = keyof typeof ARRAYS;

/** Doubles hold every value of a column that travels so. */
export function kindOf(type: string): Kind {
  if (DOUBLES.test(type)) return 'doubles';
  if (type === 'BIGINT') return 'integers';
  if (type === 'VARCHAR') return 'texts';
  return ITEMS.test(type) ? 'items' : 'written';
}

/** `kind` is one of the words that stand in front of DuckDB's messages, and all that is passed on of them. */
export type Answer =
  | { readonly value: Planned | ChunkMessage | undefined; readonly numbers?: ArrayBuffer }
  | { readonly fault: 'missing' }
  | { readonly fault: 'failed'; readonly kind: string };
