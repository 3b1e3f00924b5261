/** The data user's side of a pencil by the `rotated` protocol: docs/rotated-pencils.md has the steps by the same numbers. */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { DataUserInput } from '../../protocol.ts';
import { holdToPace, paceOf, partOf, toTheEnd } from '../hold.ts';
import {
  addMatrices,
  bitsLeft,
  inRing,
  type Matrix,
  multiplySigned,
  transpose,
  truncateUser,
} from '../matrices.ts';
import { opened, openMatrix, openVectors, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import { type PencilShares, pencilShares, totalOf } from '../shares.ts';
import { contrastPace, pencilPace, rootPace } from '../standard-pace.ts';
import {
  type Correlator,
  matrixShareOfUser,
  returningCorrelations,
  rotatingCorrelations,
  scatterCorrelations,
  scatterShareOfUser,
} from '../steps.ts';
import { blocksOf, contrasts, squaresOf, withinWeights } from './contrasts.ts';
import {
  decomposeSignal,
  findRoot,
  finishPencil,
  type Root,
  refusalOfCounts,
  rehearsePencil,
} from './decomposition.ts';
import { type PencilParameters, pencilParameters, returningSizes, totalSizes } from './parameters.ts';
import { flooredCorrelations, summedCorrelations } from './sums.ts';

/** As askRotated(), for a pencil. */
export async function askPencil(
  stream: MessageStream,
  products: () => Promise<Correlator>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = pencilParameters(task, program);
  const { features: d, components, ringBits, openRing } = parameters;
  const own = pencilShares(task, input.shares, ringBits);
  await sendOwners(stream, own.owners, ringBits);
  await stream.depart();
  rehearsePencil(parameters); // while the CSP draws its secrets
  const correlator = await products();
  const withMean = program.outputs.includes('mean');
  const ownSums = [...own.M.flat(), ...(withMean ? totalOf(own.groups) : [])];
  const theirSums = await readRing(stream, ROTATED_MESSAGE.declared, ownSums.length, ringBits);
  const whole = pencilPace(d, components, true);
  const pace = paceOf(input, whole);
  holdToPace(stream, partOf(pace, contrastPace(d, own.M.flat().length), whole));
  const sums = opened(ownSums, theirSums, ringBits);
  const counts = countsOf(parameters, sums);
  const refused = refusalOfCounts(counts, task);

  const safe = refused ? counts.map((labelling) => labelling.map(() => 0n)) : counts;
  const H = safe.map((labelling) => contrasts(labelling, parameters.contrastBits));
  const { matrix, signal } = await shareMatrices(correlator, own, counts, H, parameters);
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, matrix.length, ringBits);
  const { last, vectors } = await toTheEnd(stream, input, async () => {
    holdToPace(stream, partOf(pace, rootPace(d), whole));
    await input.answer?.noteMatrix();
    const M = opened(matrix, theirs, ringBits);
    const total = findRoot(M, counts, refused, task, program, parameters);
    const share = await shareSignal(correlator, signal, total, parameters);
    const Y = await openMatrix(stream, ROTATED_MESSAGE.signal, share, openRing);
    holdToPace(stream, partOf(pace, pencilPace(d, components, false), whole));
    const last = decomposeSignal(Y, total, task, parameters);
    const vectors = await rotateBack(stream, correlator, last.directions, total.normalised, parameters);
    return { last, vectors };
  });
  const V = withMean ? sums.slice(counts.flat().length) : undefined;
  return finishPencil(last, vectors, { counts, V }, program, parameters);
}

/** Numbers of rows by labelling and class. */
function countsOf({ classes }: PencilParameters, sums: readonly bigint[]): bigint[][] {
  let next = 0;
  return classes.map((count) => {
    next += count;
    return sums.slice(next - count, next);
  });
}

/**
 * Step 2: the data user's share of M, upper triangle, and its integer share of X = P·G. Numbers of rows are known here; H is zero where they
 * refuse the result.
 */
