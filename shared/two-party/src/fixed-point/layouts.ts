/**
 * Where entries lie: which lane of a number holds entry (i, j) of a matrix or of a triangle. Lanes are
 * counted here and nowhere else; programs name entries. Nothing of it costs a gate.
 */
import { concatLanes, gatherLanes, type Num } from '../circuits/index.ts';
import type { Gates } from '../garbling/index.ts';

/** The lane, of another number, that an entry is taken from. */
export type Source = (i: number, j: number) => number;

/** Some lanes: `from` up to but not including `to`. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

/** A part of the lanes, for `gather` and similar functions: from `from` up to but not including `to`. */
export class Layout {
  readonly lanes: number;
  /**
   * The lane of entry (i, j). The triangles of symmetric matrices have (j, i) in the same.
   * @throws RangeError for an entry that is not there
   */
  readonly at: Source;
  readonly #rows: Uint32Array;
  readonly #columns: Uint32Array;

  /** @param name puts the entries of all lanes, in order */
  constructor(lanes: number, at: Source, name: (put: (i: number, j: number) => void) => void) {
    this.lanes = lanes;
    this.at = (i, j) => {
      const lane = at(i, j);
      const [row, column] = [rows[lane], columns[lane]];
      if (!((row === i && column === j) || (row === j && column === i)))
        throw new RangeError(`"at" expected an entry of the layout, got (${i}, ${j})`);
      return lane;
    };
    const [rows, columns] = [new Uint32Array(lanes), new Uint32Array(lanes)];
    let lane = 0;
    name((i, j) => {
      rows[lane] = i;
      columns[lane] = j;
      lane += 1;
    });
    this.#rows = rows;
    this.#columns = columns;
  }

  row(lane: number): number {
    return this.#rows[lane]!;
  }

  column(lane: number): number {
    return this.#columns[lane]!;
  }

  /** A number of this layout, whose entries are the lanes of `a` that `source` names. */
  gather(gates: Gates, a: Num, source: Source, from = 0, to = this.lanes): Num {
    const lane = (k: number) => source(this.#rows[from + k]!, this.#columns[from + k]!);
    return gatherLanes(
      gates,
      a,
      Uint32Array.from({ length: to - from }, (_, k) => lane(k)),
    );
  }

  /** Entry (i, j) is lane i of a vector. */
  perRow(gates: Gates, a: Num, from = 0, to = this.lanes): Num {
    return gatherLanes(gates, a, this.#rows.subarray(from, to));
  }

  /** Entry (i, j) is lane j of a vector. */
  perColumn(gates: Gates, a: Num, from = 0, to = this.lanes): Num {
    return gatherLanes(gates, a, this.#columns.subarray(from, to));
  }

  /** 1 on the diagonal, 0 elsewhere. */
  diagonalMask(): Uint8Array {
    return Uint8Array.from(this.#rows, (row, lane) => (row === this.#columns[lane] ? 1 : 0));
  }

  /** The diagonal of a square matrix or of a triangle, one lane an entry. */
  diagonal(gates: Gates, a: Num): Num {
    const places = this.diagonalMask();
    const lanes = Uint32Array.from(places.keys()).filter((lane) => places[lane] === 1);
    return gatherLanes(gates, a, lanes);
  }

  /** Returns the matrix with another diagonal, of numbers of as many bits. */
  withDiagonal(gates: Gates, a: Num, diagonal: Num): Num {
    const others = diagonal[0]!.lanes;
    const lanes = Uint32Array.from(this.#rows, (row, lane) =>
      row === this.#columns[lane] ? row : others + lane,
    );
    return gatherLanes(gates, concatLanes(gates, [diagonal, a]), lanes);
  }
}

/**
 * All entries, row by row: lane i · columns + j. So lie `columns` vectors, too, entry i of vector j being (i,
 * j).
 */
export function grid(rows: number, columns: number): Layout {
  const at = (i: number, j: number) => i * columns + j;
  return new Layout(rows * columns, at, (put) => {
    for (let i = 0; i < rows; i += 1) for (let j = 0; j < columns; j += 1) put(i, j);
  });
}

const triangular = (n: number) => (n * (n + 1)) / 2;

/** The upper triangle of a symmetric matrix, row by row. */
export function upperByRows(n: number): Layout {
  const at = (i: number, j: number) => {
    const [row, column] = i <= j ? [i, j] : [j, i];
    return row * n - (row * (row - 1)) / 2 + column - row;
  };
  return new Layout(triangular(n), at, (put) => {
    for (let i = 0; i < n; i += 1) for (let j = i; j < n; j += 1) put(i, j);
  });
}

/** The same, and after it `columns` columns beside it, row by row: (i, n + j). */
export function augmented(n: number, columns: number): Layout {
  const [triangle, beside] = [upperByRows(n), grid(n, columns)];
  const at = (i: number, j: number) => (j < n ? triangle.at(i, j) : triangle.lanes + beside.at(i, j - n));
  return new Layout(triangle.lanes + beside.lanes, at, (put) => {
    for (let i = 0; i < n; i += 1) for (let j = i; j < n; j += 1) put(i, j);
    for (let i = 0; i < n; i += 1) for (let j = 0; j < columns; j += 1) put(i, n + j);
  });
}

/** An upper triangle column by column: the first lanes are the triangle of the first rows and columns. */
export function upperByColumns(n: number): Layout {
  const at = (i: number, j: number) => (i <= j ? triangular(j) + i : triangular(i) + j);
  return new Layout(triangular(n), at, (put) => {
    for (let j = 0; j < n; j += 1) for (let i = 0; i <= j; i += 1) put(i, j);
  });
}

/** Below the diagonal, column by column: entries with i > j. */
export function belowDiagonal(n: number): Layout {
  const at = (i: number, j: number) => j * (n - 1) - (j * (j - 1)) / 2 + i - j - 1;
  return new Layout(triangular(n - 1), at, (put) => {
    for (let j = 0; j < n; j += 1) for (let i = j + 1; i < n; i += 1) put(i, j);
  });
}
