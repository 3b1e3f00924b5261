/** Two-party protocols that decompose additive shares, and the channel they talk over. */
export type { Channel } from './channel/channel.ts';
export { memoryChannelPair } from './channel/memory.ts';
export { ChannelAcceptor, connectChannel } from './channel/websocket.ts';
export { TwoPartyError, type TwoPartyErrorCode } from './errors.ts';
export type { Computation, EvaluatorInput, GarblerInput, TwoPartyProtocol } from './protocol.ts';
export { TWO_PARTY_PROTOCOLS } from './protocols.ts';
export { combine, toRing } from './shares.ts';
