/** Two-party protocols that decompose additive shares, and the channel they talk over. */
export { withAbort } from './channel/abort.ts';
export type { Channel, ChannelLimits } from './channel/channel.ts';
export { memoryChannelPair } from './channel/memory.ts';
export { MessageStream } from './channel/message-stream.ts';
export { type Clock, type Pace, systemClock, waitUntil } from './channel/pace.ts';
export { ChannelAcceptor, ChannelRefused, connectChannel } from './channel/websocket.ts';
export { checkComputable } from './check-task.ts';
export {
  add,
  divide,
  multiply,
  type Num,
  normalise,
  numberFrom,
  reciprocalSquareRoot,
  square,
  squareRoot,
  unsigned,
} from './circuits/index.ts';
export { TWO_PARTY_CODES } from './codes.ts';
export {
  CountingGates,
  CountingSession,
  EvaluatorSession,
  GarblerSession,
  type Gates,
  type Session,
} from './garbling/index.ts';
export {
  type ExtensionReceiver,
  type ExtensionSender,
  receiveChosen,
  receiveRandom,
  sendChosen,
  sendRandom,
  setUpReceiver,
  setUpSender,
} from './oblivious-transfer/index.ts';
export {
  type Resolution,
  resolutionOf,
  runProgram,
  standardPaceOf,
} from './programs/index.ts';
export {
  type Computation,
  type CspInput,
  type DataUserInput,
  type KeptAnswer,
  MOST_RUNS,
  type Progress,
  type TwoPartyProtocol,
} from './protocol.ts';
export { TWO_PARTY_PROTOCOLS } from './protocols.ts';
export { askRotated } from './rotated/data-user.ts';
export { ROTATED_MESSAGE } from './rotated/messages.ts';
export { sketchPaces, standardPace, sumsPace } from './rotated/standard-pace.ts';
export { combine, type Shared, toRing } from './shares.ts';
