/**
 * Rounded shifts, quotients and roots of big integers.
 *
 * Matrices of big integers, modulo a power of two where that is said. Rows of entries; nothing here is
 * changed in place.
 */

/** value / 2^bits, rounded to nearest. */
export function roundShift(value: bigint, bits: number): bigint {
  return (value + (1n << BigInt(bits - 1))) >> BigInt(bits);
}

/** value / divisor for a positive divisor, rounded to nearest. */
export function roundDivide(value: bigint, divisor: bigint): bigint {
  const half = divisor >> 1n;
  return (value < 0n ? value - half : value + half) / divisor;
}

/** ⌊√value⌋ by Newton's iteration from above. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

export type Matrix = readonly (readonly bigint[])[];

/** left · right (m × n and n × c), each entry reduced to [0, 2^ringBits). */
export function multiplyMatrices(left: Matrix, right: Matrix, ringBits: number): bigint[][] {
  return inRing(multiplySigned(left, right), ringBits);
}

/** left · right, not reduced. */
export function multiplySigned(left: Matrix, right: Matrix): bigint[][] {
  const columns = transpose(right);
  return left.map((row) => columns.map((column) => innerProduct(row, column)));
}

export function innerProduct(a: readonly bigint[], b: readonly bigint[]): bigint {
  let sum = 0n;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

export function transpose(matrix: Matrix): bigint[][] {
  return (matrix[0] ?? []).map((_, j) => matrix.map((row) => row[j]!));
}

/** The symmetric matrix whose upper triangle, row by row, is given. */
export function symmetricMatrix(upper: readonly bigint[], d: number): bigint[][] {
  const matrix = Array.from({ length: d }, () => new Array<bigint>(d).fill(0n));
  let next = 0;
  for (let i = 0; i < d; i += 1) {
    for (let j = i; j < d; j += 1) {
      matrix[i]![j] = upper[next]!;
      matrix[j]![i] = upper[next]!;
      next += 1;
    }
  }
  return matrix;
}

/** entry(i, j) for all i <= j < d, row by row. */
export function upperEntries<T>(d: number, entry: (i: number, j: number) => T): T[] {
  const entries: T[] = [];
  for (let i = 0; i < d; i += 1) for (let j = i; j < d; j += 1) entries.push(entry(i, j));
  return entries;
}

/** The symmetric matrix that has this one's upper triangle. */
export function mirrored(matrix: Matrix): bigint[][] {
  return symmetricMatrix(upperOf(matrix), matrix.length);
}

/** Upper triangle, row by row. */
export function upperOf(matrix: Matrix): bigint[] {
  return upperEntries(matrix.length, (i, j) => matrix[i]![j]!);
}

export function traceOf(matrix: Matrix): bigint {
  return matrix.reduce((sum, row, i) => sum + row[i]!, 0n);
}

export function columnOf(values: readonly bigint[]): bigint[][] {
  return values.map((value) => [value]);
}

/** Each entry reduced to [0, 2^ringBits). */
export function inRing(matrix: Matrix, ringBits: number): bigint[][] {
  return matrix.map((row) => row.map((entry) => BigInt.asUintN(ringBits, entry)));
}

/** The signed numbers of a matrix modulo 2^ringBits. */
export function signed(matrix: Matrix, ringBits: number): bigint[][] {
  return matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));
}

/** The signed numbers of a matrix modulo 2^ringBits in units of 2^bits, rounded to nearest. */
export function inUnits(matrix: Matrix, ringBits: number, bits: number): bigint[][] {
  return signed(matrix, ringBits).map((row) => row.map((entry) => roundShift(entry, bits)));
}

/** left + right, reduced to [0, 2^ringBits). */
export function addMatrices(left: Matrix, right: Matrix, ringBits: number): bigint[][] {
  return left.map((row, i) => row.map((entry, j) => BigInt.asUintN(ringBits, entry + right[i]![j]!)));
}

/** The matrix with more on its diagonal, each entry reduced to [0, 2^ringBits). */
export function addDiagonal(matrix: Matrix, more: readonly bigint[], ringBits: number): bigint[][] {
  return matrix.map((row, i) =>
    row.map((entry, j) => BigInt.asUintN(ringBits, i === j ? entry + more[i]! : entry)),
  );
}
