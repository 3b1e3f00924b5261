/**
 * The steps of a PCA by `rotated` over shared matrices, by the numbers of docs/spec/rotated.md: T = Q R − V Vᵀ; M = P T Pᵀ + noise + mask, which
 * the data user learns; and the vectors Pᵀ A + flood. Pencils and sketches have some of its products, too. Both servers run this text,
 * and sizes are counted from it.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { LatticePlan, ProductSize } from '../lattice/sizes.ts';
import type { End, MatrixSession, Piece, Product } from '../matrices/session.ts';
import { planOf } from '../matrices/sessions.ts';
import { columnOf, inRing, type Matrix, symmetricMatrix, traceOf, transpose, upperOf } from './matrices.ts';
import {
  ceilLog2,
  type RotatedParameters,
  rotatedParameters,
  type ScatterSizes,
  type TurnedSizes,
  VECTOR_GUARD,
} from './parameters.ts';
import type { RotationSecrets } from './secrets.ts';

/** A whole result is off by less than 2^−36 units, so that it is exact except with a probability of 2^−35. */
const EXACT_BITS = -36;

/** Bits of a ring, of the CSP's entries and of what a product may be off by, as a fraction of a unit, that the largest modulus has room for. */
const FACTOR_ROOM = 402;

/** Shares of the statistics: R as a column of its upper triangle, V as a column, integers. */
export interface ScatterShares {
  readonly R: Piece;
  readonly V: Piece;
}

/** A product of short integers of the CSP that is exact, in digits where they are longer than a modulus has room for. */
export interface ExactProduct {
  /** One for each digit, the lowest first. */
  readonly products: readonly Product[];
  /** Puts their results together. */
  readonly whole: (shares: readonly Piece[]) => Piece;
}

/**
 * A digit's product is weighed by what stands below it. So all digits but the lowest are exact, in rings that are shorter by that.
 * @param bits of the CSP's entries in magnitude, of which its own share as unblinding left it has no more
 * @param errorBits of the lowest digit's product
 */
export function exactProduct(
  session: MatrixSession,
  short: Piece,
  user: Piece,
  {
    bits,
    ringBits,
    errorBits = EXACT_BITS,
    ...sides
  }: { readonly bits: number; readonly errorBits?: number } & Pick<
    ProductSize,
    'rows' | 'inner' | 'columns' | 'ringBits'
  >,
): ExactProduct {
  const norm = Math.ceil(Math.log2(sides.inner) / 2);
  const digits = Math.ceil((bits + 1) / (FACTOR_ROOM + errorBits - norm - ringBits));
  const factorBits = Math.ceil((bits + 1) / digits);
  const isExact = errorBits === EXACT_BITS;
  const products = Array.from({ length: digits }, (_, t): Product => {
    const ring = ringBits - factorBits * t;
    return {
      size: {
        ...{ ...sides, part: 'whole', ringBits: ring, factorBits, rowBits: factorBits + norm },
        ...(t === 0 && !isExact ? { errorBits, junkBits: errorBits } : { errorBits: EXACT_BITS }),
      },
      csp: session.at('csp', () => digitOf(short.csp!, factorBits, t, digits)),
      user: session.at('user', () => inRing(user.user!, ring)),
    };
  });
  const whole = (shares: readonly Piece[]) =>
    session.each(shares, (...own) => fromDigits(own, factorBits, ringBits));
  return { products, whole };
}

/** Step 1: shares of T. The data user knows Q. */
export async function scatter(
  session: MatrixSession,
  shares: ScatterShares,
  Q: () => bigint,
  parameters: ScatterSizes,
): Promise<Piece> {
  const { products, shareOf } = scatterProducts(session, shares, Q, parameters);
  return shareOf(await session.together(...products));
}

/** The products of step 1, and the shares of T that follow from theirs. */
export function scatterProducts(
  session: MatrixSession,
  { R, V }: ScatterShares,
  Q: () => bigint,
  { features: d, ringBits, shareBits, raise }: ScatterSizes,
): { readonly products: readonly Product[]; readonly shareOf: (shares: readonly Piece[]) => Piece } {
  const rowOfV = session.at('user', () => inRing(transpose(V.user!), ringBits));
  const sizes = { ringBits, inner: 1 };
  const ofV = exactProduct(session, V, rowOfV, { ...sizes, bits: shareBits.V, rows: d, columns: d });
  const ofR = scaledProduct(session, R, Q, { features: d, ringBits, shareBits });
  const shareOf = (shares: readonly Piece[]) => {
    const count = ofV.products.length;
    const scaled = ofR.shareOf(shares.slice(count));
    const raised = session.at('user', () => diagonal(d, Q() * raise));
    const none = session.at('csp', () => zeros(d, d));
    return session.each(
      [scaled, ofV.whole(shares.slice(0, count)), V, { ...none, ...raised }],
      (whole, cross, sums, more) => {
        const mirrored = transpose(cross);
        return whole.map((row, i) =>
          row.map((entry, j) =>
            BigInt.asUintN(
              ringBits,
              entry + more[i]![j]! - sums[i]![0]! * sums[j]![0]! - cross[i]![j]! - mirrored[i]![j]!,
            ),
          ),
        );
      },
    );
  };
  return { products: [...ofV.products, ...ofR.products], shareOf };
}

