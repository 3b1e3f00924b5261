/**
 * Lays a matrix product out in polynomials of Z[X]/(X^N + 1). With g classes and Y = X^g, N/g powers of Y, the data
 * user's ciphertext k carries rows k·chunk … of its factor X in class 0, the powers of Y, alone: X[k·chunk + j][y] at
 * Y^(y·chunk + j). The CSP's polynomial for it carries g rows of its factor A, row r at class r: A[r][k·chunk + j] at
 * X^r·Y^(chunk − 1 − j). So the coefficient of X^r·Y^(y·chunk + chunk − 1) of the sum over k is (A X)[r][y], and
 * no other coefficient is anybody's. Where columns do not fit into one polynomial, they make blocks.
 */

/** The sides of a product: rows × inner of the CSP's factor, inner × columns of the data user's. */
export interface Sides {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  /** 'upper' where results are the upper triangle of a square alone. */
  readonly part: 'whole' | 'upper';
}

export interface Packing extends Sides {
  /** N: 8,192 or 16,384. */
  readonly degree: number;
  /** g: a power of two. */
  readonly classes: number;
  /** The columns of a block: as many as a polynomial has places for. */
  readonly width: number;
  /** The rows of the data user's factor in a ciphertext. */
  readonly chunk: number;
  readonly blocks: number;
  /** Ciphertexts and answers of one block. */
  readonly ciphertexts: number;
  readonly answers: number;
}

/** @throws RangeError when a side is not positive, or g does not divide N */
export function packingOf(sides: Sides, degree: number, classes: number): Packing {
  const { rows, inner, columns } = sides;
  if (Math.min(rows, inner, columns) < 1) throw new RangeError('"sides" expected positive numbers');
  if (degree % classes !== 0) throw new RangeError('"classes" expected a divisor of the degree');
  const places = degree / classes;
  const width = Math.min(columns, places);
  const chunk = Math.min(inner, Math.floor(places / width));
  return {
    ...sides,
    ...{ degree, classes, width, chunk },
    blocks: Math.ceil(columns / width),
    ciphertexts: Math.ceil(inner / chunk),
    answers: Math.ceil(rows / classes),
  };
}

/** An entry of a matrix and its coefficient in a polynomial. */
export interface Place {
  readonly row: number;
  readonly column: number;
  readonly coefficient: number;
}

/** The columns of a block, from `from` to before `to`. */
function columnsOf({ columns, width }: Packing, block: number): { from: number; to: number } {
  return { from: block * width, to: Math.min(columns, (block + 1) * width) };
}

/** Entries of the data user's factor in a ciphertext of a block. */
export function userPlaces(packing: Packing, block: number, ciphertext: number): Place[] {
  const { classes, chunk, inner } = packing;
  const { from, to } = columnsOf(packing, block);
  const rows = Math.min(chunk, inner - ciphertext * chunk);
  const places: Place[] = [];
  for (let column = from; column < to; column += 1) {
    for (let j = 0; j < rows; j += 1) {
      const coefficient = classes * ((column - from) * chunk + j);
      places.push({ row: ciphertext * chunk + j, column, coefficient });
    }
  }
  return places;
}

/** Entries of the CSP's factor that meet a ciphertext in an answer; they are the same for each block. */
export function cspPlaces(
  { classes, chunk, inner, rows }: Packing,
  answer: number,
  ciphertext: number,
): Place[] {
  const places: Place[] = [];
  const columns = Math.min(chunk, inner - ciphertext * chunk);
  const last = Math.min(rows, (answer + 1) * classes);
  for (let row = answer * classes; row < last; row += 1) {
    for (let j = 0; j < columns; j += 1) {
      const coefficient = row - answer * classes + classes * (chunk - 1 - j);
      places.push({ row, column: ciphertext * chunk + j, coefficient });
    }
  }
  return places;
}

/** Entries of the result that an answer of a block has, row by row: of the upper triangle none below the diagonal. */
export function resultPlaces(packing: Packing, block: number, answer: number): Place[] {
  const { classes, chunk, rows, part } = packing;
  const { from, to } = columnsOf(packing, block);
  const places: Place[] = [];
  const last = Math.min(rows, (answer + 1) * classes);
  for (let row = answer * classes; row < last; row += 1) {
    for (let column = part === 'upper' ? Math.max(from, row) : from; column < to; column += 1) {
      const coefficient = row - answer * classes + classes * ((column - from) * chunk + chunk - 1);
      places.push({ row, column, coefficient });
    }
  }
  return places;
}

/** The number of results: what is counted for a union bound. */
export function resultCount({ rows, columns, part }: Sides): number {
  return part === 'upper' ? (rows * (rows + 1)) / 2 : rows * columns;
}
