/** Two-party protocols that decompose additive shares, and the channel they talk over. */
export type { Channel } from './channel/channel.ts';
export { type Clock, type Pace, systemClock, waitUntil } from './channel/pace.ts';
export { ChannelAcceptor, ChannelRefused, connectChannel } from './channel/websocket.ts';
export { checkComputable } from './check-task.ts';
export { TWO_PARTY_CODES } from './codes.ts';
export { type DataUserInput, type KeptAnswer, MOST_RUNS, type Progress } from './protocol.ts';
export { TWO_PARTY_PROTOCOLS } from './protocols.ts';
export type { Shared } from './shares.ts';