/** The products of C's share of R with Q, and the shares of Q·R that follow from it. */
export function scaledProduct(
  session: MatrixSession,
  R: Piece,
  Q: () => bigint,
  { features: d, ringBits, shareBits }: Omit<ScatterSizes, 'raise'>,
  errorBits = EXACT_BITS,
): { readonly products: readonly Product[]; readonly shareOf: (shares: readonly Piece[]) => Piece } {
  const known = session.at('user', () => [[Q()]]);
  const sides = { rows: (d * (d + 1)) / 2, inner: 1, columns: 1 };
  const ofR = exactProduct(session, R, known, { ...sides, bits: shareBits.R, ringBits, errorBits });
  // The data user adds Q times its own share of R, which it computes before it sends anything: products with 0 are faster.
  const own = session.at('user', () => R.user!.map(([entry]) => [Q() * entry!]));
  const none = session.at('csp', () => zeros(sides.rows, 1));
  const shareOf = (shares: readonly Piece[]) =>
    session.each([ofR.whole(shares), { ...none, ...own }], (part, more) =>
      symmetricMatrix(
        part.map(([entry], e) => entry! + more[e]![0]!),
        d,
      ),
    );
  return { products: ofR.products, shareOf };
}

/**
 * Returns the product of an orthogonal matrix of the CSP's with a shared matrix.
 * @param size has the fraction bits of its entries as `factorBits`: a row of length 1 is no longer than that
 */
export function turnedProduct(
  session: MatrixSession,
  orthogonal: () => Matrix,
  shared: Piece,
  size: Omit<Product['size'], 'inner' | 'rowBits'>,
): Product {
  return {
    size: { ...size, inner: size.rows, rowBits: size.factorBits },
    ...{ csp: session.at('csp', orthogonal), user: shared, plus: shared },
  };
}

type TurningSecrets = Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>;

/** The products of step 2 whose results stay shared: P T, and the noise times tr(T) where that is secret. */
export function turnedProducts(
  session: MatrixSession,
  T: Piece,
  secrets: () => TurningSecrets,
  {
    features: d,
    ringBits,
    rotationBits,
    noiseEntryBits,
    noiseScale,
    turnedErrorBits,
    hiddenBits,
  }: TurnedSizes,
): Product[] {
  const whole = { ringBits, part: 'whole' } as const;
  const turned = turnedProduct(session, () => secrets().rotation, T, {
    ...{ ...whole, rows: d, columns: d, factorBits: rotationBits },
    ...{ errorBits: turnedErrorBits - 1, junkBits: turnedErrorBits },
  });
  if (noiseScale !== undefined) return [turned];
  const noised: Product['size'] = {
    ...{ ...whole, rows: (d * (d + 1)) / 2, inner: 1, columns: 1 },
    ...{
      factorBits: noiseEntryBits,
      rowBits: noiseEntryBits,
      errorBits: hiddenBits - 4,
      junkBits: hiddenBits - 4,
    },
  };
  const noise = {
    size: noised,
    csp: session.at('csp', () => columnOf(secrets().noise)),
    user: traceAt(session, 'user', T, ringBits),
    plus: traceAt(session, 'csp', T, ringBits),
  };
  return [turned, noise];
}

/** The product that opens M, from the results of turnedProducts(); the data user then has what `matrixOf` makes of it. */
export function openingProduct(
  session: MatrixSession,
  [turned, scaledNoise]: readonly Piece[],
  secrets: () => TurningSecrets,
  { features: d, ringBits, rotationBits, noiseScale, hiddenBits }: TurnedSizes,
): { readonly product: Product; readonly matrixOf: (opened: Piece) => Piece } {
  const columns = session.each([turned!], transpose);
  const under = session.at('csp', () => {
    const { noise: drawn, mask } = secrets();
    const added = mask.map(
      (entry, e) => entry + drawn[e]! * (noiseScale ?? 0n) + entryOf(scaledNoise?.csp, e),
    );
    return symmetricMatrix(added, d);
  });
  const product: Product = {
    ...turnedProduct(session, () => secrets().rotation, columns, {
      ...{ rows: d, columns: d, part: 'upper', ringBits, factorBits: rotationBits },
      ...{ errorBits: hiddenBits - 4, junkBits: hiddenBits - 4 },
    }),
    opened: { under },
  };
  const matrixOf = (opened: Piece) =>
    session.at('user', () => [
      upperOf(opened.user!).map((entry, e) =>
        BigInt.asUintN(ringBits, entry + entryOf(scaledNoise?.user, e)),
      ),
    ]);
  return { product, matrixOf };
}

