/** The data user's side of a pencil by the `rotated` protocol: docs/rotated-pencils.md has the steps by the same numbers. */
import type { Decomposition } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import { systemClock } from '../../pace.ts';
import type { CorrelatedProduct } from '../../products/index.ts';
import { type DataUserInput, hangUp } from '../../protocol.ts';
import { contrastPace, standardPace } from '../../standard-pace.ts';
import { holdToPace } from '../hold.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  matrixOf,
  multiplyMatrices,
  multiplySigned,
  transpose,
} from '../matrices.ts';
import { opened, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import { ceilLog2 } from '../parameters.ts';
import type { Correlator } from '../products.ts';
import { matrixShareOfUser, rotatingCorrelations } from '../rotating.ts';
import { scatterShare } from '../shares.ts';
import { truncateUser } from '../truncate.ts';
import { blocksOf, contrasts } from './contrasts.ts';
import { decomposeSignal, findRoot, finishPencil, type Root, refusalOfCounts } from './decomposition.ts';
import { type PencilParameters, pencilParameters } from './parameters.ts';
import { type PencilShares, pencilShares, totalOf } from './shares.ts';

/** As askRotated(), for a pencil. */
export async function askPencil(
  stream: MessageStream,
  products: () => Promise<Correlator>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Decomposition> {
  const parameters = pencilParameters(task, program);
  const { features: d, components, ringBits, openRing, vectorRing } = parameters;
  const own = pencilShares(task, input.shares, ringBits);
  await sendOwners(stream, own.owners, ringBits);
  const correlator = await products();
  const withMean = program.outputs.includes('mean');
  const ownSums = [...own.M.flat(), ...(withMean ? totalOf(own.groups) : [])];
  const theirSums = await readRing(stream, ROTATED_MESSAGE.declared, ownSums.length, ringBits);
  const pace = input.pace ?? { milliseconds: standardPace(d, components, true), clock: systemClock };
  const short = contrastPace(d, own.M.flat().length);
  holdToPace(stream, { ...pace, milliseconds: Math.min(pace.milliseconds, short) });
  const sums = opened(ownSums, theirSums, ringBits);
  const counts = countsOf(parameters, sums);
  const refused = refusalOfCounts(counts, task);

  const safe = refused ? counts.map((labelling) => labelling.map(() => 0n)) : counts;
  const H = safe.map((labelling) => contrasts(labelling, parameters.contrastBits));
  const { matrix, signal } = await shareMatrices(correlator, own, counts, H, parameters);
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, matrix.length, ringBits);
  const ask = async () => {
    holdToPace(stream, pace);
    await input.answer?.noteMatrix();
    const total = findRoot(opened(matrix, theirs, ringBits), counts, refused, task, program, parameters);
    const share = await shareSignal(correlator, signal, total, parameters);
    const Y = await openMatrix(stream, ROTATED_MESSAGE.signal, share, openRing);
    holdToPace(stream, pace);
    const last = decomposeSignal(Y, total, task, parameters);
    const vectors = await rotateBack(correlator, last.directions, total.normalised, parameters);
    return { last, vectors: await openMatrix(stream, ROTATED_MESSAGE.vectors, vectors, vectorRing) };
  };
  const { last, vectors } = await ask().catch(async (error: unknown) => {
    await stream.released(); // an abort is a byte, too, and another connection that is tried
    throw error;
  });
  await hangUp(stream.channel, input);
  const V = withMean ? sums.slice(counts.flat().length) : undefined;
  return finishPencil(last, vectors, { counts, V }, task, program, parameters);
}

/** Numbers of rows by labelling and class. */
function countsOf({ classes }: PencilParameters, sums: readonly bigint[]): bigint[][] {
  let next = 0;
  return classes.map((count) => {
    next += count;
    return sums.slice(next - count, next);
  });
}

/** What the CSP's share and this one add up to. */
async function openMatrix(
  stream: MessageStream,
  type: number,
  share: Matrix,
  ringBits: number,
): Promise<bigint[][]> {
  const columns = share[0]!.length;
  const theirs = await readRing(stream, type, share.length * columns, ringBits);
  return matrixOf(opened(share.flat(), theirs, ringBits), columns);
}

/**
 * Steps 1 and 2: the data user's share of M, upper triangle, and its integer share of X = P·G. Numbers of rows are known here; H is zero where
 * they refuse the result.
 */
async function shareMatrices(
  correlator: Correlator,
  own: PencilShares,
  counts: readonly (readonly bigint[])[],
  H: readonly Matrix[],
  parameters: PencilParameters,
): Promise<{ matrix: bigint[]; signal: Matrix }> {
  const { features: d, shareBits, groups: r, fineRotationBits, group, signal } = parameters;
  const { statistics, scatterOf } =
    own.R.length > 0 ? totalScatter(own, counts, parameters) : summedScatter(own.V, H, parameters);
  const ownGroups = multiplySigned(own.groups, H[0]!);
  const groupsOf = (shares: readonly Matrix[]) =>
    inRing(truncateUser(addMatrices(ownGroups, shares[2]!, group.ring), group.cut), signal.ring);
  const [, , , turned, ...rotating] = await correlator.multiply([
    ...statistics,
    { matrix: inRing(H[0]!, group.ring), rows: d, entryBits: shareBits.V + 1, ringBits: group.ring },
    {
      matrix: { inner: d, columns: r, from: groupsOf },
      rows: d,
      entryBits: fineRotationBits + 1,
      ringBits: signal.ring,
    },
    ...rotatingCorrelations(scatterOf, 4, parameters),
  ]);
  return { matrix: matrixShareOfUser(rotating), signal: truncateUser(turned!, signal.cut) };
}

/** Two products, and this server's share of T from those of them. */
interface Scatter {
  readonly statistics: readonly CorrelatedProduct[];
  readonly scatterOf: (shares: readonly Matrix[]) => Matrix;
}

/** T = Q R − V Vᵀ, as for PCA. */
function totalScatter(
  { R, groups }: PencilShares,
  [counts]: readonly (readonly bigint[])[],
  { features: d, ringBits, shareBits, classes }: PencilParameters,
): Scatter {
  const Q = counts!.reduce((sum, count) => sum + count, 0n);
  const V = totalOf(groups);
  const entryBits = shareBits.V + ceilLog2(classes[0]!) + 1;
  return {
    statistics: [
      { ringBits, matrix: inRing([V], ringBits), rows: d, entryBits },
      { ringBits, matrix: [[BigInt.asUintN(ringBits, Q)]], rows: R.length, entryBits: shareBits.R + 1 },
    ],
    scatterOf: ([mixed, scaled]) =>
      scatterShare(
        scaled!.map(([entry], e) => entry! + Q * R[e]!),
        mixed!,
        V,
        ringBits,
      ),
  };
}

/**
 * MDR: T = V W Vᵀ with W = HHᵀ, V = V_csp + V_user. The CSP's bits of V_csp meet W, which gives shares of Z = V_csp W, and then
 * Z_userᵀ + 2 W V_userᵀ. What that gives, E, and Z_csp make 2 V_csp W Vᵀ with E + Eᵀ: so both find shares of 2 T.
 */
function summedScatter(V: Matrix, H: readonly Matrix[], parameters: PencilParameters): Scatter {
  const { features: d, ringBits, shareBits, wide } = parameters;
  const W = blocksOf(H, wide.ring);
  const mixed = multiplyMatrices(W, transpose(V), wide.ring);
  const twice = addMatrices(mixed, mixed, wide.ring);
  const own = multiplyMatrices(V, twice, wide.ring);
  const short = { rows: d, entryBits: shareBits.V + 1, ringBits: wide.ring };
  return {
    statistics: [
      { ...short, matrix: W },
      {
        ...short,
        matrix: {
          inner: W.length,
          columns: d,
          from: ([Z]) => addMatrices(transpose(Z!), twice, wide.ring),
        },
      },
    ],
    scatterOf: ([, half]) => {
      const doubled = addMatrices(addMatrices(half!, transpose(half!), wide.ring), own, wide.ring);
      return inRing(truncateUser(doubled, wide.cut), ringBits);
    },
  };
}

/** Steps 3 and 4: the data user's share of Y = P₂ F O + N, d × columns, where F = [C₁ X, √ρ′ C₁]. */
async function shareSignal(
  correlator: Correlator,
  signal: Matrix,
  { root, signalColumns }: Root,
  parameters: PencilParameters,
): Promise<Matrix> {
  const { features: d, columns, groups, rotationBits, mixingBits, openRing, white, turned } = parameters;
  const own = multiplySigned(root, signal);
  const whiteOf = ([product]: readonly Matrix[]) => {
    const shares = truncateUser(addMatrices(own, transpose(product!), white.ring), white.cut);
    return inRing(
      shares.map((row, i) => [...row, ...(signalColumns?.[i] ?? [])]),
      turned.ring,
    );
  };
  const shares = await correlator.multiply([
    {
      matrix: inRing(transpose(root), white.ring),
      rows: groups,
      entryBits: parameters.signal.ring - parameters.signal.cut + 2,
      ringBits: white.ring,
    },
    {
      matrix: { inner: d, columns, from: whiteOf },
      rows: d,
      entryBits: rotationBits + 1,
      ringBits: turned.ring,
    },
    ...(columns > 1
      ? [
          {
            matrix: {
              inner: columns,
              columns: d,
              from: ([, product]: readonly Matrix[]) =>
                inRing(transpose(truncateUser(product!, turned.cut)), openRing),
            },
            rows: columns,
            entryBits: mixingBits + 1,
            ringBits: openRing,
          },
        ]
      : []),
  ]);
  return columns > 1 ? transpose(shares[2]!) : shares[1]!;
}

/** Step 6: the data user's share of Pᵀ C̃ᵀ P₂ᵀ A, d × components. */
async function rotateBack(
  correlator: Correlator,
  directions: Matrix,
  normalised: Matrix,
  { features: d, components, rotationBits, back, inner, vectorRing }: PencilParameters,
): Promise<Matrix> {
  const stretchedOf = ([turned, product]: readonly Matrix[]) => {
    const own = multiplySigned(transpose(truncateUser(turned!, back.cut)), normalised);
    return inRing(transpose(truncateUser(addMatrices(own, product!, inner.ring), inner.cut)), vectorRing);
  };
  const turning = { rows: d, entryBits: rotationBits + 1 };
  const [, , last] = await correlator.multiply([
    { ...turning, matrix: inRing(directions, back.ring), ringBits: back.ring },
    {
      matrix: inRing(normalised, inner.ring),
      rows: components,
      entryBits: back.ring - back.cut + 2,
      ringBits: inner.ring,
      waits: true,
    },
    {
      ...turning,
      matrix: { inner: d, columns: components, from: stretchedOf },
      ringBits: vectorRing,
    },
  ]);
  return last!;
}
