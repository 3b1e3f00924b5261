/** The CSP's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the same numbers. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { ChosenProduct } from '../../products/index.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from '../closing.ts';
import {
  addMatrices,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  symmetricMatrix,
  transpose,
  upperProduct,
} from '../matrices.ts';
import { declare, ROTATED_MESSAGE, sendRing } from '../messages.ts';
import type { Truncated } from '../pencil/parameters.ts';
import type { Chooser } from '../products.ts';
import { matrixShareOfCsp, rotatingChoices } from '../rotating.ts';
import { fixed, upperEntries } from '../secrets.ts';
import { truncateCsp } from '../truncate.ts';
import { lifted, liftingChoices, unliftedMatrix } from './lifting.ts';
import { type SketchParameters, sketchParameters } from './parameters.ts';
import { piecesOf } from './pieces.ts';
import type { SketchSecrets } from './secrets.ts';
import { doubledCore, type SketchShares, sketchShares, type TestMatrix } from './shares.ts';

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
    const { shareRing, ringBits, openRing, vectorRing } = parameters;
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

    const vectors = await rotateBack(chooser, kept, secrets, parameters);
    await sendRing(stream, ROTATED_MESSAGE.vectors, vectors.flat(), vectorRing);
  });
}

/** Z' as unblinding left it: not negative, d × l. */
function keptOf({ Y }: SketchShares, { cut }: SketchParameters): bigint[][] {
  return Y.map((row) => row.map((share) => share >> BigInt(cut)));
}

/** Steps 1 and 2: the CSP's share of M, upper triangle, and its integer share of P·A. */
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
    { matrix: secrets.fineRotation, entryBits: fineRotationBits + 1, columns: l, ringBits: turned.ring },
  ]);
  const upper = lifted(gramOf(products), products.slice(4, -1), lifting);
  const A = unliftedMatrix(upper, l, 0n, turned.ring);
  const core = doubledCore(Y, signs).map((row) =>
    row.map((entry) => BigInt.asUintN(parameters.ringBits, entry)),
  );
  const turnedShare = addMatrices(multiplySigned(secrets.fineRotation, A), products.at(-1)!, turned.ring);
  return {
    matrix: matrixShareOfCsp(core, products.slice(1, 4), secrets, rotating),
    turned: cut(turnedShare, turned),
  };
}

/** From a server's own Z'ᵀZ' and its share of the mixed product: its share of A, upper triangle, modulo 2^bits. */
export function gramShare(local: readonly bigint[], mixed: Matrix, bits: number): bigint[] {
  const both = upperEntries(mixed.length, (i, j) => mixed[i]![j]! + mixed[j]![i]!);
  return local.map((entry, e) => BigInt.asUintN(bits, entry + both[e]!));
}

/** The choices of a product with Z': short integers, or as long as the ring. */
function keptChoices(matrix: Matrix, { entryShareBits }: SketchParameters, ringBits: number) {
  if (entryShareBits < ringBits) return { matrix, entryBits: entryShareBits + 1, ringBits };
  return { matrix: inSignedRing(matrix, ringBits), entryBits: ringBits, ringBits };
}

function inSignedRing(matrix: Matrix, ringBits: number): bigint[][] {
  return matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));
}

/** Steps 3 and 4: the CSP's share of M₂ = P₂ F P₂ᵀ + N, upper triangle. */
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
  const halfOf = ([product]: readonly Matrix[]) => cut(transpose(product!), half);
  const rotatedOf = (before: readonly Matrix[]) => {
    const own = multiplySigned(fineRotation, transpose(halfOf(before)));
    return transpose(cut(addMatrices(own, before[1]!, rotated.ring), rotated));
  };
  const turning = { matrix: turn, entryBits: rotationBits + 1, columns: l };
  const before = await chooser.multiply([
    { matrix: transpose(share), entryBits: turned.ring - turned.cut + 2, columns: l, ringBits: half.ring },
    { matrix: fineRotation, entryBits: fineRotationBits + 1, columns: l, ringBits: rotated.ring },
    {
      matrix: { rows: l, inner: l, from: rotatedOf },
      entryBits: rotated.ring - rotated.cut + 2,
      columns: l,
      ringBits: white.ring,
      part: 'upper',
    },
    { ...turning, ringBits: mixed.ring },
    { ...turning, ringBits: openRing, part: 'upper' },
  ]);
  const F = mirrored(cut(before[2]!, white));
  const mixedShare = cut(addMatrices(multiplySigned(turn, F), before[3]!, mixed.ring), mixed);
  const local = upperProduct(turn, mixedShare, openRing);
  const last = upperEntries(l, (i, j) => before[4]![i]![j]!);
  return last.map((entry, e) => BigInt.asUintN(openRing, entry + local[e]! + turnNoise[e]!));
}

/** The symmetric matrix that has this one's upper triangle. */
export function mirrored(matrix: Matrix): bigint[][] {
  const l = matrix.length;
  return symmetricMatrix(
    upperEntries(l, (i, j) => matrix[i]![j]!),
    l,
  );
}

/** Step 6: the CSP's share of Z' J, d × components. */
async function rotateBack(
  chooser: Chooser,
  kept: Matrix,
  { rotation, turn, flood }: SketchSecrets,
  parameters: SketchParameters,
): Promise<bigint[][]> {
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
  const turning = { entryBits: rotationBits + 1, columns: k };
  const coefficientsOf = ([, stretched, last]: readonly Matrix[]) => {
    const z = transpose(cut(stretched!, inner));
    const own = multiplyMatrices(transpose(rotation), z, coefficients.ring);
    const J = addMatrices(addMatrices(own, last!, coefficients.ring), flood, coefficients.ring);
    return cut(J, coefficients);
  };
  const pieces = piecesOf(d);
  const products = await chooser.multiply([
    { ...turning, matrix: transpose(turn), ringBits: back.ring },
    {
      matrix: { rows: k, inner: l, from: ([turned]) => transpose(cut(turned!, back)) },
      entryBits: back.ring - back.cut + 2,
      columns: l,
      ringBits: inner.ring,
    },
    { ...turning, matrix: transpose(rotation), ringBits: coefficients.ring },
    ...pieces.map(
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
  const J = coefficientsOf(products);
  const theirs = transpose(joined(products.slice(3, -1)));
  const own = multiplyMatrices(kept, J, vectorRing);
  return addMatrices(addMatrices(own, theirs, vectorRing), products.at(-1)!, vectorRing);
}

/** Products of all pieces side by side. */
export function joined(products: readonly Matrix[]): bigint[][] {
  return products[0]!.map((_, row) => products.flatMap((product) => product[row]!));
}

function cut(shares: Matrix, { ring, cut: bits }: Truncated): bigint[][] {
  return truncateCsp(shares, ring, bits);
}
