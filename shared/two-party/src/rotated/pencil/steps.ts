/**
 * The steps of a pencil over shared matrices, by the numbers of docs/spec/rotated-pencils.md: T and G = V·H; M = P T Pᵀ + noise + mask, which
 * the data user learns, and X = P·G; Y = P₂ C₁ X O + noise, which it learns; and the vectors Pᵀ C̃ᵀ P₂ᵀ A + flood. Both servers run this
 * text, and sizes are counted from it.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { LatticePlan, ProductSize } from '../../lattice/sizes.ts';
import type { MatrixSession, Piece } from '../../matrices/session.ts';
import { planOf } from '../../matrices/sessions.ts';
import { addMatrices, inRing, type Matrix, multiplySigned, transpose } from '../matrices.ts';
import { stretchedBack } from '../returning.ts';
import type { PencilSecrets } from '../secrets.ts';
import { factorOf, truncated, truncatedSizes } from '../truncation.ts';
import { openingProduct, turnedProduct, turnedProducts, unknown } from '../turning.ts';
import { type PencilParameters, pencilParameters, returningSizes } from './parameters.ts';
import { type Known, type PencilPieces, type TotalAndGroups, totalAndGroups } from './sums.ts';

/** The data user's matrices that follow from M. */
export interface RootPieces {
  /** C₁, and C̃, its multiple of norm 1. */
  readonly root: Piece;
  readonly normalised: Piece;
  /** √ρ′ C₁ in units of 2^−whiteBits, where ρ′ > 0. */
  readonly signalColumns: Piece;
}

/** The part that an end has in a pencil. */
export interface Turning {
  readonly shares: PencilPieces;
  readonly known: Known;
  readonly secrets: () => PencilSecrets;
  /** M, upper triangle, in [0, 2^ringBits). */
  readonly findRoot: (M: Piece) => Promise<RootPieces>;
  /** Makes of Y, d × columns in [0, 2^openRing), the directions A in units of 2^−directionBits. */
  readonly decompose: (Y: Piece) => Promise<Piece>;
}

/** The data user learns Pᵀ C̃ᵀ P₂ᵀ A + flood, d × components, in [0, 2^vectorRing). */
export async function pencilVectors(
  session: MatrixSession,
  { shares, known, secrets, findRoot, decompose }: Turning,
  parameters: PencilParameters,
): Promise<Piece> {
  const sums = await totalAndGroups(session, shares, known, parameters);
  const { M, X } = await openTotal(session, sums, secrets, parameters);
  const found = await findRoot(M);
  const Y = await openSignal(session, X, found, secrets, parameters);
  const directions = await decompose(Y);
  const turn = () => secrets().turn;
  const sizes = returningSizes(parameters);
  const { normalised } = found;
  const stretched = await stretchedBack(session, { turn, directions, normalised }, sizes);
  return await openVectors(session, stretched, secrets, parameters);
}

/** Step 2, its second part: M, which is opened, and integer shares of X. */
async function openTotal(
  session: MatrixSession,
  { T, G }: TotalAndGroups,
  secrets: () => PencilSecrets,
  parameters: PencilParameters,
): Promise<{ readonly M: Piece; readonly X: Piece }> {
  const { features: d, groups: r, fineRotationBits: bits, signal } = parameters;
  const columns = session.each([G], (own) => inRing(own, signal.ring));
  const [turnedGroups, ...turned] = await session.together(
    turnedProduct(session, () => secrets().fineRotation, columns, {
      ...{ rows: d, columns: r, part: 'whole', factorBits: bits, ...truncatedSizes(signal) },
    }),
    ...turnedProducts(session, T, secrets, parameters),
  );
  const { product, matrixOf } = openingProduct(session, turned, secrets, parameters);
  const [opened] = await session.together(product);
  return { M: matrixOf(opened!), X: truncated(session, turnedGroups!, signal) };
}

