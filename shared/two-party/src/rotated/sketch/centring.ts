/**
 * Step 1 of a sketch with a floor: both servers' shares of (S̄ + E + c·I)Ω, E being their noise on R and c the raise. The data user knows sums of rows with noise alone, V', and of
 * them p, whole numbers near to the mean. About p, which is not quite the mean, the scatter is S̄ + (V − Qp)(V − Qp)ᵀ/Q: R − pVᵀ − Vpᵀ + Qppᵀ, in which V, that is exact, stays
 * shared. So C's part of it meets p in two products.
 */
import type { MatrixSession, Piece, Product } from '../../matrices/session.ts';
import { columnOf, type Matrix, transpose } from '../matrices.ts';
import { exactProduct } from '../turning.ts';
import type { SketchParameters } from './parameters.ts';
import type { SketchShares } from './shares.ts';
import { columnSums, type TestMatrix } from './test-matrix.ts';

type Own = Pick<SketchShares, 'Y' | 'V'> & { readonly signs: TestMatrix };
type Sizes = Pick<SketchParameters, 'features' | 'columns' | 'centringRing' | 'centringBits' | 'raise'>;

/** An end's factors: the CSP's share of V, and the data user's p, in units of V. */
export interface Centring {
  readonly csp?: Pick<Own, 'V' | 'signs'>;
  readonly user?: { readonly p: readonly bigint[]; readonly signs: TestMatrix };
}

/** C's VᵀΩ with p, and V with pᵀΩ; and the shares of both that follow. */
export function centringProducts(
  session: MatrixSession,
  { csp, user }: Centring,
  { features: d, columns: l, centringRing: ringBits, centringBits }: Sizes,
): {
  readonly products: readonly Product[];
  readonly mixedOf: (shares: readonly Piece[]) => readonly Piece[];
} {
  const short = (values: () => readonly bigint[]) =>
    session.at('csp', () => columnOf(values().map((value) => BigInt.asIntN(ringBits, value))));
  const negative = (values: () => readonly bigint[]) =>
    session.at('user', () => [values().map((value) => -value)]);
  const ofSums = exactProduct(
    session,
    short(() => columnSums(csp!.V, csp!.signs, l)),
    negative(() => user!.p),
    { rows: l, inner: 1, columns: d, bits: centringBits.sums, ringBits },
  );
  const ofV = exactProduct(
    session,
    short(() => csp!.V),
    negative(() => columnSums(user!.p, user!.signs, l)),
    { rows: d, inner: 1, columns: l, bits: centringBits.V, ringBits },
  );
  const count = ofSums.products.length;
  return {
    products: [...ofSums.products, ...ofV.products],
    mixedOf: (shares) => [ofSums.whole(shares.slice(0, count)), ofV.whole(shares.slice(count))],
  };
}

/** The CSP's share: not negative, d × l. */
export function centredShareOfCsp(
  { Y }: Pick<Own, 'Y'>,
  products: readonly Piece[],
  sizes: Pick<Sizes, 'centringRing'>,
): bigint[][] {
  const mixed = mixedShare(products.map(({ csp }) => csp!));
  return Array.from(Y, (row, i) =>
    row.map((share, a) => BigInt.asUintN(sizes.centringRing, share + mixed(i, a))),
  );
}

/** The data user's: negative, so that both add up to the number itself unless that wraps, as truncation takes it. */
export function centredShareOfUser(
  { Y, V, signs }: Own,
  { Q, p }: { readonly Q: bigint; readonly p: readonly bigint[] },
  products: readonly Piece[],
  { columns: l, centringRing, raise }: Sizes,
): bigint[][] {
  const mixed = mixedShare(products.map(({ user }) => user!));
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

function mixedShare([mean, ofSums]: readonly Matrix[]): (i: number, a: number) => bigint {
  const ofMean = transpose(mean!);
  return (i, a) => ofMean[i]![a]! + ofSums![i]![a]!;
}