/** Step 2: the data user learns the upper triangle of M, row by row, in [0, 2^ringBits). */
async function turn(
  session: MatrixSession,
  T: Piece,
  secrets: () => TurningSecrets,
  parameters: TurnedSizes,
): Promise<Piece> {
  const turned = await session.together(...turnedProducts(session, T, secrets, parameters));
  const { product, matrixOf } = openingProduct(session, turned, secrets, parameters);
  const [opened] = await session.together(product);
  return matrixOf(opened!);
}

/** Step 4: the data user learns Pᵀ A + flood, d × components, in [0, 2^vectorRingBits). */
async function turnBack(
  session: MatrixSession,
  directions: Piece,
  secrets: () => Pick<RotationSecrets, 'rotation' | 'flood'>,
  components: number,
  { features: d, rotationBits, vectorRingBits: ringBits, floodBits }: RotatedParameters,
): Promise<Piece> {
  const errorBits = floodBits - VECTOR_GUARD - 1 - Math.ceil(ceilLog2(d * components) / 2);
  const [opened] = await session.together({
    size: {
      ...{ rows: d, inner: d, columns: components, part: 'whole', ringBits },
      ...{ factorBits: rotationBits, rowBits: rotationBits, errorBits, junkBits: errorBits },
    },
    csp: session.at('csp', () => transpose(secrets().rotation)),
    user: session.at('user', () => inRing(directions.user!, ringBits)),
    opened: { under: session.at('csp', () => secrets().flood) },
  });
  return opened!;
}

/** The part that an end has in steps 2 to 4. */
export interface Turning {
  /** Shares of T. */
  readonly T: Piece;
  readonly secrets: () => RotationSecrets;
  /** Makes of M the directions that the data user asks for, in units of 2^−directionBits, d × components. */
  readonly decompose: (M: Piece) => Promise<Piece>;
}

/** Steps 2 to 4: the data user learns M, and of the directions that it finds in it what turnBack() gives. */
export async function turnedVectors(
  session: MatrixSession,
  { T, secrets, decompose }: Turning,
  components: number,
  parameters: RotatedParameters,
): Promise<Piece> {
  const M = await turn(session, T, secrets, parameters);
  return await turnBack(session, await decompose(M), secrets, components, parameters);
}

/**
 * Returns the sizes of all products of a PCA, of a correlation matrix of those that follow the circuit.
 * @throws ERR_TASK_RANGE, as rotatedParameters() and latticePlan()
 */
export async function turningPlan(task: StatisticsTask, { components }: Program): Promise<LatticePlan> {
  const parameters = rotatedParameters(task);
  return await planOf(async (session) => {
    const T = parameters.standardised ? {} : await scatter(session, { R: {}, V: {} }, unknown, parameters);
    await turnedVectors(
      session,
      { T, secrets: unknown, decompose: async () => ({}) },
      components,
      parameters,
    );
  });
}

/** Stands for what an end does not have. */
export function unknown(): never {
  throw new TypeError('a session expected only what its end knows');
}

/** Digit t of integers; the last has the sign. */
function digitOf(matrix: Matrix, bits: number, t: number, digits: number): Matrix {
  return matrix.map((row) =>
    row.map((entry) => {
      const rest = entry >> BigInt(bits * t);
      return t === digits - 1 ? rest : BigInt.asUintN(bits, rest);
    }),
  );
}

/** Adds up the products of such digits. */
function fromDigits(shares: readonly Matrix[], bits: number, ringBits: number): Matrix {
  return shares[0]!.map((row, i) =>
    row.map((_, j) => {
      const sum = shares.reduceRight((more, share) => (more << BigInt(bits)) + share[i]![j]!, 0n);
      return BigInt.asUintN(ringBits, sum);
    }),
  );
}

function diagonal(d: number, entry: bigint): Matrix {
  return zeros(d, d).map((row, i) => row.map((zero, j) => (i === j ? entry : zero)));
}

function zeros(rows: number, columns: number): Matrix {
  return Array.from({ length: rows }, () => new Array<bigint>(columns).fill(0n));
}

/** A server's share of the trace, as a matrix. */
function traceAt(session: MatrixSession, end: End, T: Piece, ringBits: number): Piece {
  return session.at(end, () => [[BigInt.asUintN(ringBits, traceOf(T[end]!))]]);
}

/** An entry of a column, and 0 where there is none. */
function entryOf(column: Matrix | undefined, e: number): bigint {
  return column === undefined ? 0n : column[e]![0]!;
}
