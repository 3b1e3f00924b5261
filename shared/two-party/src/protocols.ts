/** Every two-party protocol under the name by which a task chooses it. */
import { garbled } from './garbled/garbled.ts';
import { linear } from './linear.ts';
import type { TwoPartyProtocol } from './protocol.ts';
import { rotated } from './rotated.ts';
import { simulated } from './simulated.ts';

/**
 * @example
 * import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
 * import { memoryChannelPair } from '@eigenveil/two-party/insides';
 *
 * const { garbled } = TWO_PARTY_PROTOCOLS;
 * const [atCsp, atDataUser] = memoryChannelPair();
 * const csp = garbled.runCsp(atCsp, computation, cspInput);
 * const decomposition = await garbled.runDataUser(atDataUser, computation, { shares });
 * await csp;
 */
export const TWO_PARTY_PROTOCOLS = { garbled, rotated, linear, simulated } as const satisfies Record<
  string,
  TwoPartyProtocol
>;
