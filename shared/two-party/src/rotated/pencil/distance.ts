/**
 * Bounds on the statistical distance between the data user's view of a pencil and its simulation:
 * docs/rotated-pencils.md, "The distance", has the argument for each part.
 */
import { MASK_GUARD } from '../parameters.ts';
import { type PencilParameters, STRETCH_GUARD, TRUNCATION_GUARD } from './parameters.ts';

/** A shift of a normal vector by ‖Δ‖ deviations moves its distribution by at most this number times ‖Δ‖. */
const PER_DEVIATION = 1 / Math.sqrt(2 * Math.PI);
/** Entries of an orthogonal matrix are right to this many half units. */
const ROUNDING = 1 + 2 ** -15;

interface PencilDistance {
  readonly rotationInMatrix: number;
  readonly mask: number;
  readonly rotationInSignal: number;
  readonly truncationInSignal: number;
  readonly rotationInVectors: number;
  readonly truncationInVectors: number;
  readonly wraps: number;
  readonly sampling: number;
  readonly floor: number;
  readonly total: number;
}

/** For directions of length at most 1, and a C₁ as the data user computes it. */
export function pencilDistance(parameters: PencilParameters): PencilDistance {
  const { features: d, components: k, groups: r, columns: n, exponents, truncates } = parameters;
  const { rotationBits, fineRotationBits, mixingBits, signalBits, whiteBits, directionBits, leastBits } =
    parameters;
  // The trace of T over the least eigenvalue of B, at most, where the result is not refused.
  const stretch = 2 ** (exponents.noise - STRETCH_GUARD) / Math.sqrt(d);
  // MDR's T is rounded, and may have a norm of three times its trace. What is raised is larger by far than
  // its rounding, and may have one of twice its trace with noise of owners.
  const rounded = truncates && parameters.raise === 0n;
  const norm = rounded ? 3 : parameters.raise > 0n ? 2 : 1;
  const mixes = n > 1;
  // With up to two rows an entry can be 1, which is cut to 1 − 2^−bits; otherwise all are rounded to nearest.
  // In Frobenius norm.
  const rounding = (side: number, bits: number) =>
    side * (side <= 2 ? 2 ** -bits : 2 ** -(bits + 1) * ROUNDING);
  const rotation = rounding(d, rotationBits);
  const ofNoise = PER_DEVIATION * 2 ** exponents.noise;
  const ofFlood = PER_DEVIATION * 2 ** exponents.flood;
  const parts = {
    rotationInMatrix: ((ofNoise * (2 + rotation) * rotation) / Math.SQRT2) * norm,
    mask: 2 ** -MASK_GUARD * (1 + 2 ** -20) * (rounded ? 2 : 1),
    rotationInSignal:
      ofNoise *
      (Math.sqrt(stretch) * rounding(d, fineRotationBits) + rotation + (mixes ? rounding(n, mixingBits) : 0)),
    truncationInSignal:
      ofNoise *
      (2 ** (-leastBits / 2 - signalBits) * Math.sqrt(d * r) +
        2 ** -whiteBits * (Math.sqrt(d * r) + (mixes ? Math.sqrt(d * n) : 0))),
    rotationInVectors: ofFlood * 2 * rotation * Math.sqrt(k),
    truncationInVectors: ofFlood * 2 * Math.sqrt(d * k) * 2 ** -directionBits,
    // G, X, F, P₂ F, P₂ᵀ A, C̃ᵀ P₂ᵀ A, and the part of T that is truncated.
    wraps: (5 + (mixes ? 1 : 0) + (truncates ? 1 : 0)) * 2 ** -(TRUNCATION_GUARD + 1),
    // A Gaussian vector of at least two entries that is shorter than 2^−32, in three matrices; noise of more
    // than 11.3 deviations.
    sampling: 3 * 2 ** -64 + ((d * (d + 1)) / 2) * 2 ** -90,
    // The noise on R has an eigenvalue that the ridge does not outweigh, so that ν may be above 1: 2^−36.9,
    // 2^−39.2, 2^−40.8, … for 1, 2, 3, … features.
    floor: parameters.raise === 0n ? 0 : d < 3 ? 2 ** -36 : 2 ** -40,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, total };
}
