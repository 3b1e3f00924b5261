/**
 * The entry `insides`, for studies and tests alone: the parts of the protocols, which attacks and games play one by one,
 * and what the package's own tests put in their place: dealers, simulators, tasks over made-up rows. It lies among the
 * tests, so that no tarball has it, and nothing that is shipped may import it; the linter ensures that.
 */

export { MessageStream } from '../../src/channel/message-stream.ts';
export {
  add,
  divide,
  multiply,
  type Num,
  normalise,
  numberFrom,
  reciprocalSquareRoot,
  square,
  squareRoot as rootOf,
  unsigned,
} from '../../src/circuits/index.ts';
export {
  ClearSession,
  EvaluatorSession,
  GarblerSession,
  type Gates,
  type Session,
} from '../../src/garbling/index.ts';
export { GARBLING_MESSAGE } from '../../src/garbling/messages.ts';
export type { UserFactor } from '../../src/lattice/data-user.ts';
export { LATTICE_MESSAGE } from '../../src/lattice/messages.ts';
export { cspLattice, dataUserLattice } from '../../src/lattice/opening.ts';
export type { LatticePlan } from '../../src/lattice/sizes.ts';
export { OT_MESSAGE, receiveBaseKeys } from '../../src/oblivious-transfer/base.ts';
export { drawDelta, setUpReceiver, setUpSender } from '../../src/oblivious-transfer/index.ts';
export { streamsFrom } from '../../src/oblivious-transfer/randomness.ts';
export type { Computation, CspInput } from '../../src/protocol.ts';
export { answerRotated } from '../../src/rotated/csp.ts';
export { askRotated, type UserLattice, type UserProducts } from '../../src/rotated/data-user.ts';
export { refineVectors } from '../../src/rotated/decomposition.ts';
export {
  addMatrices,
  inRing,
  type Matrix,
  multiplySigned,
  squareRoot,
  symmetricMatrix,
  traceOf,
  transpose,
  upperEntries,
  upperOf,
} from '../../src/rotated/matrices.ts';
export { ROTATED_MESSAGE, readRing, writeRing } from '../../src/rotated/messages.ts';
export { haarOrthogonal } from '../../src/rotated/orthogonal.ts';
export { type RotatedParameters, rotatedParameters } from '../../src/rotated/parameters.ts';
export { contrasts } from '../../src/rotated/pencil/contrasts.ts';
export { answerPencil } from '../../src/rotated/pencil/csp.ts';
export { askPencil } from '../../src/rotated/pencil/data-user.ts';
export { lengthsOf, type PencilParameters, pencilParameters } from '../../src/rotated/pencil/parameters.ts';
export { eigenpairsOf, whiten } from '../../src/rotated/pencil/whitening.ts';
export { RandomBits, standardNormal } from '../../src/rotated/random.ts';
export {
  drawNoise,
  drawPencilSecrets,
  drawSecrets,
  drawSketchSecrets,
  type PencilSecrets,
  type RotationSecrets,
} from '../../src/rotated/secrets.ts';
export { answerSketch } from '../../src/rotated/sketch/csp.ts';
export { askSketch } from '../../src/rotated/sketch/data-user.ts';
export { type SketchParameters, sketchParameters } from '../../src/rotated/sketch/parameters.ts';
export { sumsPace } from '../../src/rotated/standard-pace.ts';
export { PROGRAM } from '../../src/rotated.ts';
export { combine, decodeShares } from '../../src/shares.ts';
export { dca, labelled, pencilSetting, runPencil } from '../rotated/pencils.ts';
export { runClear } from '../rotated/run.ts';
export { settingOf, spread } from '../rotated/settings.ts';
export { KS_LIMIT, seededBits, smirnov } from '../rotated/statistics.ts';
export { type Drawer, FAULTS, honest } from '../rotated/views.ts';
export { dealtLattice, dealtTransfers } from './dealers.ts';
export { deviatingSession } from './deviating.ts';
export { deviatingLattice, type Malformed } from './deviating-lattice.ts';
export { type Doubles, times, transposed } from './doubles.ts';
export { recorded, runGarbled } from './garbled-run.ts';
export {
  garblerBits,
  outputBits,
  realView,
  type Shared,
  simulatedView,
  type View,
} from './garbled-simulator.ts';
export { memoryChannelPair } from './memory-channel.ts';
export { receiveRandom, sendRandom } from './random-transfers.ts';
export { toRing } from './to-ring.ts';
export {
  answered,
  answersBefore,
  doubles,
  MadeUpTime,
  type Message,
  messagesOf,
  opened,
  PCA_PRODUCTS,
  pencilProducts,
  SKETCH_PRODUCTS,
  telling,
  unevenness,
  view,
} from './views.ts';
