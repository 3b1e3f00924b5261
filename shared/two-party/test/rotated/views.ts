/** How the CSP draws an answer's secrets, with and without faults. */

import { normal } from '@eigenveil/testbed/random';
import { upperEntries } from '../../src/rotated/matrices.ts';
import type { RotatedParameters } from '../../src/rotated/parameters.ts';
import type { RandomBits } from '../../src/rotated/random.ts';
import { drawSecrets, type RotationSecrets } from '../../src/rotated/secrets.ts';

/** How one answer after the other is drawn; `earlier` are the secrets of the answer before. */
export type Drawer = (
  parameters: RotatedParameters,
  random: RandomBits,
  earlier: RotationSecrets | undefined,
) => RotationSecrets;

export const honest: Drawer = (parameters, random) => drawSecrets(parameters, 1, random);

/** A normal number in double precision, in units of 2^−bits. */
function doubleNormal(random: RandomBits, bits: number): bigint {
  const g = normal(() => (random.word() + 0.5) / 2 ** 32);
  return BigInt(Math.round(g * 2 ** 52)) << BigInt(bits - 52);
}

/** Each of these must be noticed. */
export const FAULTS: Readonly<Record<string, Drawer>> = {
  'no rotation': (parameters, random) => ({
    ...honest(parameters, random, undefined),
    rotation: Array.from({ length: parameters.features }, (_, i) =>
      Array.from({ length: parameters.features }, (_, j) =>
        i === j ? 1n << BigInt(parameters.rotationBits) : 0n,
      ),
    ),
  }),
  'no noise': (parameters, random) => {
    const secrets = honest(parameters, random, undefined);
    return { ...secrets, noise: secrets.noise.map(() => 0n) };
  },
  'equal variance on the diagonal': (parameters, random) => {
    const secrets = honest(parameters, random, undefined);
    const d = parameters.features;
    const diagonal = upperEntries(d, (i, j) => i === j);
    // 46341/65536 is 1/√2 to five digits.
    return {
      ...secrets,
      noise: secrets.noise.map((entry, e) => (diagonal[e] ? (entry * 46_341n) >> 16n : entry)),
    };
  },
  'noise in double precision': (parameters, random) => ({
    ...honest(parameters, random, undefined),
    noise: upperEntries(
      parameters.features,
      (i, j) =>
        doubleNormal(random, parameters.noiseBits) +
        (i === j ? doubleNormal(random, parameters.noiseBits) : 0n),
    ),
  }),
  'reused rotation': (parameters, random, earlier) => ({
    ...honest(parameters, random, undefined),
    ...(earlier && { rotation: earlier.rotation }),
  }),
  'no mask': (parameters, random) => {
    const secrets = honest(parameters, random, undefined);
    return { ...secrets, mask: secrets.mask.map(() => 0n) };
  },
};
