import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLUMNS, transpose } from '../../src/oblivious-transfer/transposition.ts';

const bit = (bytes: Uint8Array, i: number) => (bytes[i >> 3]! >> (i & 7)) & 1;

function transposed(columns: Uint8Array, stride: number, rowCount: number): Uint8Array {
  const rows = new Uint32Array(rowCount * 4);
  transpose(new Uint32Array(columns.slice().buffer), stride, rows, rowCount);
  return new Uint8Array(rows.buffer);
}

/** Bit by bit, on bytes. */
function naive(columns: Uint8Array, stride: number, rowCount: number): Uint8Array {
  const rows = new Uint8Array(rowCount * 16);
  for (let j = 0; j < COLUMNS; j += 1) {
    for (let i = 0; i < rowCount; i += 1) {
      const at = i * 16 + (j >> 3);
      rows[at] = rows[at]! | (bit(columns, j * stride * 32 + i) << (j & 7));
    }
  }
  return rows;
}

describe('the transposition', () => {
  test('equals a naive one for any size and stride', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 5 }), (words, gap) => {
        const stride = words + gap;
        const columns = randomBytes(COLUMNS * stride * 4);
        expect(
          Buffer.from(transposed(columns, stride, words * 32)).equals(naive(columns, stride, words * 32)),
        ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('moves each single bit to its place', () => {
    for (let j = 0; j < COLUMNS; j += 1) {
      for (let i = 0; i < 64; i += 1) {
        const columns = new Uint8Array(COLUMNS * 8);
        columns[j * 8 + (i >> 3)] = 1 << (i & 7);
        const rows = transposed(columns, 2, 64);
        expect(rows[i * 16 + (j >> 3)]).toBe(1 << (j & 7));
        expect(rows.reduce((sum, byte) => sum + byte, 0)).toBe(1 << (j & 7));
      }
    }
  });
});
