/** A strategy matrix of the user's own from a file, checked before anything is computed of it: CSV without a header, or JSON; rows are queries, columns are counts. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CodedError } from '@eigenveil/platform';
import { parseDecimal, readRecords } from '@eigenveil/statistics';
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { z } from 'zod';
import { STUDY_CODES } from '../instrument/codes.ts';

/** A release by a matrix: what it costs in noise, and how counts are restored from noisy answers. */
export interface OwnStrategy {
  readonly queries: number;
  readonly bins: number;
  /** The amount by which one row more or less moves all answers together: the largest L1 norm of a column. */
  readonly sensitivity: number;
  /** The pseudo-inverse for answers that are divided by the sensitivity, a row for each count: the best linear and unbiased restoration. */
  readonly restoration: readonly (readonly number[])[];
  /** SHA-256 of the file. */
  readonly digest: string;
}

const LARGEST_BYTES = 2 ** 23;
const MOST_BINS = 256;
const MOST_QUERIES = 1024;
/** A share of the largest singular value: columns are taken as dependent where one is less. */
const LEAST_SINGULAR = 1e-9;

const Numbers = z.array(z.array(z.number()));

/** @throws ERR_STUDY_DATA saying what a strategy has to be, with line and cell where one of them is wrong */
export async function readStrategy(file: string): Promise<OwnStrategy> {
  const bytes = await bytesOf(file);
  const matrix = isJson(bytes) ? fromJson(bytes, file) : await fromCsv(bytes, file);
  return { ...strategyOf(matrix, file), digest: createHash('sha256').update(bytes).digest('hex') };
}

function strategyOf(matrix: readonly (readonly number[])[], file: string): Omit<OwnStrategy, 'digest'> {
  const queries = matrix.length;
  const bins = matrix[0]?.length ?? 0;
  const odd = matrix.findIndex((row) => row.length !== bins);
  if (odd >= 0)
    throw wrong(
      `${file}: expected as many numbers in each row as in the first, ${bins}; row ${odd + 1} has ${matrix[odd]!.length}`,
    );
  if (bins < 2 || bins > MOST_BINS)
    throw wrong(`${file}: expected 2 to ${MOST_BINS} columns, one for each count, has ${bins}`);
  if (queries < bins || queries > MOST_QUERIES)
    throw wrong(
      `${file}: expected ${bins} to ${MOST_QUERIES} rows, at least as many as columns, has ${queries}`,
    );
  const norms = matrix[0]!.map((_, j) => matrix.reduce((sum, row) => sum + Math.abs(row[j]!), 0));
  const sensitivity = norms.reduce((a, b) => Math.max(a, b));
  if (!Number.isFinite(sensitivity))
    throw wrong(`${file}: expected numbers whose sums over a column are finite`);
  const empty = norms.indexOf(0);
  if (empty >= 0)
    throw wrong(`${file}: expected a row that asks for each count, column ${empty + 1} has none`);
  // Nothing is too large to be squared in units of the sensitivity.
  const scaled = matrix.map((row) => row.map((value) => value / sensitivity));
  const svd = new SingularValueDecomposition(new Matrix(scaled));
  const [largest, smallest] = [Math.max(...svd.diagonal), Math.min(...svd.diagonal)];
  if (!(smallest > LEAST_SINGULAR * largest))
    throw wrong(
      `${file}: expected full column rank: its columns depend on each other, so that counts cannot be restored`,
    );
  const V = svd.rightSingularVectors;
  const U = svd.leftSingularVectors;
  const inverse = Matrix.diag(svd.diagonal.map((value) => 1 / value));
  return { queries, bins, sensitivity, restoration: V.mmul(inverse).mmul(U.transpose()).to2DArray() };
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > LARGEST_BYTES)
      throw wrong(
        `"--strategy" expected a file of at most ${LARGEST_BYTES / 2 ** 20} MiB, ${file} is larger`,
      );
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw wrong(`"--strategy" expected a file, cannot read ${file}: ${code}`, cause);
  }
}

const isJson = (bytes: Buffer): boolean => bytes.toString('utf8').trimStart().startsWith('[');

function fromJson(bytes: Buffer, file: string): number[][] {
  try {
    return Numbers.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw wrong(
      `${file}: expected JSON [[number, …], …], an inner list of finite numbers for each query`,
      cause,
    );
  }
}

async function* parts(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function fromCsv(bytes: Buffer, file: string): Promise<number[][]> {
  const rows: number[][] = [];
  try {
    for await (const { cells, line } of readRecords(parts(bytes))) {
      rows.push(
        cells.map((cell, i) => {
          const value = parseDecimal(cell.trim());
          if (value !== undefined) return value;
          throw wrong(
            `${file}, line ${line}: expected a finite number in cell ${i + 1}; a strategy has no header, and its cells are separated by commas`,
          );
        }),
      );
    }
  } catch (cause) {
    if (cause instanceof CodedError && cause.code === STUDY_CODES.ERR_STUDY_DATA.code) throw cause;
    throw wrong(`"--strategy" expected a CSV file or JSON, got ${file}: ${(cause as Error).message}`, cause);
  }
  return rows;
}

const wrong = (message: string, cause?: unknown) =>
  new CodedError(STUDY_CODES.ERR_STUDY_DATA, message, { cause });
