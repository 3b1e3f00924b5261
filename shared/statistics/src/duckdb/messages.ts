/** Requests to the process that runs DuckDB, and its answers: one for each request, in their order. */

import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

export type Request =
  | { readonly do: 'open'; readonly database: string | undefined; readonly settings: Record<string, string> }
  | { readonly do: 'select'; readonly sql: string }
  | { readonly do: 'chunk'; readonly statement: number }
  | { readonly do: 'run'; readonly sql: string }
  | { readonly do: 'close' };

/**
 * A statement that is planned but not run, by its number; undefined for what is not one SELECT without
 * parameters.
 */
export interface Planned {
  readonly statement: number;
  readonly names: readonly string[];
  /** The types as DuckDB writes them, such as DECIMAL(18,3). */
  readonly types: readonly string[];
}

/** Marks of a column of numbers: 1 where there is none; undefined where there are all. */
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

/** A value of a column. One that a task cannot calculate with is its text. */
export type Item = string | bigint | boolean | null;

const DOUBLES = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;
const ITEMS = /^(BOOLEAN|UBIGINT|U?HUGEINT|BIGNUM)$/;

/**
 * The ways in which columns travel: as numbers of 64 bits, as texts, as items that are what they are, or
 * written as texts.
 */
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

/**
 * Messages between a process and the one that runs DuckDB for it: two lengths of four bytes, numbers as they
 * lie in memory, and a value as `node:v8` writes it. Numbers stand outside of the value, which would copy
 * them several times.
 */

const HEADER_BYTES = 8;

/** Writes a message with its numbers, whose memory is the stream's from then on. */
export function writeFrame(
  stream: Writable,
  message: unknown,
  numbers: Uint8Array = new Uint8Array(0),
): void {
  const value = serialize(message);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(numbers.length, 0);
  header.writeUInt32LE(value.length, 4);
  stream.cork();
  for (const part of [header, numbers, value]) stream.write(part);
  stream.uncork();
}

/**
 * Tells every message that comes, whole and in order, with the memory in which its numbers lie one after the
 * other.
 */
export function onFrames(stream: Readable, tell: (message: unknown, numbers: ArrayBuffer) => void): void {
  const header = Buffer.alloc(HEADER_BYTES);
  let body: Buffer<ArrayBuffer> | undefined;
  let filled = 0;
  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const target = body ?? header;
      const copied = chunk.copy(target, filled, at);
      at += copied;
      filled += copied;
      if (filled < target.length) return;
      filled = 0;
      const numbersBytes = header.readUInt32LE(0);
      if (body === undefined) {
        // The memory is the message's own and taken from its beginning, so that the numbers are aligned.
        body = Buffer.allocUnsafeSlow(numbersBytes + header.readUInt32LE(4));
      } else {
        const whole = body;
        body = undefined;
        tell(deserialize(whole.subarray(numbersBytes)), whole.buffer);
      }
    }
  });
}
