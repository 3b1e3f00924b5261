/**
 * The steps of `rotated` over shared matrices, by the numbers of docs/rotated.md: T = Q R − V Vᵀ; M = P T Pᵀ + noise + mask, which
 * the data user learns; and the vectors Pᵀ A + flood. Both servers run this text.
 */
import type { ProductSize } from '../lattice/sizes.ts';
import type { MatrixSession, Piece } from '../matrices/session.ts';
import {
  addMatrices,
  columnOf,
  type Matrix,
  multiplyMatrices,
  symmetricMatrix,
  traceOf,
  transpose,
  upperOf,
} from './matrices.ts';
import { ceilLog2, MASK_GUARD, type RotatedParameters } from './parameters.ts';
import type { RotationSecrets } from './secrets.ts';

/** A whole result is off by less than 2^−44 units, so that it is exact except with a probability of 2^−43. */
const EXACT_BITS = -44;

/** The bits of a unit that the product P T may be off by: see ProductSize. */
const TURNED_ERROR = { errorBits: 6, junkBits: 7 } as const;

/**
 * Returns the bits of what an entry of M may be off by, and of the mask that hides it, which is wider by 2^43 for each entry: the
 * discrete noise is off by the bound on the trace, and P T, off by less than 2^8 units, meets P once more.
 */
export function turnedBits({ features: d, ringBits, rotationBits }: RotatedParameters) {
  const traceBits = ringBits - 2 * rotationBits - 2;
  const turned = Math.ceil(rotationBits + Math.log2(d) / 2) + TURNED_ERROR.junkBits + 1;
  const hiddenBits = Math.max(traceBits, turned) + 1;
  return { hiddenBits, maskBits: hiddenBits + ceilLog2((d * (d + 1)) / 2) + MASK_GUARD };
}

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
  const sizes = { ringBits, part: 'whole', errorBits: EXACT_BITS, proven: true } as const;
  const ofShares = (bits: number) => ({ ...sizes, factorBits: bits + 1, rowBits: bits + 1 });
  const inRing = (value: bigint) => BigInt.asUintN(ringBits, value);
  const known = session.at('user', () => [[inRing(Q())]]);
  const rowOfV = session.at('user', () => [V.user!.map(([entry]) => inRing(entry!))]);
  const [mixed, scaled] = await session.together(
    { size: { ...ofShares(shareBits.V), rows: d, inner: 1, columns: d }, csp: V, user: rowOfV },
    {
      size: { ...ofShares(shareBits.R), rows: (d * (d + 1)) / 2, inner: 1, columns: 1 },
      csp: R,
      user: known,
    },
  );
  // The data user adds Q times its own share of R, and all of the raise.
  const own = session.at('user', () => {
    const more = symmetricMatrix(
      R.user!.map(([entry]) => Q() * entry!),
      d,
    );
    return more.map((row, i) => row.map((entry, j) => (i === j ? entry + Q() * raise : entry)));
  });
  const none = session.at('csp', () => zeros(d, d));
  return session.each([scaled!, mixed!, V, { ...none, ...own }], (part, cross, sums, more) => {
    const mirrored = transpose(cross);
    const whole = symmetricMatrix(
      part.map(([entry]) => entry!),
      d,
    );
    return whole.map((row, i) =>
      row.map((entry, j) =>
        inRing(entry + more[i]![j]! - sums[i]![0]! * sums[j]![0]! - cross[i]![j]! - mirrored[i]![j]!),
      ),
    );
  });
}

/** Step 2: the data user learns the upper triangle of M, row by row, in [0, 2^ringBits). */
export async function turn(
  session: MatrixSession,
  T: Piece,
  secrets: () => Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>,
  parameters: RotatedParameters,
): Promise<Piece> {
  const { features: d, ringBits, rotationBits, noiseEntryBits, noiseScale } = parameters;
  const { hiddenBits } = turnedBits(parameters);
  const whole = { ringBits, part: 'whole', proven: true } as const;
  const square = { ...whole, rows: d, inner: d, columns: d, factorBits: rotationBits, rowBits: rotationBits };
  const noised: Sizes = {
    ...{ ...whole, rows: (d * (d + 1)) / 2, inner: 1, columns: 1 },
    ...{ factorBits: noiseEntryBits, rowBits: noiseEntryBits, errorBits: hiddenBits - 3, proven: false },
  };
  const P = session.at('csp', () => secrets().rotation);
  const noise = session.at('csp', () => columnOf(secrets().noise));
  const traceScale = noiseScale === undefined;
  const [turned, scaledNoise] = await session.together(
    { size: { ...square, ...TURNED_ERROR }, csp: P, user: T },
    ...(traceScale
      ? [
          {
            size: noised,
            csp: noise,
            user: session.at('user', () => [[BigInt.asUintN(ringBits, traceOf(T.user!))]]),
          },
        ]
      : []),
  );
  const rows = session.at('csp', () =>
    addMatrices(turned!.csp!, multiplyMatrices(P.csp!, T.csp!, ringBits), ringBits),
  );
  const under = session.at('csp', () => {
    const { noise: drawn, mask } = secrets();
    const scale = noiseScale ?? traceOf(T.csp!);
    const added = drawn.map((entry, e) => entry * scale + mask[e]! + entryOf(scaledNoise?.csp, e));
    return addMatrices(
      multiplyMatrices(P.csp!, transpose(rows.csp!), ringBits),
      symmetricMatrix(added, d),
      ringBits,
    );
  });
  const errors = { errorBits: hiddenBits - 3, junkBits: hiddenBits - 3 };
  const [opened] = await session.together({
    size: { ...square, ...errors, part: 'upper' },
    csp: P,
    user: session.at('user', () => transpose(turned!.user!)),
    opened: { under },
  });
  return session.at('user', () => [
    upperOf(opened!.user!).map((entry, e) => BigInt.asUintN(ringBits, entry + entryOf(scaledNoise?.user, e))),
  ]);
}

/** Step 4: the data user learns Pᵀ A + flood, d × components, in [0, 2^vectorRingBits). */
export async function turnBack(
  session: MatrixSession,
  directions: () => Matrix,
  secrets: () => Pick<RotationSecrets, 'rotation' | 'flood'>,
  components: number,
  { features: d, rotationBits, vectorRingBits: ringBits, floodBits }: RotatedParameters,
): Promise<Piece> {
  const errors = { errorBits: floodBits - 48, junkBits: floodBits - 47 };
  const [opened] = await session.together({
    size: {
      ...{ rows: d, inner: d, columns: components, part: 'whole', ringBits, proven: true },
      ...{ factorBits: rotationBits, rowBits: rotationBits, ...errors },
    },
    csp: session.at('csp', () => transpose(secrets().rotation)),
    user: session.at('user', () =>
      directions().map((row) => row.map((entry) => BigInt.asUintN(ringBits, entry))),
    ),
    opened: { under: session.at('csp', () => secrets().flood) },
  });
  return opened!;
}

function zeros(rows: number, columns: number): Matrix {
  return Array.from({ length: rows }, () => new Array<bigint>(columns).fill(0n));
}

/** An entry of a column, and 0 where there is none. */
function entryOf(column: Matrix | undefined, e: number): bigint {
  return column === undefined ? 0n : column[e]![0]!;
}
