/** Sums across lanes. */
import type { Gates } from '../garbling/gates.ts';
import { add } from './add.ts';
import { multiply, type Part, square } from './multiply.ts';
import { concatLanes, lanesOf, type Num, resize, shiftRight, sliceLanes } from './number.ts';

/**
 * Adds up lanes: with `groups` results, result g is the sum of the lanes g, g + groups, g + 2 groups and so
 * on. Exact, a bit longer per doubling of the lanes.
 */
export function sumLanes(gates: Gates, a: Num, groups = 1): Num {
  const lanes = lanesOf(a);
  if (lanes === 0 || lanes % groups !== 0) {
    throw new RangeError(`"a" expected a positive multiple of ${groups} lanes, got ${lanes}`);
  }
  return gates.scope(() => {
    let sum = a;
    for (let items = lanes / groups; items > 1; items = Math.ceil(items / 2)) {
      const half = Math.floor(items / 2) * groups;
      const added = add(gates, sliceLanes(gates, sum, 0, half), sliceLanes(gates, sum, half, 2 * half));
      // With an odd number of items, one is left over.
      sum =
        items % 2 === 0 ? added : concatLanes(gates, [added, sliceLanes(gates, sum, 2 * half, lanesOf(sum))]);
    }
    return sum;
  });
}

/** Dot products of vectors that lie across lanes as in `sumLanes`. Only the sum is truncated. */
export function dot(
  gates: Gates,
  a: Num,
  b: Num,
  { groups = 1, shift = 0, bits }: Part & { readonly groups?: number } = {},
): Num {
  return gates.scope(() => {
    const products = a === b ? square(gates, a) : multiply(gates, a, b);
    const sum = shiftRight(sumLanes(gates, products, groups), shift);
    return resize(sum, bits ?? sum.length);
  });
}
