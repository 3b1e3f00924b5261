/**
 * Real-valued draws in doubles, for the published methods that are compared.
 *
 * Doubles leak. Which low digits a noisy double can have depends on the value under the noise (Mironov, "On significance of
 * the least significant bits for differential privacy", 2012; Haney et al., "Precision-based attacks and interval refining",
 * 2022). The proofs beside the mechanisms are about real numbers; what is released of real data uses the exact samplers.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { RandomBits } from '@eigenveil/privacy/parts';
import { normals } from '@eigenveil/testbed/random';

export class RealDraws {
  readonly #random: RandomBits;
  /** Mean 0 and variance 1. */
  readonly normal = normals(() => this.uniform());

  constructor(source: RandomSource) {
    this.#random = new RandomBits(source);
  }

  /** Uniform over the 2^53 midpoints of (0, 1), so that neither end comes. */
  uniform(): number {
    const high = this.#random.word() >>> 5;
    const low = this.#random.word() >>> 6;
    return (high * 2 ** 26 + low + 0.5) / 2 ** 53;
  }

  /** Density exp(−|x|)/2. */
  laplace(): number {
    const magnitude = -Math.log(this.uniform());
    return this.#random.coin() ? magnitude : -magnitude;
  }

  /** Shape a >= 1/2 and scale 1: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
  gamma(a: number): number {
    if (a < 1) return this.gamma(a + 1) * this.uniform() ** (1 / a);
    const d = a - 1 / 3;
    for (;;) {
      const x = this.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(this.uniform()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  }
}
