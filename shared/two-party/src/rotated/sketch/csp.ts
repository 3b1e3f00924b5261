/** The CSP's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the same numbers. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { ChosenProduct } from '../../products/index.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from '../closing.ts';
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
import { declare, ROTATED_MESSAGE, sendRing } from '../messages.ts';
import type { Chooser } from '../products.ts';
import { returnedShareOfCsp, returningChoices } from '../returning.ts';
import { matrixShareOfCsp, rotatingChoices } from '../rotating.ts';
import { fixed } from '../secrets.ts';
import { bitsLeft, truncateCsp } from '../truncate.ts';
import { lifted, liftingChoices, unliftedMatrix } from './lifting.ts';
import { returningSizes, type SketchParameters, sketchParameters } from './parameters.ts';
import { joined, piecesOf } from './pieces.ts';
import type { SketchSecrets } from './secrets.ts';
import { doubledCore, gramShare, type SketchShares, sketchShares, type TestMatrix } from './shares.ts';

/** As answerRotated(), for a sketch. */
export async function answerSketch(
  stream: MessageStream,
  products: () => Promise<Chooser>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: SketchParameters) => SketchSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = sketchParameters(task, program);
    const { shareRing, ringBits, openRing } = parameters;
    const secrets = fixed(stream, draw(parameters)); // while the data user prepares its base transfers
    const own = sketchShares(task, input, parameters);
    await openOwners(stream, own.owners, shareRing, input, program);

    const chooser = await products();
    await declare(stream, [own.Q, ...own.V], shareRing);
    const kept = keptOf(own, parameters);
    const { matrix, turned } = await shareMatrices(chooser, own, kept, secrets, parameters);
    await sendMarkedMatrix(stream, mark, matrix, ringBits);

    const whitened = await shareWhitened(chooser, turned, secrets, parameters);
    await sendRing(stream, ROTATED_MESSAGE.signal, whitened, openRing);

    await rotateBack(stream, chooser, kept, secrets, parameters);
  });
}

/** Z' as unblinding left it: not negative, d × l. */
function keptOf({ Y }: SketchShares, { cut }: SketchParameters): bigint[][] {
  return Y.map((row) => row.map((share) => share >> BigInt(cut)));
}

/** Step 2: the CSP's share of M, upper triangle, and its integer share of P·A. */
async function shareMatrices(
  chooser: Chooser,
  { Y, signs }: SketchShares & { readonly signs: TestMatrix },
  kept: Matrix,
  secrets: SketchSecrets,
  parameters: SketchParameters,
): Promise<{ matrix: bigint[]; turned: Matrix }> {
  const { columns: l, gramBits, fineRotationBits, turned } = parameters;
  const across = transpose(kept);
  const lifting = { bits: gramBits, ringBits: turned.ring };
  const local = upperProduct(across, across, gramBits);
  const gramOf = ([mixed]: readonly Matrix[]) => gramShare(local, mixed!, gramBits);
  const rotating = { ...parameters, features: l };
  const products = await chooser.multiply([
    { ...keptChoices(across, parameters, gramBits), columns: l },
    ...rotatingChoices(secrets, rotating),
    ...liftingChoices(local.length, gramOf, lifting),
    {
      matrix: secrets.fineRotation,
      entryBits: fineRotationBits + 1,
      columns: l,
      ringBits: turned.ring,
    },
  ]);
  const upper = lifted(gramOf(products), products.slice(4, -1), lifting);
  const A = unliftedMatrix(upper, l, 0n, turned.ring);
  const core = inRing(doubledCore(Y, signs), parameters.ringBits);
  const turnedShare = addMatrices(multiplySigned(secrets.fineRotation, A), products.at(-1)!, turned.ring);
  return {
    matrix: matrixShareOfCsp(core, products.slice(1, 4), secrets, rotating),
    turned: truncateCsp(turnedShare, turned),
  };
}

/** The choices of a product with Z': short integers, or as long as the ring. */
function keptChoices(matrix: Matrix, { entryShareBits }: SketchParameters, ringBits: number) {
  if (entryShareBits < ringBits) return { matrix, entryBits: entryShareBits + 1, ringBits };
  return { matrix: inSignedRing(matrix, ringBits), entryBits: ringBits, ringBits };
}

function inSignedRing(matrix: Matrix, ringBits: number): bigint[][] {
  return matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));
}

/** Step 4: the CSP's share of M₂ = P₂ F P₂ᵀ + N, upper triangle. */
async function shareWhitened(
  chooser: Chooser,
  share: Matrix,
  { fineRotation, turn, turnNoise }: SketchSecrets,
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
  const halfOf = ([product]: readonly Matrix[]) => truncateCsp(transpose(product!), half);
  const rotatedOf = (before: readonly Matrix[]) => {
    const own = multiplySigned(fineRotation, transpose(halfOf(before)));
    return transpose(truncateCsp(addMatrices(own, before[1]!, rotated.ring), rotated));
  };
  const turning = { matrix: turn, entryBits: rotationBits + 1, columns: l };
  const before = await chooser.multiply([
    { matrix: transpose(share), entryBits: bitsLeft(turned), columns: l, ringBits: half.ring },
    { matrix: fineRotation, entryBits: fineRotationBits + 1, columns: l, ringBits: rotated.ring },
    {
      matrix: { rows: l, inner: l, from: rotatedOf },
      entryBits: bitsLeft(rotated),
      columns: l,
      ringBits: white.ring,
      part: 'upper',
    },
    { ...turning, ringBits: mixed.ring },
    { ...turning, ringBits: openRing, part: 'upper' },
  ]);
  const F = mirrored(truncateCsp(before[2]!, white));
  const mixedShare = truncateCsp(addMatrices(multiplySigned(turn, F), before[3]!, mixed.ring), mixed);
  const local = upperProduct(turn, mixedShare, openRing);
  return upperOf(before[4]!).map((entry, e) => BigInt.asUintN(openRing, entry + local[e]! + turnNoise[e]!));
}

/** Step 6: the CSP's share of Z' J, J = Pᵀ C̃ᵀ P₂ᵀ A with the flood, d × components. */
async function rotateBack(
  stream: MessageStream,
  chooser: Chooser,
  kept: Matrix,
  secrets: SketchSecrets,
  parameters: SketchParameters,
): Promise<void> {
  const { features: d, columns: l, components: k, coefficients, vectorRing } = parameters;
  const sizes = returningSizes(parameters);
  const coefficientsOf = (shares: readonly Matrix[]) =>
    truncateCsp(returnedShareOfCsp(secrets, shares, sizes), coefficients);
  const products = await chooser.multiply([
    ...returningChoices(secrets, sizes),
    ...piecesOf(d).map(
      ({ from, size }): ChosenProduct => ({
        matrix: {
          rows: k,
          inner: l,
          from: (before) => transpose(inSignedRing(coefficientsOf(before), vectorRing)),
          joins: from > 0,
        },
        entryBits: vectorRing,
        columns: size,
        ringBits: vectorRing,
      }),
    ),
    { ...keptChoices(kept, parameters, vectorRing), columns: k },
  ]);
  const own = multiplyMatrices(kept, coefficientsOf(products), vectorRing);
  const theirs = transpose(joined(products.slice(3, -1)));
  const vectors = addMatrices(addMatrices(own, theirs, vectorRing), products.at(-1)!, vectorRing);
  await sendRing(stream, ROTATED_MESSAGE.vectors, vectors.flat(), vectorRing);
}
