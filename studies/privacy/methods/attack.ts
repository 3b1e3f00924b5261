/** What a party can undo that knows noise: in ELFedPCA every site knows all of it, in Eigenveil a server knows its own half. */

import type { Elfedpca } from './elfedpca.ts';
import { sharedNoise } from './elfedpca.ts';
import { masked, signed } from './masks.ts';
import { add, scaled } from './matrix.ts';
import type { StageRelease } from './stage.ts';

/** A_i of every site, by one that knows the seed: it draws E again and subtracts E/s from the messages. */
export function recoverCovariances({
  messages,
  seed,
  deviation,
}: Pick<Elfedpca, 'messages' | 'seed' | 'deviation'>): number[][][] {
  const noise = sharedNoise(seed, messages[0]!.length, deviation);
  return messages.map((message) => add(message, scaled(noise, -1 / messages.length)));
}

/** Every site's Σ x and number of rows, by site 2, which dealt the masks, once it sees what site 1 gets. */
export function unmaskedSums({ masks, maskedSums }: Pick<Elfedpca, 'masks' | 'maskedSums'>): bigint[][] {
  return maskedSums.map((sums, i) =>
    masked(
      sums,
      masks[i]!.map((x) => -x),
    ).map(signed),
  );
}

/** The same attempt by a server of Eigenveil: what it has once its own noise is subtracted. The other's is still there. */
export function subtractOwnNoise({ noisy }: Pick<StageRelease, 'noisy'>, own: readonly bigint[]): bigint[] {
  return noisy.map((value, i) => value - own[i]!);
}
