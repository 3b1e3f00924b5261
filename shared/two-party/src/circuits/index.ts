/** Circuits over vectors of integers, for any gate context. */
export { absolute, add, addModulo, negate, negateIf, subtract, subtractModulo } from './add.ts';
export {
  all,
  equal,
  isZero,
  lessThan,
  mask,
  maximum,
  minimum,
  select,
  shiftLeftBy,
  shiftLeftChecked,
  shiftRightBy,
} from './compare.ts';
export { divide, divideUnsigned } from './divide.ts';
export { inverseSquareRoot, ROOT_FRACTION } from './inverse-root.ts';
export { dot, sumLanes } from './lanes.ts';
export { multiply, type Part, square } from './multiply.ts';
export { type Normalised, normalise, occupied, shiftedUp } from './normalise.ts';
export {
  bitsOf,
  concatLanes,
  constantNumber,
  gatherLanes,
  lanesOf,
  type Num,
  numberFrom,
  resize,
  shiftLeft,
  shiftRight,
  sign,
  sliceLanes,
  unsigned,
  valuesOf,
} from './number.ts';
export { reciprocalSquareRoot, squareRoot } from './root.ts';
export { type RoundedPart, sumOfProducts } from './rounded.ts';
export { gatesPerProduct, multiplyTruncated, subtractProduct } from './truncated.ts';
