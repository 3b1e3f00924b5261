/** Sums of products that are found at once: a program writes the formula of each. */
import { concatLanes, type Num, sliceLanes, sumOfProducts } from '../circuits/index.ts';
import { Fixed, type Kept } from './fixed.ts';
import { expectFraction } from './free.ts';
import { zeros } from './numbers.ts';

type Pair = readonly [Fixed, Fixed];

/** A sum over the pairs, in lanes of its own. */
export interface ProductSum {
  readonly of: readonly [Pair, ...Pair[]];
  readonly plus?: Fixed;
}

/** Σ a b */
export const sum = (...of: ProductSum['of']): ProductSum => ({ of });

/** plus + Σ a b */
export const onto = (plus: Fixed, ...of: ProductSum['of']): ProductSum => ({ of, plus });

/**
 * Several rounded sums of products at once (`sumOfProducts`, whose batches they share), each in as many lanes as its factors have. All factors of one side have one
 * fraction and length.
 * @throws RangeError where a product or a summand has another fraction
 */
export function sumsOfProducts(sums: readonly ProductSum[], { fraction, bits }: Kept): Fixed[] {
  const [a, b] = sums[0]!.of[0];
  const { gates } = a;
  const exact = a.fraction + b.fraction;
  for (const { of, plus } of sums) {
    for (const [x, y] of of) expectFraction({ fraction: x.fraction + y.fraction }, exact);
    if (plus) expectFraction(plus, fraction);
  }
  const lanes = sums.map(({ of }) => of[0][0].lanes);
  const joined = (numbers: readonly (Fixed | undefined)[]): Num =>
    concatLanes(
      gates,
      numbers.map((number, i) => number?.number ?? zeros(gates, 1, lanes[i]!)),
    );
  const pairs = Array.from({ length: Math.max(...sums.map(({ of }) => of.length)) }, (_, k) => {
    const factor = (side: 0 | 1): Num => joined(sums.map(({ of }) => of[k]?.[side]));
    return [factor(0), factor(1)] as const;
  });
  const some = sums.some(({ plus }) => plus !== undefined);
  const all = sumOfProducts(gates, pairs, {
    ...{ shift: exact - fraction, bits },
    ...(some && { plus: joined(sums.map(({ plus }) => plus)) }),
  });
  let from = 0;
  return lanes.map((count) => {
    from += count;
    return new Fixed(gates, sliceLanes(gates, all, from - count, from), fraction);
  });
}
