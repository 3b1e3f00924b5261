/**
 * Transposes a bit matrix of 128 columns by blocks of 32 × 32 (Warren, "Hacker's Delight", section 7-3). Bit i of a
 * column, and bit j of a row, are bit (i mod 8) of byte ⌊i/8⌋, so on a little-endian machine bit (i mod 32) of word
 * ⌊i/32⌋.
 */
export const COLUMNS = 128;
const WORD_BITS = 32;
const ROW_WORDS = COLUMNS / WORD_BITS;

/**
 * Writes row i to words [4i, 4i + 4) of `rows`. Column j is words [j·stride, j·stride + rowCount/32) of `columns`;
 * `rowCount` is a multiple of 32.
 */
export function transpose(columns: Uint32Array, stride: number, rows: Uint32Array, rowCount: number): void {
  const block = new Uint32Array(WORD_BITS);
  for (let band = 0; band < ROW_WORDS; band += 1) {
    const firstColumn = band * WORD_BITS * stride;
    for (let word = 0; word < rowCount / WORD_BITS; word += 1) {
      for (let j = 0, from = firstColumn + word; j < WORD_BITS; j += 1, from += stride)
        block[j] = columns[from]!;
      transposeBlock(block);
      for (let i = 0, to = word * COLUMNS + band; i < WORD_BITS; i += 1, to += ROW_WORDS)
        rows[to] = block[i]!;
    }
  }
}

/** Swaps quadrants of 16 × 16, then within each quadrant those of 8 × 8, and so on. */
function transposeBlock(block: Uint32Array): void {
  for (let width = 16, mask = 0x0000ffff; width > 0; width >>= 1, mask ^= mask << width) {
    for (let low = 0; low < WORD_BITS; low = (low + width + 1) & ~width) {
      const high = low + width;
      const swapped = ((block[low]! >>> width) ^ block[high]!) & mask;
      block[low] = block[low]! ^ (swapped << width);
      block[high] = block[high]! ^ swapped;
    }
  }
}
