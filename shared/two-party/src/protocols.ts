/** Every two-party protocol under the name by which a task chooses it. */
import { garbled } from './garbled.ts';
import type { TwoPartyProtocol } from './protocol.ts';
import { rotated } from './rotated.ts';
import { simulated } from './simulated.ts';

export const TWO_PARTY_PROTOCOLS = { garbled, rotated, simulated } as const satisfies Record<
  string,
  TwoPartyProtocol
>;
