/** The language of programs: fixed-point numbers, where their entries lie, sums of products and steps. */
export { Fixed, type Kept, onto, type ProductSum, sum, sumsOfProducts } from './fixed.ts';
export { allLanes, allOfLanes, spread, zeros } from './free.ts';
export {
  augmented,
  belowDiagonal,
  grid,
  Layout,
  type Piece,
  type Source,
  upperByColumns,
  upperByRows,
} from './layouts.ts';
export {
  GATES_PER_STEP,
  gatesPerRounded,
  pieceByPiece,
  piecesOf,
  piecesPerStep,
  someColumns,
  squaredLengths,
  vectorByVector,
} from './steps.ts';
