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
export { divide, divideUnsigned, reciprocalSquareRoot, squareRoot } from './divide-and-root.ts';
export { inverseSquareRoot, ROOT_FRACTION } from './inverse-root.ts';
export {
  dot,
  gatesPerProduct,
  multiply,
  multiplyTruncated,
  type Part,
  square,
  subtractProduct,
  sumLanes,
} from './multiply.ts';
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
export { type RoundedPart, sumOfProducts } from './rounded.ts';
