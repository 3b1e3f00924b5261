/**
 * The secrets that the CSP draws for one answer, of a scatter matrix, a pencil or a sketch: rotations, noise, mask
 * and flood. A second draw for the same data is a second answer, which recovers T.
 */
import type { MessageStream } from '../channel/message-stream.ts';
import { type Matrix, upperEntries } from './matrices.ts';
import { haarOrthogonal, withFewerBits } from './orthogonal.ts';
import type { RotatedParameters } from './parameters.ts';
import type { PencilParameters } from './pencil/parameters.ts';
import { type RandomBits, standardNormal } from './random.ts';
import type { SketchParameters } from './sketch/parameters.ts';

export interface RotationSecrets {
  /** 2^f P (d × d). */
  readonly rotation: readonly (readonly bigint[])[];
  /** Upper triangle, row by row: 2^γ times independent normal numbers of variance 1, on the diagonal 2. */
  readonly noise: readonly bigint[];
  /** Upper triangle, row by row: uniform in [0, 2^m). */
  readonly mask: readonly bigint[];
  /** d × components, normal, of deviation 2^floodBits. */
  readonly flood: readonly (readonly bigint[])[];
}

export function drawSecrets(
  { features: d, rotationBits, noiseBits, maskBits, floodBits }: RotatedParameters,
  components: number,
  random: RandomBits,
): RotationSecrets {
  return {
    rotation: haarOrthogonal(d, rotationBits, random),
    noise: drawNoise(d, noiseBits, random),
    mask: upperEntries(d, () => random.integer(maskBits)),
    flood: drawFlood([d, components], floodBits, random),
  };
}

/**
 * Binds secrets as drawn for all runs of the answer: others, hidden behind the same streams, would show how
 * they differ.
 */
export function fixed<Secrets extends object>(stream: Pick<MessageStream, 'fix'>, secrets: Secrets): Secrets {
  const text = JSON.stringify(secrets, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString(16) : value,
  );
  stream.fix(Buffer.from(text));
  return secrets;
}

/** Independent normal numbers of deviation 2^bits, rounded to whole ones. */
export function drawFlood(
  [rows, columns]: readonly [rows: number, columns: number],
  bits: number,
  random: RandomBits,
): bigint[][] {
  return Array.from({ length: rows }, () =>
    Array.from({ length: columns }, () => standardNormal(random, bits)),
  );
}

/** Upper triangle of a matrix of the Gaussian orthogonal ensemble, in units of 2^−bits. */
export function drawNoise(d: number, bits: number, random: RandomBits): bigint[] {
  const normal = () => standardNormal(random, bits);
  // A sum of two has variance 2 exactly; √2 times one would have to be rounded.
  return upperEntries(d, (i, j) => normal() + (i === j ? normal() : 0n));
}

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
