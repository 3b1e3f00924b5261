/**
 * Step 1 of a sketch with a floor: both servers' shares of (S̄ + E + c·I)Ω, E being their noise on R and c the raise. The data user knows sums of rows with noise alone, V', and of
 * them p, whole numbers near to the mean. About p, which is not quite the mean, the scatter is S̄ + (V − Qp)(V − Qp)ᵀ/Q: R − pVᵀ − Vpᵀ + Qppᵀ, in which V, that is exact, stays
 * shared. So C's part of it meets p in two products.
 */
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import { columnOf, inRing, type Matrix, transpose } from '../matrices.ts';
import type { SketchParameters } from './parameters.ts';
import { joined, piecesOf } from './products.ts';
import { columnSums, type SketchShares, type TestMatrix } from './shares.ts';

type Own = Pick<SketchShares, 'Y' | 'V'> & { readonly signs: TestMatrix };
type Sizes = Pick<SketchParameters, 'features' | 'columns' | 'centringRing' | 'centringBits' | 'raise'>;

/** The CSP's products: bits of VᵀΩ with p, piece by piece, and bits of V with pᵀΩ. */
export function centringChoices({ V, signs }: Own, sizes: Sizes): ChosenProduct[] {
  const { features: d, columns: l, centringRing: ringBits } = sizes;
  const choices = (values: readonly bigint[], entryBits: number) => ({
    matrix: columnOf(values.map((value) => BigInt.asIntN(ringBits, value))),
    ...{ entryBits, ringBits },
  });
  const sums = choices(columnSums(V, signs, l), sizes.centringBits.sums);
  return [
    ...piecesOf(d).map(({ size }) => ({ ...sums, columns: size })),
    { ...choices(V, sizes.centringBits.V), columns: l },
  ];
}

/** The data user's ends of the same products. @param p in units of V */
export function centringCorrelations(
  p: readonly bigint[],
  { signs }: Pick<Own, 'signs'>,
  { features: d, columns: l, centringRing: ringBits, centringBits }: Sizes,
): CorrelatedProduct[] {
  const negative = (values: readonly bigint[]) => inRing([values.map((value) => -value)], ringBits);
  return [
    ...piecesOf(d).map(({ from, size }) => ({
      matrix: negative(p.slice(from, from + size)),
      ...{ rows: l, entryBits: centringBits.sums, ringBits },
    })),
    { matrix: negative(columnSums(p, signs, l)), rows: d, entryBits: centringBits.V, ringBits },
  ];
}

/** The CSP's share: not negative, d × l. */
export function centredShareOfCsp({ Y }: Own, products: readonly Matrix[], sizes: Sizes): bigint[][] {
  const mixed = mixedShare(products);
  return Array.from(Y, (row, i) =>
    row.map((share, a) => BigInt.asUintN(sizes.centringRing, share + mixed(i, a))),
  );
}

/** The data user's: negative, so that both add up to the number itself unless that wraps, as truncation takes it. */
export function centredShareOfUser(
  { Y, V, signs }: Own,
  { Q, p }: { readonly Q: bigint; readonly p: readonly bigint[] },
  products: readonly Matrix[],
  { columns: l, centringRing, raise }: Sizes,
): bigint[][] {
  const mixed = mixedShare(products);
  const ofSums = columnSums(V, signs, l);
  const ofMean = columnSums(p, signs, l);
  const whole = 1n << BigInt(centringRing);
  return Array.from(Y, (row, i) =>
    row.map((share, a) => {
      const local = (Q * p[i]! - V[i]!) * ofMean[a]! - p[i]! * ofSums[a]! + raise * BigInt(signs[i * l + a]!);
      return BigInt.asUintN(centringRing, share + local + mixed(i, a)) - whole;
    }),
  );
}

function mixedShare(products: readonly Matrix[]): (i: number, a: number) => bigint {
  const ofMean = transpose(joined(products.slice(0, -1)));
  const ofSums = products.at(-1)!;
  return (i, a) => ofMean[i]![a]! + ofSums[i]![a]!;
}
