/**
 * The secrets that the CSP draws for one answer: the rotation, the noise, the mask and the flood. A second
 * draw for the same data recovers T.
 */
import type { MessageStream } from '../channel/message-stream.ts';
import { standardNormal } from './gaussian.ts';
import { upperEntries } from './matrices.ts';
import { haarOrthogonal } from './orthogonal.ts';
import type { RotatedParameters } from './parameters.ts';
import type { RandomBits } from './random-bits.ts';

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
 * Binds secrets as drawn for all runs of the answer: the choices of others, hidden behind the same streams,
 * would show how they differ.
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
