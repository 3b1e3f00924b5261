/** The data user's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the same numbers. */
import type { Decomposition } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { CorrelatedProduct } from '../../products/index.ts';
import type { DataUserInput } from '../../protocol.ts';
import { centringPace, standardPace } from '../../standard-pace.ts';
import { holdToPace, paceOf, shortened, toTheEnd } from '../hold.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  mirrored,
  multiplyMatrices,
  multiplySigned,
  transpose,
  upperOf,
  upperProduct,
} from '../matrices.ts';
import { opened, openMatrix, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import type { Correlator } from '../products.ts';
import { returningCorrelations } from '../returning.ts';
import { matrixShareOfUser, rotatingCorrelations } from '../rotating.ts';
import { bitsLeft, truncateUser } from '../truncate.ts';
import { decomposeWhitened, findRoot, finishSketch, type Root, refusalOfRows } from './decomposition.ts';
import { lifted, liftingCorrelations, offsetOf, unliftedMatrix } from './lifting.ts';
import { returningSizes, type SketchParameters, sketchParameters } from './parameters.ts';
import { joined, piecesOf } from './pieces.ts';
import {
  centring,
  doubledCore,
  gramShare,
  type SketchShares,
  sketchShares,
  type TestMatrix,
} from './shares.ts';

/** As askRotated(), for a sketch. */
export async function askSketch(
  stream: MessageStream,
  products: () => Promise<Correlator>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Decomposition> {
  const parameters = sketchParameters(task, program);
  const { features: d, columns: l, components, shareRing, ringBits, openRing } = parameters;
  const own = sketchShares(task, input, parameters);
  await sendOwners(stream, own.owners, shareRing);
  const correlator = await products();
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, 1 + d, shareRing);
  const pace = paceOf(input, standardPace(l, components, true));
  holdToPace(stream, shortened(pace, centringPace(d, l)));
  const [Q, ...V] = opened([own.Q, ...own.V], declared, shareRing);
  const refused = refusalOfRows(Q!, l, task);
  const { core: ownCore, kept } = centre(own, { Q: Q!, V }, refused !== undefined, parameters);

  const { matrix, turned } = await shareMatrices(correlator, ownCore, kept, parameters);
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, matrix.length, ringBits);
  const { last, vectors } = await toTheEnd(stream, input, async () => {
    holdToPace(stream, pace);
    await input.answer?.noteMatrix();
    const M = opened(matrix, theirs, ringBits);
    const core = findRoot(M, refused, program, parameters);
    const share = await shareWhitened(correlator, turned, core, parameters);
    const answer = await readRing(stream, ROTATED_MESSAGE.signal, share.length, openRing);
    holdToPace(stream, pace);
    const M2 = opened(share, answer, openRing);
    const last = decomposeWhitened(M2, core, parameters);
    const vectors = await rotateBack(stream, correlator, kept, last.directions, core, parameters);
    return { last, vectors: vectors.flat() };
  });
  return finishSketch(last, vectors, { Q: Q!, V }, task, parameters);
}

/** This server's shares of twice the core, l × l, and of Z', what is kept of Z, d × l. Z itself is not needed after that. */
interface Centred {
  readonly core: Matrix;
  readonly kept: Matrix;
}

/** Step 1: V(VᵀΩ)/Q off this server's share of Y, and low bits dropped; nothing is taken off where the number of rows refuses the result. */
function centre(
  { Y, signs }: SketchShares & { readonly signs: TestMatrix },
  { Q, V }: { readonly Q: bigint; readonly V: readonly bigint[] },
  isRefused: boolean,
  parameters: SketchParameters,
): Centred {
  const { columns: l, shareRing, cut, ringBits } = parameters;
  const meanOf = centring(isRefused ? V.map(() => 0n) : V, isRefused ? 1n : Q, signs, l);
  const Z = Y.map((row, i) => {
    const mean = meanOf(i);
    return row.map((share, a) => BigInt.asIntN(shareRing, share) - mean[a]!);
  });
  // Both servers round down: by a BigInt(cut > 0) together, on average.
  const kept = truncateUser(Z, parameters).map((row) => row.map((entry) => entry + BigInt(cut > 0)));
  return { core: inRing(doubledCore(Z, signs), ringBits), kept };
}

/** Step 2: the data user's share of M, upper triangle, and its integer share of P·A. */
async function shareMatrices(
  correlator: Correlator,
  core: Matrix,
  kept: Matrix,
  parameters: SketchParameters,
): Promise<{ matrix: bigint[]; turned: Matrix }> {
  const { columns: l, entryShareBits, gramBits, fineRotationBits, turned } = parameters;
  const lifting = { bits: gramBits, ringBits: turned.ring };
  const across = transpose(kept);
  const offset = offsetOf(gramBits);
  const local = upperProduct(across, across, gramBits).map((entry) => entry + offset);
  const gramOf = ([mixed]: readonly Matrix[]) => gramShare(local, mixed!, gramBits);
  const liftings = liftingCorrelations(local.length, gramOf, lifting);
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
    turned: truncateUser(products.at(-1)!, turned),
  };
}

/** Step 4: the data user's share of M₂ = P₂ F P₂ᵀ + N, upper triangle, where F = C₁ P A Pᵀ C₁ᵀ. */
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
    transpose(truncateUser(addMatrices(ownHalf, transpose(product!), half.ring), half));
  const rotatedOf = (shares: readonly Matrix[]) => transpose(truncateUser(shares[1]!, rotated));
  const whiteOf = (shares: readonly Matrix[]) => {
    const own = multiplySigned(rotatedOf(shares), rootAcross);
    return mirrored(truncateUser(addMatrices(own, shares[2]!, white.ring), white));
  };
  const square = { inner: l, columns: l };
  const turning = { rows: l, entryBits: rotationBits + 1 };
  const shares = await correlator.multiply([
    {
      matrix: inRing(rootAcross, half.ring),
      rows: l,
      entryBits: bitsLeft(turned),
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
      entryBits: bitsLeft(rotated),
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
        from: (before) => inRing(transpose(truncateUser(before[3]!, mixed)), openRing),
      },
      ringBits: openRing,
      part: 'upper',
    },
  ]);
  return upperOf(shares[4]!);
}

/** Step 6: Z' J, J = Pᵀ C̃ᵀ P₂ᵀ A with the flood, d × components signed integers. */
async function rotateBack(
  stream: MessageStream,
  correlator: Correlator,
  kept: Matrix,
  directions: Matrix,
  { normalised }: Root,
  parameters: SketchParameters,
): Promise<bigint[][]> {
  const { features: d, columns: l, components: k, entryShareBits, coefficients, vectorRing } = parameters;
  const coefficientsOf = (shares: readonly Matrix[]) =>
    inRing(truncateUser(shares[2]!, coefficients), vectorRing);
  const across = inRing(transpose(kept), vectorRing);
  const shares = await correlator.multiply([
    ...returningCorrelations(directions, normalised, returningSizes(parameters)),
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
      entryBits: Math.min(entryShareBits + 1, vectorRing),
      ringBits: vectorRing,
    },
  ]);
  const own = multiplyMatrices(kept, coefficientsOf(shares), vectorRing);
  const mine = transpose(joined(shares.slice(3, -1)));
  const share = addMatrices(addMatrices(own, mine, vectorRing), shares.at(-1)!, vectorRing);
  return openMatrix(stream, ROTATED_MESSAGE.vectors, share, vectorRing);
}