/** Step 4: Y, d × columns. */
async function openSignal(
  session: MatrixSession,
  X: Piece,
  { root, signalColumns }: RootPieces,
  secrets: () => PencilSecrets,
  parameters: PencilParameters,
): Promise<Piece> {
  const { features: d, groups: r, columns: n, rotationBits, mixingBits } = parameters;
  const { signal, white, turned, openRing, signalErrorBits } = parameters;
  // Before anything is sent: products with a C₁ of 0, where a result is refused, are faster.
  const own = session.at('user', () => multiplySigned(root.user!, X.user!));
  const [product] = await session.together({
    size: {
      ...{ rows: r, inner: d, columns: d, part: 'whole', ...truncatedSizes(white) },
      ...factorOf(signal, d),
    },
    csp: session.at('csp', () => transpose(X.csp!)),
    user: session.at('user', () => inRing(transpose(root.user!), white.ring)),
  });
  const columns = session.each([product!], transpose);
  const whole = {
    ...columns,
    ...session.at('user', () => addMatrices(own.user!, columns.user!, white.ring)),
  };
  const zeros = session.at('csp', () => new Array<Matrix[number]>(d).fill(new Array<bigint>(n - r).fill(0n)));
  const F = session.each([truncated(session, whole, white), { ...zeros, ...signalColumns }], (left, right) =>
    inRing(
      left.map((row, i) => [...row, ...right[i]!]),
      turned.ring,
    ),
  );
  const turning = (sizes: Pick<ProductSize, 'ringBits' | 'errorBits' | 'junkBits'>) =>
    turnedProduct(session, () => secrets().turn, F, {
      ...{ rows: d, columns: n, part: 'whole', factorBits: rotationBits, ...sizes },
    });
  const opened = { ringBits: openRing, errorBits: signalErrorBits, junkBits: signalErrorBits };
  const noise = session.at('csp', () => secrets().signalNoise);
  if (n === 1) {
    const [Y] = await session.together({ ...turning(opened), opened: { under: noise } });
    return Y!;
  }
  const [once] = await session.together(turning(truncatedSizes(turned)));
  const half = session.each([truncated(session, once!, turned)], (integers) =>
    inRing(transpose(integers), openRing),
  );
  const [Y] = await session.together({
    ...turnedProduct(session, () => transpose(secrets().mixing!), half, {
      ...{ rows: n, columns: d, part: 'whole', factorBits: mixingBits, ...opened },
    }),
    opened: { under: session.at('csp', () => transpose(noise.csp!)) },
  });
  return session.at('user', () => transpose(Y!.user!));
}

/** Step 6, its last part: Pᵀ meets what came back, under a flood. */
async function openVectors(
  session: MatrixSession,
  stretched: Piece,
  secrets: () => PencilSecrets,
  { features: d, components, rotationBits, vectorRing, vectorErrorBits }: PencilParameters,
): Promise<Piece> {
  const columns = session.each([stretched], (integers) => inRing(integers, vectorRing));
  const [opened] = await session.together({
    ...turnedProduct(session, () => transpose(secrets().rotation), columns, {
      ...{ rows: d, columns: components, part: 'whole', ringBits: vectorRing, factorBits: rotationBits },
      ...{ errorBits: vectorErrorBits, junkBits: vectorErrorBits },
    }),
    opened: { under: session.at('csp', () => secrets().flood) },
  });
  return opened!;
}

/**
 * Returns the sizes of all products of a pencil.
 * @throws ERR_TASK_RANGE, as pencilParameters() and latticePlan()
 */
export async function pencilPlan(task: StatisticsTask, program: Program): Promise<LatticePlan> {
  const parameters = pencilParameters(task, program);
  const nothing = { root: {}, normalised: {}, signalColumns: {} };
  return await planOf((session) =>
    pencilVectors(
      session,
      {
        ...{ shares: { R: {}, V: {} }, known: NOT_KNOWN, secrets: unknown },
        ...{ findRoot: async () => nothing, decompose: async () => ({}) },
      },
      parameters,
    ),
  );
}

/** Stands for them at an end that does not know the numbers of rows. */
export const NOT_KNOWN: Known = { Q: unknown, contrasts: unknown };
