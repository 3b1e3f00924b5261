/**
 * Noise of coefficients for experiments with thousands of repetitions: the same distributions as those of shared/release, by inversion in doubles instead of
 * exact coins, from seeds that anybody can repeat. For experiments alone: what releases counts draws exactly.
 */
import { type CoefficientNoise, noiseSampler } from '@eigenveil/release';
import { normals, predictableRandomness } from '@eigenveil/testbed/random';

const WORDS = 1 << 14;

/** Numbers in (0, 1], multiples of 2^−53. */
export function uniform(seed: string): () => number {
  const source = predictableRandomness(seed);
  let words = new Uint32Array(0);
  let at = 0;
  return () => {
    if (at === words.length) {
      const bytes = source(4 * WORDS);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      words = Uint32Array.from({ length: WORDS }, (_, i) => view.getUint32(4 * i, true));
      at = 0;
    }
    const [high, low] = [words[at]! >>> 5, words[at + 1]! >>> 6];
    at += 2;
    return (high * 2 ** 26 + low + 1) / 2 ** 53;
  };
}

/** One server's noise on a coefficient, drawn fast. */
export function fastSampler(noise: CoefficientNoise, seed: string): () => number {
  const next = uniform(seed);
  if (noise.kind === 'laplace') {
    const scale = Number(noise.scale.numerator) / Number(noise.scale.denominator);
    // A discrete Laplace number is the difference of two geometric ones.
    const geometric = () => Math.floor(-scale * Math.log(next()));
    return () => geometric() - geometric();
  }
  const sigma = Math.sqrt(Number(noise.sigmaSquared.numerator) / Number(noise.sigmaSquared.denominator));
  const normal = normals(next);
  return () => Math.round(sigma * normal());
}

/** Continuous Laplace noise: the difference of two exponential numbers. */
export function laplaceSampler(scale: number, seed: string): () => number {
  const next = uniform(seed);
  return () => scale * (Math.log(next()) - Math.log(next()));
}

/** One server's noise by the exact samplers of a release. */
export function exactSampler(noise: CoefficientNoise, seed: string): () => number {
  const draw = noiseSampler(predictableRandomness(seed), noise);
  return () => Number(draw());
}
