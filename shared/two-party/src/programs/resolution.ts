/**
 * The resolution of the arithmetic of a two-party protocol, in units of a result's eigenvalues.
 * docs/precision.md ("What a result's remarks mean") says why.
 */
import { methodOf } from '@eigenveil/methods';
import { type Program, RELEASED_BITS, ROTATED_PENCIL_BITS } from '@eigenveil/task';
import { NORM_PLACES, RESIDUAL_PLACES, rankPlaces } from './precision.ts';

export interface Resolution {
  /** The amount by which an eigenvalue of this size may be off; one that is no larger may be zero. */
  readonly error: (eigenvalue: number) => number;
  /** Vectors of eigenvalues that are no further from each other than this may be mixed. */
  readonly gap: (a: number, b: number) => number;
  /**
   * A status bit of 1 says nothing about the vector of an eigenvalue up to this. 0 where there are no status
   * bits.
   */
  readonly status: number;
}

/** The gap that a PCA's vectors by `garbled` need, as a part of the trace. */
const GARBLED_GAP = 2 ** -15;
/**
 * The error of a pencil's eigenvalues by `garbled`; and of one with a ridge on the signal, which is divided
 * by more than its eigenvalues.
 */
const GARBLED_PENCIL = 2 ** -17;
const GARBLED_SIGNAL_RIDGE = 2 ** -14;
/**
 * By `rotated`: of the trace, the deviation of the noise that hides the rotation; of a pencil's ν, far above
 * what was measured with noise of 2^−46.
 */
const ROTATED_NOISE = 2 ** -36;
/**
 * A number of deviations: the norm of such noise is 2 √d, and by this much more in one of ten million
 * results.
 */
const NORM_TAIL = 8;
const ROTATED_PENCIL = 2 ** -30;
const ROTATED_PENCIL_FLOOR = 2 ** (46 - ROTATED_PENCIL_BITS) * ROTATED_PENCIL;
/** Eigenvalues of pencils are scaled by their largest, down to this. */
const LEAST_SCALE = 2 ** -8;
/** In doubles: of the largest eigenvalue. */
const SIMULATED = 1e-9;
/** By how much more a gap must exceed an error, for the vectors to be off by a thousandth at most. */
const CLEAR = 2 ** 10;

/**
 * @param largest the largest eigenvalue
 * @param trace of the decomposed matrix of a PCA, with whatever differential privacy has added to it; not
 * looked at for other methods
 */
export function resolutionOf(
  twoParty: 'garbled' | 'rotated' | 'linear' | 'simulated',
  { method, featureCount: d, floor }: Pick<Program, 'method' | 'featureCount' | 'floor'>,
  { largest, trace }: { readonly largest: number; readonly trace: number },
): Resolution {
  if (twoParty === 'linear') return { error: () => 0, gap: () => 0, status: 0 }; // no components
  const status = twoParty === 'garbled' ? 2 ** -RESIDUAL_PLACES * Math.abs(largest) : 0;
  if (method.kind === 'pca') {
    // The norm of a correlation matrix is a secret; it is almost zero wherever variances are far above
    // the noise.
    const norms =
      floor && !(methodOf({ method }).decomposes === 'correlation') ? 2 ** NORM_PLACES * floor.norm : 0;
    // The circuit draws its line at 2^-rankPlaces of a trace, and what there is for noise, that it has
    // brought to [1/2, 1).
    const error = {
      garbled: 2 ** (1 - rankPlaces(d)) * (trace + norms),
      rotated: (2 * Math.sqrt(d) + NORM_TAIL) * rotatedNoise(method, d, floor, trace),
      simulated: SIMULATED * largest,
    }[twoParty];
    const gap = twoParty === 'garbled' ? GARBLED_GAP * (trace + norms) : CLEAR * error;
    return { error: () => error, gap: () => gap, status };
  }
  const hasSignalRidge = method.kind === 'dca' && method.signalRidge !== 0;
  const garbled = hasSignalRidge ? GARBLED_SIGNAL_RIDGE : GARBLED_PENCIL;
  const rotated = floor ? ROTATED_PENCIL_FLOOR : ROTATED_PENCIL;
  const unit = { garbled, rotated, simulated: SIMULATED }[twoParty];
  const error = (eigenvalue: number) => unit * stretch(method, twoParty, eigenvalue, largest);
  const clear = twoParty === 'garbled' ? 1 : CLEAR;
  return { error, gap: (a, b) => clear * (error(a) + error(b)), status };
}

/** With a floor it is relative to the trace of the matrix as it is raised: docs/rotated-floor.md. */
function rotatedNoise(
  method: Program['method'],
  featureCount: number,
  floor: Program['floor'],
  trace: number,
): number {
  if (floor === undefined) return ROTATED_NOISE * trace;
  const { ridge, leastVariances } = floor;
  const raises =
    methodOf({ method }).decomposes === 'correlation'
      ? ridge.map((own, i) => (own > 0 ? own / leastVariances[i]! : 0))
      : ridge;
  return 2 ** -RELEASED_BITS * (trace + 2 * featureCount * Math.max(...raises));
}

/**
 * dλ/dν where the problem that was solved has eigenvalues ν from 0 to 1 and λ = ν/(1 − ν) or 1/(1 − ν);
 * otherwise the scale of λ itself.
 */
function stretch(method: Program['method'], twoParty: string, eigenvalue: number, largest: number): number {
  if (method.kind === 'lda' || (method.kind === 'mdr' && twoParty === 'rotated'))
    return (1 + Math.abs(eigenvalue)) ** 2;
  if (method.kind === 'dca' && method.form === 'book' && method.signalRidge === 0) return eigenvalue ** 2;
  return Math.abs(largest) + LEAST_SCALE;
}
