/** The secrets that the CSP draws for one sketch. A second draw for the same data is a second answer. */
import { type Matrix, upperEntries } from '../matrices.ts';
import { haarOrthogonal, withFewerBits } from '../orthogonal.ts';
import type { RandomBits } from '../random-bits.ts';
import { drawFlood, drawNoise } from '../secrets.ts';
import type { SketchParameters } from './parameters.ts';

export interface SketchSecrets {
  /** P, Haar in O(l): of f fraction bits, and of more of them. */
  readonly rotation: Matrix;
  readonly fineRotation: Matrix;
  /** Upper triangles, row by row, as of a PCA: see RotationSecrets. */
  readonly noise: readonly bigint[];
  readonly mask: readonly bigint[];
  /** P₂, Haar in O(l), in the same way. */
  readonly turn: Matrix;
  readonly fineTurn: Matrix;
  /** Upper triangle of a matrix of the Gaussian orthogonal ensemble, of deviation 2^−turnNoiseExponent. */
  readonly turnNoise: readonly bigint[];
  /** On J, l × components, normal, of deviation 2^−29. */
  readonly coefficientFlood: Matrix;
  /** On Z''·J, d × components, normal, of deviation 2^−33 of the largest that an entry can be. */
  readonly flood: Matrix;
}

export function drawSketchSecrets(parameters: SketchParameters, random: RandomBits): SketchSecrets {
  const { features: d, columns: l, components: k, rotationBits, fineRotationBits } = parameters;
  const fineRotation = haarOrthogonal(l, fineRotationBits, random);
  const fineTurn = haarOrthogonal(l, fineRotationBits, random);
  const shorter = (matrix: Matrix) => withFewerBits(matrix, fineRotationBits - rotationBits, rotationBits);
  return {
    fineRotation,
    rotation: shorter(fineRotation),
    noise: drawNoise(l, parameters.noiseBits, random),
    mask: upperEntries(l, () => random.integer(parameters.maskBits)),
    fineTurn,
    turn: shorter(fineTurn),
    turnNoise: drawNoise(l, parameters.openBits - parameters.turnNoiseExponent, random),
    coefficientFlood: drawFlood([l, k], parameters.coefficientFloodBits, random),
    flood: drawFlood([d, k], parameters.floodBits, random),
  };
}
