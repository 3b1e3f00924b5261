/** The noise of an owner's own floor. */
import { type RandomSource, rationalOf, roundedGaussianSampler } from '@eigenveil/privacy';
import { OWN_FLOOR_REACH, type OwnFloor } from '@eigenveil/task';

/**
 * One draw for all values of the flat statistics. An owner draws once per contribution and keeps what it sends, since the mean of several draws is closer to its sums. What
 * slots have no room for is drawn again.
 */
export function drawOwnNoise({ deviations }: OwnFloor, source: RandomSource): bigint[] {
  const samplers = new Map<number, () => bigint>();
  return deviations.map((deviation) => {
    if (deviation === 0) return 0n;
    const draw =
      samplers.get(deviation) ??
      roundedGaussianSampler(source, {
        sigmaSquared: rationalOf('deviation', deviation ** 2),
        latticeBits: 0,
      });
    samplers.set(deviation, draw);
    const most = BigInt(Math.floor(OWN_FLOOR_REACH * deviation));
    for (;;) {
      const noise = draw();
      if (noise <= most && noise >= -most) return noise;
    }
  });
}