async function shareMatrices(
  correlator: Correlator,
  own: PencilShares,
  counts: readonly (readonly bigint[])[],
  H: readonly Matrix[],
  parameters: PencilParameters,
): Promise<{ matrix: bigint[]; signal: Matrix }> {
  const { features: d, shareBits, groups: r, fineRotationBits, group, signal } = parameters;
  const scatter = scatterOf(own, counts, H, parameters);
  const place = scatter.products.length;
  const ownGroups = multiplySigned(own.groups, H[0]!);
  const groupsOf = (shares: readonly Matrix[]) =>
    inRing(truncateUser(addMatrices(ownGroups, shares[place]!, group.ring), group), signal.ring);
  const shares = await correlator.multiply([
    ...scatter.products,
    {
      matrix: inRing(H[0]!, group.ring),
      rows: d,
      entryBits: shareBits.sums + 1,
      ringBits: group.ring,
    },
    {
      matrix: { inner: d, columns: r, from: groupsOf },
      rows: d,
      entryBits: fineRotationBits + 1,
      ringBits: signal.ring,
    },
    ...rotatingCorrelations(scatter.share, place + 2, parameters),
  ]);
  const [turned, ...rotating] = shares.slice(place + 1);
  return { matrix: matrixShareOfUser(rotating), signal: truncateUser(turned!, signal) };
}

/** The products for T, and the share of T that follows from theirs. */
function scatterOf(
  own: PencilShares,
  counts: readonly (readonly bigint[])[],
  H: readonly Matrix[],
  parameters: PencilParameters,
) {
  const Q = counts[0]!.reduce((sum, count) => sum + count, 0n);
  const { R, V, groups } = own;
  if (R.length > 0 && !parameters.truncates) {
    const total = { R, V: totalOf(groups) };
    const sizes = totalSizes(parameters);
    return {
      products: scatterCorrelations(total, Q, sizes),
      share: (shares: readonly Matrix[]) => scatterShareOfUser(total, Q, shares, sizes),
    };
  }
  const bits = 2 * parameters.contrastBits;
  const finer = 2 * (parameters.sumFractionBits - parameters.fractionBits);
  const between = squaresOf(H).map((block) => block.map((row) => row.map((entry) => entry >> BigInt(finer))));
  return R.length === 0
    ? summedCorrelations(V, blocksOf(between), parameters)
    : flooredCorrelations(own, Q, blocksOf([withinWeights(counts[0]!, bits), ...between]), parameters);
}

/** Step 4: the data user's share of Y = P₂ F O + N, d × columns, where F = [C₁ X, √ρ′ C₁]. */
async function shareSignal(
  correlator: Correlator,
  signal: Matrix,
  { root, signalColumns }: Root,
  parameters: PencilParameters,
): Promise<Matrix> {
  const { features: d, columns, groups, rotationBits, mixingBits, openRing, white, turned } = parameters;
  const own = multiplySigned(root, signal);
  const whiteOf = ([product]: readonly Matrix[]) => {
    const shares = truncateUser(addMatrices(own, transpose(product!), white.ring), white);
    return inRing(
      shares.map((row, i) => [...row, ...(signalColumns?.[i] ?? [])]),
      turned.ring,
    );
  };
  const shares = await correlator.multiply([
    {
      matrix: inRing(transpose(root), white.ring),
      rows: groups,
      entryBits: bitsLeft(parameters.signal),
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
                inRing(transpose(truncateUser(product!, turned)), openRing),
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

/** Step 6: Pᵀ C̃ᵀ P₂ᵀ A with the flood and in units of it, d × components. */
async function rotateBack(
  stream: MessageStream,
  correlator: Correlator,
  directions: Matrix,
  normalised: Matrix,
  parameters: PencilParameters,
): Promise<bigint[][]> {
  const sizes = returningSizes(parameters);
  const shares = await correlator.multiply(returningCorrelations(directions, normalised, sizes));
  return openVectors(stream, shares.at(-1)!, sizes);
}
