/**
 * The resolution of the arithmetic of a two-party protocol, in units of a result's eigenvalues.
 * docs/precision.md ("What a result's remarks mean") says why.
 */
import { type Floor, type Program, RELEASED_BITS, ROTATED_PENCIL_BITS } from '@eigenveil/task';
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

/** The members of a program that its resolution depends on. */
export type Resolved = Pick<Program, 'featureCount' | 'floor'>;

/** Returns the resolution by one protocol of results with this largest eigenvalue and this trace. */
export type ResolutionBy = (
  twoParty: 'garbled' | 'rotated' | 'simulated',
  program: Resolved,
  sizes: { readonly largest: number; readonly trace: number },
) => Resolution;

/** The gap that a PCA's vectors by `garbled` need, as a part of the trace. */
const GARBLED_GAP = 2 ** -15;
/**
 * The error of a pencil's eigenvalues by `garbled`; and of one with a ridge on the signal, which is divided
 * by more than its eigenvalues.
 */
const GARBLED_PENCIL = 2 ** -17;
export const GARBLED_SIGNAL_RIDGE = 2 ** -14;
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

/** Returns the resolution of a PCA, of the scatter matrix or of its correlation matrix. */
export function scatterResolution(matrix: 'scatter' | 'correlation'): ResolutionBy {
  return (twoParty, { featureCount: d, floor }, { largest, trace }) => {
    // The norm of a correlation matrix is a secret; it is almost zero wherever variances are far above
    // the noise.
    const norms = floor && matrix === 'scatter' ? 2 ** NORM_PLACES * floor.norm : 0;
    const noise = floor ? flooredNoise(RAISES[matrix](floor), d, trace) : ROTATED_NOISE * trace;
    // The circuit draws its line at 2^-rankPlaces of a trace, and what there is for noise, that it has
    // brought to [1/2, 1).
    const error = {
      garbled: 2 ** (1 - rankPlaces(d)) * (trace + norms),
      rotated: (2 * Math.sqrt(d) + NORM_TAIL) * noise,
      simulated: SIMULATED * largest,
    }[twoParty];
    const gap = twoParty === 'garbled' ? GARBLED_GAP * (trace + norms) : CLEAR * error;
    return { error: () => error, gap: () => gap, status: statusOf(twoParty, largest) };
  };
}

/** The amounts by which a floor raises the diagonal of either matrix. */
const RAISES = {
  scatter: ({ ridge }: Floor) => ridge,
  correlation: ({ ridge, leastVariances }: Floor) =>
    ridge.map((own, i) => (own > 0 ? own / leastVariances[i]! : 0)),
};

/** The noise by `rotated` is relative to the trace of the matrix as it is raised: docs/spec/rotated-floor.md. */
function flooredNoise(raises: readonly number[], featureCount: number, trace: number): number {
  return 2 ** -RELEASED_BITS * (trace + 2 * featureCount * Math.max(...raises));
}

/** dλ/dν by λ, for λ = ν/(1 − ν). */
export const RATIO_SLOPE = (eigenvalue: number): number => (1 + Math.abs(eigenvalue)) ** 2;

interface PencilArithmetic {
  /** dλ/dν by λ, where the problem that is solved has eigenvalues ν from 0 to 1; otherwise it is λ's own. */
  readonly slope?: (eigenvalue: number) => number;
  /** The error by `garbled`. */
  readonly garbled?: number;
}

/** Returns the resolution of a discriminant method. */
export function pencilResolution({ slope, garbled = GARBLED_PENCIL }: PencilArithmetic): ResolutionBy {
  return (twoParty, { floor }, { largest }) => {
    const rotated = floor ? ROTATED_PENCIL_FLOOR : ROTATED_PENCIL;
    const unit = { garbled, rotated, simulated: SIMULATED }[twoParty];
    const stretch = slope ?? (() => Math.abs(largest) + LEAST_SCALE);
    const error = (eigenvalue: number) => unit * stretch(eigenvalue);
    const clear = twoParty === 'garbled' ? 1 : CLEAR;
    return {
      error,
      gap: (a, b) => clear * (error(a) + error(b)),
      status: statusOf(twoParty, largest),
    };
  };
}

function statusOf(twoParty: string, largest: number): number {
  return twoParty === 'garbled' ? 2 ** -RESIDUAL_PLACES * Math.abs(largest) : 0;
}
