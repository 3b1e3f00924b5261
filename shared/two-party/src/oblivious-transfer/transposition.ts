/**
 * Transposes a bit matrix of 128 columns by blocks of 32 × 32 (Warren, "Hacker's Delight", section 7-3). Bit i of a
 * column, and bit j of a row, are bit (i mod 8) of byte ⌊i/8⌋, so on a little-endian machine bit (i mod 32) of word
 * ⌊i/32⌋.
 */
export const COLUMNS = 128;
export const WORD_BITS = 32;
export const ROW_WORDS = COLUMNS / WORD_BITS;

/**
 * Writes row i to words [4i, 4i + 4) of `rows`. Column j is words [j·stride, j·stride + rowCount/32) of `columns`;
 * `rowCount` is a multiple of 32.
 */
export function transpose(columns: Uint32Array, stride: number, rows: Uint32Array, rowCount: number): void {
  const block = new Uint32Array(WORD_BITS);
  for (let band = 0; band < ROW_WORDS; band += 1) {
    const firstColumn = band * WORD_BITS * stride;
    for (let word = 0; word < rowCount / WORD_BITS; word += 1) {
      swapQuadrants(columns, firstColumn + word, stride, block);
      transposeOctets(block, rows, word * COLUMNS + band);
    }
  }
}

// A block takes five rounds that swap quadrants of 16 × 16, then within each quadrant those of 8 × 8, and so on. Two and
// three rounds at a time stay in local variables: one round at a time, through memory, takes twice as long. A swap of
// width w exchanges the high bits of `low` with the low bits of `high`: t = ((low >>> w) ^ high) & mask.

/** Rounds 16 and 8, on words j, j + 8, j + 16 and j + 24. */
function swapQuadrants(columns: Uint32Array, start: number, stride: number, block: Uint32Array): void {
  for (let j = 0, from = start; j < 8; j += 1, from += stride) {
    let a = columns[from]!;
    let b = columns[from + 8 * stride]!;
    let c = columns[from + 16 * stride]!;
    let d = columns[from + 24 * stride]!;
    let t = ((a >>> 16) ^ c) & 0xffff;
    a ^= t << 16;
    c ^= t;
    t = ((b >>> 16) ^ d) & 0xffff;
    b ^= t << 16;
    d ^= t;
    t = ((a >>> 8) ^ b) & 0x00ff00ff;
    block[j] = a ^ (t << 8);
    block[j + 8] = b ^ t;
    t = ((c >>> 8) ^ d) & 0x00ff00ff;
    block[j + 16] = c ^ (t << 8);
    block[j + 24] = d ^ t;
  }
}

/** Rounds 4, 2 and 1, on eight neighbouring words at a time; word i goes to rows[to + 4i]. */
function transposeOctets(block: Uint32Array, rows: Uint32Array, start: number): void {
  for (let i = 0, to = start; i < WORD_BITS; i += 8, to += 8 * ROW_WORDS) {
    let a = block[i]!;
    let b = block[i + 1]!;
    let c = block[i + 2]!;
    let d = block[i + 3]!;
    let e = block[i + 4]!;
    let f = block[i + 5]!;
    let g = block[i + 6]!;
    let h = block[i + 7]!;
    let t = ((a >>> 4) ^ e) & 0x0f0f0f0f;
    a ^= t << 4;
    e ^= t;
    t = ((b >>> 4) ^ f) & 0x0f0f0f0f;
    b ^= t << 4;
    f ^= t;
    t = ((c >>> 4) ^ g) & 0x0f0f0f0f;
    c ^= t << 4;
    g ^= t;
    t = ((d >>> 4) ^ h) & 0x0f0f0f0f;
    d ^= t << 4;
    h ^= t;

    t = ((a >>> 2) ^ c) & 0x33333333;
    a ^= t << 2;
    c ^= t;
    t = ((b >>> 2) ^ d) & 0x33333333;
    b ^= t << 2;
    d ^= t;
    t = ((e >>> 2) ^ g) & 0x33333333;
    e ^= t << 2;
    g ^= t;
    t = ((f >>> 2) ^ h) & 0x33333333;
    f ^= t << 2;
    h ^= t;

    t = ((a >>> 1) ^ b) & 0x55555555;
    rows[to] = a ^ (t << 1);
    rows[to + ROW_WORDS] = b ^ t;
    t = ((c >>> 1) ^ d) & 0x55555555;
    rows[to + 2 * ROW_WORDS] = c ^ (t << 1);
    rows[to + 3 * ROW_WORDS] = d ^ t;
    t = ((e >>> 1) ^ f) & 0x55555555;
    rows[to + 4 * ROW_WORDS] = e ^ (t << 1);
    rows[to + 5 * ROW_WORDS] = f ^ t;
    t = ((g >>> 1) ^ h) & 0x55555555;
    rows[to + 6 * ROW_WORDS] = g ^ (t << 1);
    rows[to + 7 * ROW_WORDS] = h ^ t;
  }
}
