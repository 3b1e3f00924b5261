/**
 * C-SVC on a kernel matrix with a bound on iterations: LIBSVM's solver (Fan, Chen and Lin, "Working set selection using second order
 * information", JMLR 6, 2005, without shrinking), one machine for each pair of classes, which vote.
 *
 * It is here because the study's listing bounds iterations and libsvm-js cannot: on rows of grey levels with two components, whose
 * classes overlap, its smallest C alone runs into LIBSVM's own bound of ten million for every pair of classes.
 */

/** These values are LIBSVM's. */
const [TOLERANCE, LEAST_CURVATURE] = [1e-3, 1e-12];

export interface Kernel {
  /** The kernel of training rows with training rows, row by row (n × n). */
  readonly values: Float64Array;
  readonly n: number;
}

export interface Learning {
  readonly cost: number;
  /** The most iterations for each pair of classes. */
  readonly iterations: number;
}

/** Answers for one row from its kernel values with the training rows (n). */
type Machine = (kernelRow: Float64Array) => number;

/**
 * @param rows which training rows are learnt from
 * @param labels of all training rows
 */
export function learn(
  kernel: Kernel,
  rows: readonly number[],
  labels: readonly number[],
  learning: Learning,
): Machine {
  const byClass = [...Map.groupBy(rows, (row) => labels[row]!)].sort(([a], [b]) => a - b);
  const pairs = byClass.flatMap(([, first], a) =>
    byClass
      .slice(a + 1)
      .map(([, second], after) => ({ a, b: a + 1 + after, ...solve(kernel, first, second, learning) })),
  );
  return (kernelRow) => {
    const votes = new Uint32Array(byClass.length);
    for (const { a, b, support, weights, offset } of pairs) {
      let sum = -offset;
      for (let i = 0; i < support.length; i += 1) sum += weights[i]! * kernelRow[support[i]!]!;
      votes[sum > 0 ? a : b]! += 1;
    }
    return byClass[votes.indexOf(Math.max(...votes))]![0];
  };
}

/** Weights α_i y_i of the rows of two classes, of which the first has y = 1, and the number that is subtracted. */
function solve(
  { values, n }: Kernel,
  first: readonly number[],
  second: readonly number[],
  { cost, iterations }: Learning,
) {
  const support = Int32Array.from([...first, ...second]);
  const l = support.length;
  const y = Int8Array.from(support, (_, i) => (i < first.length ? 1 : -1));
  const K = new Float64Array(l * l);
  for (let i = 0; i < l; i += 1) {
    for (let j = 0; j < l; j += 1) K[i * l + j] = values[support[i]! * n + support[j]!]!;
  }
  const alpha = new Float64Array(l);
  const gradient = new Float64Array(l).fill(-1);
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const i = mostViolating(alpha, gradient, y, cost);
    if (i < 0) break;
    const j = partnerOf(i, K, alpha, gradient, y, cost);
    if (j < 0) break;
    step(i, j, K, alpha, gradient, y, cost);
  }
  const offset = offsetOf(alpha, gradient, y, cost);
  return { support, weights: alpha.map((a, i) => a * y[i]!), offset };
}

const mayGrow = (alpha: number, y: number, cost: number) => (y > 0 ? alpha < cost : alpha > 0);
const mayShrink = (alpha: number, y: number, cost: number) => (y > 0 ? alpha > 0 : alpha < cost);

function mostViolating(alpha: Float64Array, gradient: Float64Array, y: Int8Array, cost: number): number {
  let [best, most] = [-1, Number.NEGATIVE_INFINITY];
  for (let t = 0; t < alpha.length; t += 1) {
    if (!mayGrow(alpha[t]!, y[t]!, cost)) continue;
    const value = -y[t]! * gradient[t]!;
    if (value >= most) [best, most] = [t, value];
  }
  return best;
}

/** The one with which the objective falls most; none (−1) where nothing violates the conditions by more than the tolerance. */
function partnerOf(
  i: number,
  K: Float64Array,
  alpha: Float64Array,
  gradient: Float64Array,
  y: Int8Array,
  cost: number,
): number {
  const l = alpha.length;
  const top = -y[i]! * gradient[i]!;
  let [best, least, lowest] = [-1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let t = 0; t < l; t += 1) {
    if (!mayShrink(alpha[t]!, y[t]!, cost)) continue;
    const value = -y[t]! * gradient[t]!;
    if (value < lowest) lowest = value;
    const gap = top - value;
    if (gap <= 0) continue;
    const curvature = K[i * l + i]! + K[t * l + t]! - 2 * K[i * l + t]!;
    const gain = -(gap * gap) / (curvature > 0 ? curvature : LEAST_CURVATURE);
    if (gain <= least) [best, least] = [t, gain];
  }
  return top - lowest < TOLERANCE ? -1 : best;
}

/** Moves α_i and α_j along the line on which Σ α y stays, to its best point in the box. */
function step(
  i: number,
  j: number,
  K: Float64Array,
  alpha: Float64Array,
  gradient: Float64Array,
  y: Int8Array,
  cost: number,
): void {
  const l = alpha.length;
  const curvature = K[i * l + i]! + K[j * l + j]! - 2 * K[i * l + j]!;
  const [yi, yj] = [y[i]!, y[j]!];
  const wanted = (yj * gradient[j]! - yi * gradient[i]!) / (curvature > 0 ? curvature : LEAST_CURVATURE);
  // α_i y_i grows by it, α_j y_j falls by it.
  const room = (a: number, up: boolean) => (up ? cost - a : a);
  const move = Math.min(wanted, room(alpha[i]!, yi > 0), room(alpha[j]!, yj < 0));
  alpha[i] = move === room(alpha[i]!, yi > 0) ? (yi > 0 ? cost : 0) : alpha[i]! + yi * move;
  alpha[j] = move === room(alpha[j]!, yj < 0) ? (yj < 0 ? cost : 0) : alpha[j]! - yj * move;
  for (let t = 0; t < l; t += 1) gradient[t]! += y[t]! * move * (K[i * l + t]! - K[j * l + t]!);
}

/** The mean of the rows strictly inside the box; without them the middle of what the others allow. */
function offsetOf(alpha: Float64Array, gradient: Float64Array, y: Int8Array, cost: number): number {
  let [sum, free, upper, lower] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let t = 0; t < alpha.length; t += 1) {
    const value = y[t]! * gradient[t]!;
    if (alpha[t]! > 0 && alpha[t]! < cost) {
      sum += value;
      free += 1;
    } else if (alpha[t]! >= cost === y[t]! < 0) upper = Math.min(upper, value);
    else lower = Math.max(lower, value);
  }
  return free > 0 ? sum / free : (upper + lower) / 2;
}
