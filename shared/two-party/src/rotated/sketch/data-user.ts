/** The data user's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the same numbers. */
import type { Decomposition } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import { systemClock } from '../../pace.ts';
import type { CorrelatedProduct } from '../../products/index.ts';
import { type DataUserInput, hangUp } from '../../protocol.ts';
import { centringPace, standardPace } from '../../standard-pace.ts';
import { holdToPace } from '../hold.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  transpose,
  upperProduct,
} from '../matrices.ts';
import { opened, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import type { Correlator } from '../products.ts';
import { matrixShareOfUser, rotatingCorrelations } from '../rotating.ts';
import { upperEntries } from '../secrets.ts';
import { truncateUser } from '../truncate.ts';
import { gramShare, joined, mirrored } from './csp.ts';
import { decomposeWhitened, findRoot, finishSketch, type Root, refusalOfRows } from './decomposition.ts';
import { lifted, liftingCorrelations, offsetOf, unliftedMatrix } from './lifting.ts';
import { type SketchParameters, sketchParameters } from './parameters.ts';
import { piecesOf } from './pieces.ts';
import { centring, doubledCore, sketchShares, type TestMatrix } from './shares.ts';

/** As askRotated(), for a sketch. */
export async function askSketch(
  stream: MessageStream,
  products: () => Promise<Correlator>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Decomposition> {
  const parameters = sketchParameters(task, program);
  const { features: d, columns: l, components, shareRing, ringBits, openRing, vectorRing } = parameters;
  const own = sketchShares(task, input, parameters);
  await sendOwners(stream, own.owners, shareRing);
  const correlator = await products();
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, 1 + d, shareRing);
  const pace = input.pace ?? { milliseconds: standardPace(l, components, true), clock: systemClock };
  holdToPace(stream, { ...pace, milliseconds: Math.min(pace.milliseconds, centringPace(d, l)) });
  const [Q, ...V] = opened([own.Q, ...own.V], declared, shareRing);
  const refused = refusalOfRows(Q!, l, task);
  const mean = centring(refused ? V.map(() => 0n) : V, refused ? 1n : Q!, own.signs, l);
  const Z = own.Y.map((row, i) => row.map((share, a) => BigInt.asIntN(shareRing, share) - mean[i]![a]!));
  // Both servers round down: by a BigInt(parameters.cut > 0) together, on average.
  const kept = truncateUser(Z, parameters.cut).map((row) =>
    row.map((entry) => entry + BigInt(parameters.cut > 0)),
  );

  const { matrix, turned } = await shareMatrices(correlator, { Z, kept, signs: own.signs }, parameters);
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, matrix.length, ringBits);
  const ask = async () => {
    holdToPace(stream, pace);
    await input.answer?.noteMatrix();
    const core = findRoot(opened(matrix, theirs, ringBits), refused, program, parameters);
    const share = await shareWhitened(correlator, turned, core, parameters);
    const answer = await readRing(stream, ROTATED_MESSAGE.signal, share.length, openRing);
    holdToPace(stream, pace);
    const last = decomposeWhitened(opened(share, answer, openRing), core, parameters);
    const vectors = (await rotateBack(correlator, kept, last.directions, core, parameters)).flat();
    const rotatedBack = await readRing(stream, ROTATED_MESSAGE.vectors, vectors.length, vectorRing);
    return { last, vectors: opened(vectors, rotatedBack, vectorRing) };
  };
  const { last, vectors } = await ask().catch(async (error: unknown) => {
    await stream.released(); // an abort is a byte, too, and another connection that is tried
    throw error;
  });
  await hangUp(stream.channel, input);
  return finishSketch(last, vectors, { Q: Q!, V }, task, parameters);
}

/** This server's share of Z, and what is kept of it, d × l; Ω. */
interface Centred {
  readonly Z: Matrix;
  readonly kept: Matrix;
  readonly signs: TestMatrix;
}

/** Steps 1 and 2: the data user's share of M, upper triangle, and its integer share of P·A. */
async function shareMatrices(
  correlator: Correlator,
  { Z, kept, signs }: Centred,
  parameters: SketchParameters,
): Promise<{ matrix: bigint[]; turned: Matrix }> {
  const { columns: l, entryShareBits, gramBits, fineRotationBits, turned } = parameters;
  const lifting = { bits: gramBits, ringBits: turned.ring };
  const across = transpose(kept);
  const offset = offsetOf(gramBits);
  const local = upperProduct(across, across, gramBits).map((entry) => entry + offset);
  const gramOf = ([mixed]: readonly Matrix[]) => gramShare(local, mixed!, gramBits);
  const liftings = liftingCorrelations(local.length, gramOf, lifting);
  const core = inRing(doubledCore(Z, signs), parameters.ringBits);
  const squareOf = (shares: readonly Matrix[]) =>
    unliftedMatrix(
      lifted(gramOf(shares), shares.slice(4, 4 + liftings.length), lifting),
      l,
      (1n << BigInt(gramBits)) + offset,
      turned.ring,
    );
  const products = await correlator.multiply([
    {
      matrix: inRing(kept, gramBits),
      rows: l,
      entryBits: Math.min(entryShareBits + 1, gramBits),
      ringBits: gramBits,
    },
    ...rotatingCorrelations(() => core, 1, { ...parameters, features: l }),
    ...liftings,
    {
      matrix: { inner: l, columns: l, from: squareOf },
      rows: l,
      entryBits: fineRotationBits + 1,
      ringBits: turned.ring,
    },
  ]);
  return {
    matrix: matrixShareOfUser(products.slice(1, 4)),
    turned: truncateUser(products.at(-1)!, turned.cut),
  };
}

