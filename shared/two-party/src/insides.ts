/**
 * The inside of the package, for private workspaces and tests alone: the parts of the protocols, and dealers,
 * seeds and simulators in their place. Nothing that is shipped may import it; the linter ensures that.
 */
export { ClearSession } from './garbling/index.ts';
export { GARBLING_MESSAGE } from './garbling/messages.ts';
export { clearProducts, clearProductsBothWays, dealtTransfers } from './insides/dealers.ts';
export { deviatingSession, type Lie, multiplyLying } from './insides/deviating.ts';
export { type Run, recorded, runGarbled } from './insides/garbled-run.ts';
export {
  garblerBits,
  outputBits,
  realView,
  type Shared,
  simulatedView,
  type View,
} from './insides/garbled-simulator.ts';
export {
  answered,
  MadeUpTime,
  type Message,
  messagesOf,
  opened,
  telling,
  unevenness,
  view,
} from './insides/views.ts';
export { OT_MESSAGE, receiveBaseKeys } from './oblivious-transfer/base.ts';
export { drawDelta } from './oblivious-transfer/index.ts';
export type { RandomSource } from './oblivious-transfer/randomness.ts';
export {
  type CorrelatedProduct,
  multiplyChosen,
  multiplyEachChosen,
  multiplyEachCorrelated,
} from './products/index.ts';
export { checkSize, DIGIT_BITS, PRODUCT_MESSAGE } from './products/layout.ts';
export { answerRotated } from './rotated/csp.ts';
export { refineVectors } from './rotated/decomposition.ts';
export {
  inRing,
  type Matrix,
  multiplySigned,
  squareRoot,
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
export { RandomBits, standardNormal } from './rotated/random.ts';
export {
  drawNoise,
  drawPencilSecrets,
  drawSecrets,
  drawSketchSecrets,
  type PencilSecrets,
  type RotationSecrets,
} from './rotated/secrets.ts';
export { answerSketch } from './rotated/sketch/csp.ts';
export { askSketch } from './rotated/sketch/data-user.ts';
export { type SketchParameters, sketchParameters } from './rotated/sketch/parameters.ts';
export { type Correlator, matrixShareOfUser } from './rotated/steps.ts';
export { decodeShares } from './shares.ts';
