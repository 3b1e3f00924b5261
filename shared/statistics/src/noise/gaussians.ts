import { type RandomSource, rationalOf, roundedGaussianSampler } from '@eigenveil/privacy';

/** Draws whole numbers of a Gaussian with the deviation that is asked for. */
export function gaussiansOf(source: RandomSource): (deviation: number) => bigint {
  const samplers = new Map<number, () => bigint>();
  return (deviation) => {
    const sampler =
      samplers.get(deviation) ??
      roundedGaussianSampler(source, {
        sigmaSquared: rationalOf('deviation', deviation ** 2),
        latticeBits: 0,
      });
    samplers.set(deviation, sampler);
    return sampler();
  };
}
