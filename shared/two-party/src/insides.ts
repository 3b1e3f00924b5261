/**
 * The inside of the package, for private workspaces and tests alone: the parts of the protocols, and dealers,
 * seeds and simulators in their place. Nothing that is shipped may import it; the linter ensures that.
 */
export { ClearSession } from './garbling/index.ts';
export { GARBLING_MESSAGE } from './garbling/messages.ts';
export { clearProducts, clearProductsBothWays } from './insides/clear-products.ts';
export { dealtTransfers } from './insides/dealt-transfers.ts';
export { type Lie, multiplyLying } from './insides/deviating-correlator.ts';
export { deviatingSession } from './insides/deviating-receiver.ts';
export { type Run, recorded, runGarbled } from './insides/garbled-run.ts';
export {
  garblerBits,
  outputBits,
  realView,
  type Shared,
  simulatedView,
  type View,
} from './insides/garbled-simulator.ts';
export { MadeUpTime } from './insides/made-up-time.ts';
export { type Message, messagesOf } from './insides/messages-of.ts';
export { answered, opened, view } from './insides/rotated-view.ts';
export { telling, unevenness } from './insides/view-statistics.ts';
export { receiveBaseKeys } from './oblivious-transfer/base.ts';
export { drawDelta } from './oblivious-transfer/index.ts';
export { OT_MESSAGE } from './oblivious-transfer/message-types.ts';
export type { RandomSource } from './oblivious-transfer/randomness.ts';
export {
  type CorrelatedProduct,
  multiplyChosen,
  multiplyEachChosen,
  multiplyEachCorrelated,
} from './products/index.ts';
export { checkSize, DIGIT_BITS } from './products/layout.ts';
export { PRODUCT_MESSAGE } from './products/messages.ts';
export { answerRotated } from './rotated/csp.ts';
export { standardNormal } from './rotated/gaussian.ts';
export { squareRoot } from './rotated/integers.ts';
export {
  inRing,
  type Matrix,
  multiplySigned,
  symmetricMatrix,
  traceOf,
  transpose,
  upperEntries,
} from './rotated/matrices.ts';
export { readRing, writeRing } from './rotated/messages.ts';
export { haarOrthogonal } from './rotated/orthogonal.ts';
export { type RotatedParameters, rotatedParameters } from './rotated/parameters.ts';
export { contrasts } from './rotated/pencil/contrasts.ts';
export { answerPencil } from './rotated/pencil/csp.ts';
export { askPencil } from './rotated/pencil/data-user.ts';
export { type PencilParameters, pencilParameters } from './rotated/pencil/parameters.ts';
export { drawPencilSecrets, type PencilSecrets } from './rotated/pencil/secrets.ts';
export type { Correlator } from './rotated/products.ts';
export { RandomBits } from './rotated/random-bits.ts';
export { refineVectors } from './rotated/refine.ts';
export { matrixShareOfUser } from './rotated/rotating.ts';
export { drawNoise, drawSecrets, type RotationSecrets } from './rotated/secrets.ts';
export { answerSketch } from './rotated/sketch/csp.ts';
export { askSketch } from './rotated/sketch/data-user.ts';
export { type SketchParameters, sketchParameters } from './rotated/sketch/parameters.ts';
export { drawSketchSecrets } from './rotated/sketch/secrets.ts';
export { decodeShares } from './shares.ts';
