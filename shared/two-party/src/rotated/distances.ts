/**
 * Bounds on the statistical distance between the data user's view and its simulation, with an argument for each term:
 * of a pencil in docs/arguments/rotated-pencils.md, "The distance", of a sketch in docs/arguments/rotated-sketches.md, "The distance".
 */
import { HIDING_BITS } from '../lattice/sizes.ts';
import { ERROR_GUARD } from './parameters.ts';
import { type PencilParameters, STRETCH_GUARD } from './pencil/parameters.ts';
import { NOISE_EXPONENT, SHIFT_BITS, type SketchParameters } from './sketch/parameters.ts';
import { TRUNCATION_GUARD, TRUNCATION_UNITS } from './truncation.ts';

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
  readonly products: number;
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
  const { hiddenBits, maskBits } = parameters;
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
    mask: ((d * (d + 1)) / 2) * 2 ** (hiddenBits - maskBits) * (1 + 2 ** -20),
    rotationInSignal:
      ofNoise *
      (Math.sqrt(stretch) * rounding(d, fineRotationBits) + rotation + (mixes ? rounding(n, mixingBits) : 0)),
    truncationInSignal:
      ofNoise *
      TRUNCATION_UNITS *
      (2 ** (-leastBits / 2 - signalBits) * Math.sqrt(d * r) +
        2 ** -whiteBits * (Math.sqrt(d * r) + (mixes ? Math.sqrt(d * n) : 0))),
    rotationInVectors: ofFlood * 2 * rotation * Math.sqrt(k),
    truncationInVectors: ofFlood * TRUNCATION_UNITS * 2 * Math.sqrt(d * k) * 2 ** -directionBits,
    // The floods of all, and what those that open Y and W are off by.
    products: 15 * 2 ** -HIDING_BITS + 2 * PER_DEVIATION * 2 ** -ERROR_GUARD,
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

interface SketchDistance {
  readonly rotationInCore: number;
  readonly mask: number;
  readonly rotationInSquare: number;
  readonly truncationInSquare: number;
  readonly rotationInVectors: number;
  readonly truncationInVectors: number;
  readonly products: number;
  readonly wraps: number;
  readonly sampling: number;
  readonly total: number;
}

/** log₂ of the Frobenius norm of Z'' at most. */
function fineNormBits({ features: d, columns: l, vectorRing, coefficientBits }: SketchParameters): number {
  const rowBits = vectorRing - coefficientBits - 2; // of √l times an entry, rounded up
  return rowBits + Math.log2(d * l) / 2 - Math.ceil(Math.log2(l) / 2);
}

/** For directions of length at most 1, and a C₁ and C̃ as the data user computes them. */
export function sketchDistance(parameters: SketchParameters): SketchDistance {
  const { features: d, columns: l, components: k, stretchBits, turnNoiseExponent } = parameters;
  const { rotationBits, fineRotationBits, rootBits, turned, half, whiteBits, directionBits } = parameters;
  const { hiddenBits, maskBits } = parameters;
  // The bits of what is kept of P A and of G, and of C₁ G.
  const turnedBits = fineRotationBits - turned.cut;
  const halfBits = turnedBits + rootBits - half.cut;
  // With up to two rows an entry can be 1, which is cut to 1 − 2^−bits; otherwise all are rounded to nearest.
  // In Frobenius norm.
  const rounding = (bits: number) => l * (l <= 2 ? 2 ** -bits : 2 ** -(bits + 1) * ROUNDING);
  const rotation = rounding(rotationBits);
  // The noise has twice the variance on the diagonal.
  const ofNoise = (PER_DEVIATION / Math.SQRT2) * 2 ** NOISE_EXPONENT;
  const ofTurnNoise = (PER_DEVIATION / Math.SQRT2) * 2 ** turnNoiseExponent;
  // The error of J, in Frobenius norm, moves Z''J by at most ‖Z''‖ times as much.
  const deviationBits = parameters.floodBits - parameters.coefficientBits;
  const ofFlood = PER_DEVIATION * 2 ** (fineNormBits(parameters) - deviationBits);
  const spread = Math.sqrt(l * k);
  const parts = {
    // Centred by a rounded mean, the core may have a norm of three times its trace.
    rotationInCore: 3 * ofNoise * (2 + rotation) * rotation,
    mask: ((l * (l + 1)) / 2) * 2 ** (hiddenBits - maskBits) * (1 + 2 ** -20),
    // P meets A twice, stretched by C₁; P₂ meets F twice.
    rotationInSquare:
      ofTurnNoise *
      (2 * 2 ** ((SHIFT_BITS + Math.log2(l / d)) / 2) * rounding(fineRotationBits) +
        (2 + rotation) * rotation),
    // The truncations of P A and G, of C₁ G, of F and of P₂ F. A matrix that mirrors its upper triangle
    // counts √2 times.
    truncationInSquare:
      ofTurnNoise *
      TRUNCATION_UNITS *
      l *
      ((Math.SQRT2 + 1) * 2 ** (stretchBits - turnedBits) +
        Math.SQRT2 * 2 ** (stretchBits / 2 - halfBits) +
        (Math.SQRT2 + 1) * 2 ** -whiteBits),
    rotationInVectors: ofFlood * 2 * rounding(fineRotationBits) * Math.sqrt(k),
    // The truncations of P₂ᵀ A, of C̃ᵀ P₂ᵀ A, and of J with its flood.
    truncationInVectors:
      ofFlood * TRUNCATION_UNITS * spread * (2 * 2 ** -directionBits + 2 ** -parameters.coefficientBits),
    // The floods of all, and what those that open M₂ and Z''J are off by.
    products: (parameters.hasFloor ? 17 : 15) * 2 ** -HIDING_BITS + 3 * PER_DEVIATION * 2 ** -ERROR_GUARD,
    // A, P A, G, C₁ G, F, P₂ F, P₂ᵀ A, C̃ᵀ P₂ᵀ A and J; with a floor Z as well.
    wraps: (parameters.hasFloor ? 10 : 9) * 2 ** -(TRUNCATION_GUARD + 1),
    // A Gaussian vector of at least two entries that is shorter than 2^−32, in two matrices; noise of more
    // than 11.3 deviations, in two.
    sampling: 2 * 2 ** -64 + l * (l + 1) * 2 ** -90,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, total };
}
