/**
 * Ω of a sketched task: signs that everybody makes from the seed that the CSP's agreement fixes, and before
 * them, of a sketch that refines an earlier result, the vectors of that result, in whole numbers.
 */
import { sketchScaleBits } from '@eigenveil/methods';
import { concatBytes, sha256, utf8 } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';

const DOMAIN = utf8('eigenveil sketch signs 1\0');
const SEED_BYTES = 32;
const COUNTER_BYTES = 4;

/**
 * Ω (features × columns), row by row, in whole numbers over 2^b, with b = `sketchScaleBits` of the task: 0
 * without `refine`, and then it has signs alone.
 *
 * With `refine` vector j of that result is column j: round(√d · 2^b · u_ij), ties up, and the columns after
 * them have signs times 2^b, so that all are about as long. All of it is exact in doubles, except for √d, a
 * product and the rounding, which IEEE 754 fixes: everybody makes the same numbers. Whoever knows the seed
 * and the result knows Ω: it is public.
 * @param seed 32 bytes, as sketchSeed gives them
 * @param vectors of the refined result, each of d numbers and of length 1, fewer than columns: none without
 *   `refine`
 * @throws RangeError for a seed or vectors of another form; that the vectors are those of the result is the
 *   caller's to know
 * @example
 * import { sketchMatrix } from '@eigenveil/statistics';
 *
 * const features = ['age', 'pulse', 'weight', 'height'].map((name) => ({ name, min: 0, max: 200 }));
 * sketchMatrix(new Uint8Array(32), { features, sketch: { columns: 3 } }).length; // → 12
 */
export function sketchMatrix(
  seed: Uint8Array,
  task: Pick<StatisticsTask, 'features' | 'sketch'>,
  vectors: readonly (readonly number[])[] = [],
): Int32Array {
  const { features, sketch } = task;
  const d = features.length;
  const l = sketch?.columns ?? 0;
  const scale = 2 ** sketchScaleBits(task);
  checkVectors(task, vectors);
  const matrix = new Int32Array(d * l);
  const signs = signsFrom(seed, d * (l - vectors.length));
  const length = Math.sqrt(d) * scale;
  for (let i = 0, sign = 0; i < d; i += 1) {
    for (const [j, vector] of vectors.entries()) matrix[i * l + j] = Math.round(length * vector[i]!);
    for (let j = vectors.length; j < l; j += 1, sign += 1) matrix[i * l + j] = signs[sign]! * scale;
  }
  return matrix;
}

/**
 * Block n of 256 of them is SHA-256(domain, seed, n), whose bits say 1 where they are 0 and −1 where they are
 * 1, each byte's lowest bit first.
 */
function signsFrom(seed: Uint8Array, count: number): Int8Array {
  if (seed.length !== SEED_BYTES)
    throw new RangeError(`"seed" expected ${SEED_BYTES} bytes, got ${seed.length}`);
  const signs = new Int8Array(count);
  const input = concatBytes(DOMAIN, seed, new Uint8Array(COUNTER_BYTES));
  const counter = new DataView(input.buffer, input.length - COUNTER_BYTES);
  for (let block = 0, at = 0; at < count; block += 1) {
    counter.setUint32(0, block);
    for (const byte of sha256(input)) {
      for (let bit = 0; bit < 8 && at < count; bit += 1, at += 1) signs[at] = 1 - 2 * ((byte >> bit) & 1);
    }
  }
  return signs;
}

function checkVectors(
  { features, sketch }: Pick<StatisticsTask, 'features' | 'sketch'>,
  vectors: readonly (readonly number[])[],
): void {
  const [least, most] = sketch?.refine === undefined ? [0, 0] : [1, sketch.columns - 1];
  if (vectors.length < least || vectors.length > most)
    throw new RangeError(
      `"vectors" expected from ${least} to ${most} of the result that "sketch.refine" names, got ${vectors.length}`,
    );
  const areUnit = vectors.every(
    (vector) => vector.length === features.length && Math.abs(Math.hypot(...vector) - 1) < 1e-6,
  );
  if (!areUnit) throw new RangeError(`"vectors" expected ${features.length} numbers each, of length 1`);
}
