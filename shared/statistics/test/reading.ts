/** Reads CSV text for tests, in chunks of any size. */
import { CodedError } from '@eigenveil/platform';
import { expect } from 'vitest';
import { type CsvOptions, type CsvRow, readRows } from '../src/index.ts';

export const task = {
  features: [
    { name: 'a', min: -10, max: 10 },
    { name: 'b', min: 0, max: 1 },
  ],
  labellings: [{ column: 'label', classes: ['yes', 'no'] }],
};

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export function read(text: string | Uint8Array, options: CsvOptions = {}, size = 1 << 16): Promise<CsvRow[]> {
  return collect(readRows(chunksOf(Buffer.from(text), size), task, options));
}

export async function refusal(text: string, options: CsvOptions = {}): Promise<CodedError> {
  const error: unknown = await read(text, options).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(CodedError);
  return error as CodedError;
}

export const expected: CsvRow[] = [
  { values: [1.5, 0], classes: [0] },
  { values: [-20, 1e-3], classes: [1] },
];
