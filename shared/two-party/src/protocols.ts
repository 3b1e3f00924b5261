/** Every two-party protocol under the name by which a task chooses it. */
import { garbled } from './garbled/garbled.ts';
import { linear } from './linear.ts';
import type { TwoPartyProtocol } from './protocol.ts';
import { rotated } from './rotated.ts';
import { simulated } from './simulated.ts';

/**
 * @example
 * import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
 *
 * const { garbled } = TWO_PARTY_PROTOCOLS;
 * const decomposition = await garbled.runDataUser(channel, computation, { shares });
 */
export const TWO_PARTY_PROTOCOLS = { garbled, rotated, linear, simulated } as const satisfies Record<
  string,
  TwoPartyProtocol
>;