/** Steps 3 and 4: the data user's share of M₂ = P₂ F P₂ᵀ + N, upper triangle, where F = C₁ P A Pᵀ C₁ᵀ. */
async function shareWhitened(
  correlator: Correlator,
  turnedShare: Matrix,
  { root }: Root,
  parameters: SketchParameters,
): Promise<bigint[]> {
  const {
    columns: l,
    fineRotationBits,
    rotationBits,
    turned,
    half,
    rotated,
    white,
    mixed,
    openRing,
  } = parameters;
  const ownHalf = multiplySigned(root, turnedShare);
  const rootAcross = transpose(root);
  const halfAcross = ([product]: readonly Matrix[]) =>
    transpose(truncateUser(addMatrices(ownHalf, transpose(product!), half.ring), half.cut));
  const rotatedOf = (shares: readonly Matrix[]) => transpose(truncateUser(shares[1]!, rotated.cut));
  const whiteOf = (shares: readonly Matrix[]) => {
    const own = multiplySigned(rotatedOf(shares), rootAcross);
    return mirrored(truncateUser(addMatrices(own, shares[2]!, white.ring), white.cut));
  };
  const square = { inner: l, columns: l };
  const turning = { rows: l, entryBits: rotationBits + 1 };
  const shares = await correlator.multiply([
    {
      matrix: inRing(rootAcross, half.ring),
      rows: l,
      entryBits: turned.ring - turned.cut + 2,
      ringBits: half.ring,
    },
    {
      matrix: { ...square, from: (before) => inRing(halfAcross(before), rotated.ring) },
      rows: l,
      entryBits: fineRotationBits + 1,
      ringBits: rotated.ring,
    },
    {
      matrix: inRing(rootAcross, white.ring),
      rows: l,
      entryBits: rotated.ring - rotated.cut + 2,
      ringBits: white.ring,
      part: 'upper',
      waits: true,
    },
    {
      ...turning,
      matrix: { ...square, from: (before) => inRing(whiteOf(before), mixed.ring) },
      ringBits: mixed.ring,
    },
    {
      ...turning,
      matrix: {
        ...square,
        from: (before) => inRing(transpose(truncateUser(before[3]!, mixed.cut)), openRing),
      },
      ringBits: openRing,
      part: 'upper',
    },
  ]);
  return upperEntries(l, (i, j) => shares[4]![i]![j]!);
}

/** Step 6: the data user's share of Z' J, J = Pᵀ C̃ᵀ P₂ᵀ A with the flood, d × components. */
async function rotateBack(
  correlator: Correlator,
  kept: Matrix,
  directions: Matrix,
  { normalised }: Root,
  parameters: SketchParameters,
): Promise<Matrix> {
  const {
    features: d,
    columns: l,
    components: k,
    rotationBits,
    back,
    inner,
    coefficients,
    vectorRing,
  } = parameters;
  const stretchedOf = ([turned, product]: readonly Matrix[]) => {
    const own = multiplySigned(transpose(truncateUser(turned!, back.cut)), normalised);
    return inRing(
      transpose(truncateUser(addMatrices(own, product!, inner.ring), inner.cut)),
      coefficients.ring,
    );
  };
  const coefficientsOf = (shares: readonly Matrix[]) =>
    inRing(truncateUser(shares[2]!, coefficients.cut), vectorRing);
  const turning = { rows: l, entryBits: rotationBits + 1 };
  const across = inRing(transpose(kept), vectorRing);
  const shares = await correlator.multiply([
    { ...turning, matrix: inRing(directions, back.ring), ringBits: back.ring },
    {
      matrix: inRing(normalised, inner.ring),
      rows: k,
      entryBits: back.ring - back.cut + 2,
      ringBits: inner.ring,
      waits: true,
    },
    { ...turning, matrix: { inner: l, columns: k, from: stretchedOf }, ringBits: coefficients.ring },
    ...piecesOf(d).map(
      ({ from, size }): CorrelatedProduct => ({
        matrix: across.map((row) => row.slice(from, from + size)),
        rows: k,
        entryBits: vectorRing,
        ringBits: vectorRing,
        ...(from === 0 && { waits: true as const }),
      }),
    ),
    {
      matrix: { inner: l, columns: k, from: coefficientsOf },
      rows: d,
      entryBits: Math.min(parameters.entryShareBits + 1, vectorRing),
      ringBits: vectorRing,
    },
  ]);
  const own = multiplyMatrices(kept, coefficientsOf(shares), vectorRing);
  const mine = transpose(joined(shares.slice(3, -1)));
  return addMatrices(addMatrices(own, mine, vectorRing), shares.at(-1)!, vectorRing);
}
