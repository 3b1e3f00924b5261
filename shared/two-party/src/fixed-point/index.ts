/** The language of programs: fixed-point numbers, where their entries lie, sums of products and steps. */
export { Fixed, type Kept } from './fixed.ts';
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
export { allLanes, allOfLanes, spread, zeros } from './numbers.ts';
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
export { onto, type ProductSum, sum, sumsOfProducts } from './sums.ts';
