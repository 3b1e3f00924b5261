/** CSV files of pseudo-random rows, as long and as wide as wanted. */
import { writeFile } from 'node:fs/promises';
import { generator } from '@eigenveil/testbed/random';

/** Rows that are made once and then repeated, so that making them does not slow the reader down. */
const BLOCK_ROWS = 1000;

export const featureName = (index: number) => `f${index}`;

/** Numbers with six decimals in [-1, 1], the same in every run. */
export function* csvOfRows(rows: number, features: number): Generator<Buffer> {
  const next = generator(1);
  const cell = (): string => (next() * 2 - 1).toFixed(6);
  const row = (): string => `${Array.from({ length: features }, cell).join(',')}\n`;
  yield Buffer.from(`${Array.from({ length: features }, (_, i) => featureName(i)).join(',')}\n`);
  const lines = Array.from({ length: Math.min(rows, BLOCK_ROWS) }, row);
  const block = Buffer.from(lines.join(''));
  const whole = Math.floor(rows / lines.length);
  for (let b = 0; b < whole; b++) yield block;
  yield Buffer.from(lines.slice(0, rows - whole * lines.length).join(''));
}

export function writeRows(file: string, rows: number, features: number): Promise<void> {
  return writeFile(file, csvOfRows(rows, features));
}
