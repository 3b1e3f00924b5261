/**
 * The steps of `rotated` over shared matrices, by the numbers of docs/rotated.md: T = Q R − V Vᵀ; M = P T Pᵀ + noise + mask, which
 * the data user learns; and the vectors Pᵀ A + flood. Both servers run this text, and sizes are counted from it.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { LatticePlan, ProductSize } from '../lattice/sizes.ts';
import type { End, MatrixSession, Piece } from '../matrices/session.ts';
import { planOf } from '../matrices/sessions.ts';
import { columnOf, inRing, type Matrix, symmetricMatrix, traceOf, transpose, upperOf } from './matrices.ts';
import { ceilLog2, type RotatedParameters, rotatedParameters, VECTOR_GUARD } from './parameters.ts';
import type { RotationSecrets } from './secrets.ts';

/** A whole result is off by less than 2^−44 units, so that it is exact except with a probability of 2^−43. */
const EXACT_BITS = -44;

/** Bits of a ring and of the CSP's entries together that an exact product has room for in the largest modulus. */
const FACTOR_ROOM = 360;

/** Shares of the statistics: R as a column of its upper triangle, V as a column, integers. */
export interface ScatterShares {
  readonly R: Piece;
  readonly V: Piece;
}

type Sizes = Omit<ProductSize, 'stage'>;

/** Step 1: shares of T. The data user knows Q. */
export async function scatter(
  session: MatrixSession,
  { R, V }: ScatterShares,
  Q: () => bigint,
  { features: d, ringBits, shareBits, raise }: RotatedParameters,
): Promise<Piece> {
  const sizes = { ringBits, inner: 1, part: 'whole', errorBits: EXACT_BITS } as const;
  const widest = FACTOR_ROOM - ringBits;
  const ofShares = (column: Piece, rows: number, bits: number) => {
    const digits = Math.ceil((bits + 1) / widest);
    const factorBits = Math.ceil((bits + 1) / digits);
    return {
      size: { ...sizes, rows: digits * rows, factorBits, rowBits: factorBits },
      csp: session.at('csp', () => digitsOf(column.csp!, factorBits, digits)),
      whole: (share: Matrix) => fromDigits(share, factorBits, digits, ringBits),
    };
  };
  const ofV = ofShares(V, d, shareBits.V);
  const ofR = ofShares(R, (d * (d + 1)) / 2, shareBits.R);
  const known = session.at('user', () => inRing([[Q()]], ringBits));
  const rowOfV = session.at('user', () => inRing(transpose(V.user!), ringBits));
  const shares = await session.together(
    { size: { ...ofV.size, columns: d }, csp: ofV.csp, user: rowOfV },
    { size: { ...ofR.size, columns: 1 }, csp: ofR.csp, user: known },
  );
  const mixed = session.each([shares[0]!], ofV.whole);
  const scaled = session.each([shares[1]!], ofR.whole);
  // The data user adds Q times its own share of R, and all of the raise.
  const own = session.at('user', () => {
    const more = symmetricMatrix(
      R.user!.map(([entry]) => Q() * entry!),
      d,
    );
    return more.map((row, i) => row.map((entry, j) => (i === j ? entry + Q() * raise : entry)));
  });
  const none = session.at('csp', () => zeros(d, d));
  return session.each([scaled, mixed, V, { ...none, ...own }], (part, cross, sums, more) => {
    const mirrored = transpose(cross);
    const whole = symmetricMatrix(
      part.map(([entry]) => entry!),
      d,
    );
    return whole.map((row, i) =>
      row.map((entry, j) =>
        BigInt.asUintN(
          ringBits,
          entry + more[i]![j]! - sums[i]![0]! * sums[j]![0]! - cross[i]![j]! - mirrored[i]![j]!,
        ),
      ),
    );
  });
}

/** Step 2: the data user learns the upper triangle of M, row by row, in [0, 2^ringBits). */
async function turn(
  session: MatrixSession,
  T: Piece,
  secrets: () => Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>,
  parameters: RotatedParameters,
): Promise<Piece> {
  const { features: d, ringBits, rotationBits, noiseEntryBits, noiseScale } = parameters;
  const { turnedErrorBits, hiddenBits } = parameters;
  const whole = { ringBits, part: 'whole' } as const;
  const square = { ...whole, rows: d, inner: d, columns: d, factorBits: rotationBits, rowBits: rotationBits };
  const noised: Sizes = {
    ...{ ...whole, rows: (d * (d + 1)) / 2, inner: 1, columns: 1 },
    ...{
      factorBits: noiseEntryBits,
      rowBits: noiseEntryBits,
      errorBits: hiddenBits - 4,
      junkBits: hiddenBits - 4,
    },
  };
  const P = session.at('csp', () => secrets().rotation);
  const noise = session.at('csp', () => columnOf(secrets().noise));
  const [turned, scaledNoise] = await session.together(
    {
      size: { ...square, errorBits: turnedErrorBits - 1, junkBits: turnedErrorBits },
      csp: P,
      user: T,
      plus: T,
    },
    ...(noiseScale === undefined
      ? [
          {
            size: noised,
            csp: noise,
            user: traceAt(session, 'user', T, ringBits),
            plus: traceAt(session, 'csp', T, ringBits),
          },
        ]
      : []),
  );
  const columns = session.each([turned!], transpose);
  const under = session.at('csp', () => {
    const { noise: drawn, mask } = secrets();
    const added = mask.map(
      (entry, e) => entry + drawn[e]! * (noiseScale ?? 0n) + entryOf(scaledNoise?.csp, e),
    );
    return symmetricMatrix(added, d);
  });
  const errors = { errorBits: hiddenBits - 4, junkBits: hiddenBits - 4 };
  const [opened] = await session.together({
    size: { ...square, ...errors, part: 'upper' },
    csp: P,
    user: columns,
    plus: columns,
    opened: { under },
  });
  return session.at('user', () => [
    upperOf(opened!.user!).map((entry, e) => BigInt.asUintN(ringBits, entry + entryOf(scaledNoise?.user, e))),
  ]);
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

/** Cuts integers into digits, the last with the sign: all lowest digits first, one below the other. */
function digitsOf(column: Matrix, bits: number, digits: number): Matrix {
  return Array.from({ length: digits }, (_, t) =>
    column.map(([entry]) => {
      const rest = entry! >> BigInt(bits * t);
      return [t === digits - 1 ? rest : BigInt.asUintN(bits, rest)];
    }),
  ).flat();
}

/** Adds up the products of such digits. */
function fromDigits(share: Matrix, bits: number, digits: number, ringBits: number): Matrix {
  const rows = share.length / digits;
  return share.slice(0, rows).map((row, i) =>
    row.map((_, j) => {
      let sum = 0n;
      for (let t = digits - 1; t >= 0; t -= 1) sum = (sum << BigInt(bits)) + share[t * rows + i]![j]!;
      return BigInt.asUintN(ringBits, sum);
    }),
  );
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
