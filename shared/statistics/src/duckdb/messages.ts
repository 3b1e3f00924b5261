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

/** A column of a chunk: numbers as they stand, and everything else as items, where what a task cannot calculate with is its text. */
export type Column =
  | { readonly numbers: Float64Array | BigInt64Array; readonly nulls: Uint8Array | undefined }
  | { readonly items: readonly (string | bigint | boolean | null)[] };

export interface ChunkMessage {
  readonly rows: number;
  readonly columns: readonly Column[];
}

/** `kind` is one of the words that stand in front of DuckDB's messages, and all that is passed on of them. */
export type Answer =
  | { readonly value: Planned | ChunkMessage | undefined }
  | { readonly fault: 'missing' }
  | { readonly fault: 'failed'; readonly kind: string };
