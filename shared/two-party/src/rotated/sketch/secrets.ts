/** What the CSP draws for one sketch. A second draw for the same data is a second answer. */
import { standardNormal } from '../gaussian.ts';
import { type Matrix, upperEntries } from '../matrices.ts';
import { haarOrthogonal, withFewerBits } from '../orthogonal.ts';
import type { RandomBits } from '../random-bits.ts';
import { drawNoise } from '../secrets.ts';
import type { SketchParameters } from './parameters.ts';

export interface SketchSecrets {
  /** P, Haar in O(l): of f fraction bits, and of more of them. */
  readonly rotation: Matrix;
  readonly fineRotation: Matrix;
  /** Upper triangles, row by row, as of a PCA: see RotationSecrets. */
  readonly noise: readonly bigint[];
  readonly mask: readonly bigint[];
  /** P₂, Haar in O(l). */
  readonly turn: Matrix;
  /** Upper triangle of a matrix of the Gaussian orthogonal ensemble, of deviation 2^−turnNoiseExponent. */
  readonly turnNoise: readonly bigint[];
  /** l × components, normal, of deviation 2^−29. */
  readonly flood: Matrix;
}

export function drawSketchSecrets(parameters: SketchParameters, random: RandomBits): SketchSecrets {
  const { columns: l, components, rotationBits, fineRotationBits } = parameters;
  const fineRotation = haarOrthogonal(l, fineRotationBits, random);
  return {
    fineRotation,
    rotation: withFewerBits(fineRotation, fineRotationBits - rotationBits, rotationBits),
    noise: drawNoise(l, parameters.noiseBits, random),
    mask: upperEntries(l, () => random.integer(parameters.maskBits)),
    turn: haarOrthogonal(l, rotationBits, random),
    turnNoise: drawNoise(l, parameters.openBits - parameters.turnNoiseExponent, random),
    flood: Array.from({ length: l }, () =>
      Array.from({ length: components }, () => standardNormal(random, parameters.floodBits)),
    ),
  };
}
