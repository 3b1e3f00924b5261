/** The result that the data user signs in the end. */
import { CodedError } from '@eigenveil/platform';
import { type Decomposition, QUANTILES } from '@eigenveil/projection';
import {
  type HistogramMethod,
  histogramsOf,
  LINEAR_RING_BITS,
  sumsOf,
  type Task,
  withoutShift,
} from '@eigenveil/task';
import { CODES, digestTask, type Projection } from '@eigenveil/wire';

/**
 * Returns what the data user signs: the decomposition without the shift, and the parts of the task that it
 * belongs to.
 * @throws ERR_NOT_FINITE: a peer that deviates can make any numbers come out, and values that are not
 * numbers cannot be signed
 * @example
 * import { resultOf, sharesAtDataUser } from '@eigenveil/protocol/servers';
 * import { programOf } from '@eigenveil/task';
 * import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
 *
 * const shares = sharesAtDataUser(task, drawn);
 * const { runDataUser } = TWO_PARTY_PROTOCOLS[task.twoParty];
 * const projection = resultOf(task, await runDataUser(channel, { task, program: programOf(task) }, { shares }));
 */
export function resultOf(task: Task, shifted: Decomposition): Projection {
  const decomposition = withoutShift(task, shifted);
  const { vectors, eigenvalues, regression } = decomposition;
  const fitted = regression ? [regression.intercept, ...regression.weights] : [];
  if (![eigenvalues, fitted, ...vectors].every((numbers) => numbers.every(Number.isFinite)))
    throw new CodedError(CODES.ERR_NOT_FINITE, 'the result expected finite numbers');
  return projectionOf(task, decomposition);
}

/**
 * No double is longer in JSON: a sign, 17 digits, and as many zeros before them as are written out
 * (ECMAScript, Number::toString).
 */
const LONGEST = -0.000_001_234_567_890_123_456_7;

/**
 * Bytes of the longest result that a task can have, in JSON: what is signed is so long, or its length would
 * tell the line about its numbers.
 */
export function longestResult(task: Task): number {
  const { components, features, labellings } = task;
  const numbers = (count: number) => new Array<number>(count).fill(LONGEST);
  const longest = projectionOf(task, {
    vectors: Array.from({ length: components }, () => numbers(features.length)),
    eigenvalues: numbers(components),
    converged: new Array<boolean>(components).fill(false),
    mean: numbers(features.length),
    trace: LONGEST,
    sampleCount: LONGEST,
    spectrum: numbers(features.length),
    classCounts: labellings.map(({ classes }) => numbers(classes.length)),
    variances: numbers(features.length),
    ...(task.method.kind === 'ridge' && {
      regression: { weights: numbers(features.length - 1), intercept: LONGEST },
    }),
    ...(task.method.kind === 'histogram' && longestRelease(task, task.method)),
  });
  return Buffer.byteLength(JSON.stringify(longest));
}

/** All quantiles of all histograms, and sums at the end of the ring. */
function longestRelease(
  task: Task,
  method: HistogramMethod,
): Pick<Decomposition, 'histograms' | 'privateRows'> {
  const all = histogramsOf(task);
  const sums = sumsOf(task) / all.length - 1;
  const numbers = (count: number, value: number) => new Array<number>(count).fill(value);
  const sum = -(2 ** (LINEAR_RING_BITS - 1));
  return {
    histograms: all.map(({ name }) => ({
      name,
      coefficients: numbers(sums, sum),
      unreadable: sum,
      counts: numbers(2 ** method.height, LONGEST),
      quantiles: QUANTILES.map((q) => ({ q, value: LONGEST, from: LONGEST, to: LONGEST })),
    })),
    privateRows: { rows: LONGEST, deviation: LONGEST },
  };
}

function projectionOf(task: Task, decomposition: Decomposition): Projection {
  return {
    taskId: task.id,
    taskDigest: digestTask(task),
    method: task.method,
    twoParty: task.twoParty,
    features: task.features,
    fractionBits: task.fractionBits,
    ...(task.sketch && { sketch: task.sketch }),
    outputs: task.outputs,
    differentialPrivacy: task.differentialPrivacy,
    ...(task.basis !== undefined && { basis: task.basis }),
    ...decomposition,
  };
}
