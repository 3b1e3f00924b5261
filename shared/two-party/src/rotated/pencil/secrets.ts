/** The secrets that the CSP draws for one pencil. A second draw for the same data is a second answer. */
import { type Matrix, upperEntries } from '../matrices.ts';
import { haarOrthogonal, withFewerBits } from '../orthogonal.ts';
import type { RandomBits } from '../random-bits.ts';
import { drawFlood, drawNoise } from '../secrets.ts';
import type { PencilParameters } from './parameters.ts';

export interface PencilSecrets {
  /** P, Haar in O(d): of f fraction bits, and of more of them. */
  readonly rotation: Matrix;
  readonly fineRotation: Matrix;
  /** Upper triangles, row by row, as of a PCA: see RotationSecrets. */
  readonly noise: readonly bigint[];
  readonly mask: readonly bigint[];
  /** P₂, Haar in O(d). */
  readonly turn: Matrix;
  /** O, Haar in O(columns of Y), if there is more than one. */
  readonly mixing: Matrix | undefined;
  /** N of Y, d × columns, normal, of deviation 2^−46, with a floor 2^−36. */
  readonly signalNoise: Matrix;
  /** d × components, normal, of deviation 2^−40, with a floor 2^−30. */
  readonly flood: Matrix;
}

export function drawPencilSecrets(parameters: PencilParameters, random: RandomBits): PencilSecrets {
  const { features: d, columns, components, rotationBits, fineRotationBits, mixingBits } = parameters;
  const fineRotation = haarOrthogonal(d, fineRotationBits, random);
  return {
    fineRotation,
    rotation: withFewerBits(fineRotation, fineRotationBits - rotationBits, rotationBits),
    noise: drawNoise(d, parameters.noiseBits, random),
    mask: upperEntries(d, () => random.integer(parameters.maskBits)),
    turn: haarOrthogonal(d, rotationBits, random),
    mixing: columns > 1 ? haarOrthogonal(columns, mixingBits, random) : undefined,
    signalNoise: drawFlood([d, columns], parameters.openBits - parameters.exponents.noise, random),
    flood: drawFlood([d, components], parameters.floodBits, random),
  };
}
