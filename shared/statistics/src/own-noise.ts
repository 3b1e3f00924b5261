/** The noise of an owner's own floor. */
import type { RandomSource } from '@eigenveil/privacy';
import { OWN_FLOOR_REACH, type OwnFloor } from '@eigenveil/task';
import { gaussiansOf } from './gaussians.ts';

/**
 * One draw for all values of the flat statistics. An owner's program gives the same source for the same statistics, since the mean of several draws is closer to its sums. What
 * slots have no room for is drawn again.
 */
export function drawOwnNoise({ deviations }: OwnFloor, source: RandomSource): bigint[] {
  const draw = gaussiansOf(source);
  return deviations.map((deviation) => {
    const most = BigInt(Math.floor(OWN_FLOOR_REACH * deviation));
    for (;;) {
      const noise = deviation === 0 ? 0n : draw(deviation);
      if (noise <= most && noise >= -most) return noise;
    }
  });
}
