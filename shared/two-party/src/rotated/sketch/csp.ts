/**
 * The CSP's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the same
 * numbers.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from '../closing.ts';
import { rowProducts, upperRowProducts } from '../limbs.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  matrixOf,
  multiplySigned,
  symmetricMatrix,
  transpose,
  truncateCsp,
  upperOf,
  upperProduct,
} from '../matrices.ts';
import { declare, ROTATED_MESSAGE, sendRing, sendVectors } from '../messages.ts';
import { fixed, type SketchSecrets } from '../secrets.ts';
import {
  type Chooser,
  type Correlator,
  type CspProducts,
  matrixShareOfCsp,
  returnedShareOfCsp,
  returningChoices,
  rotatingChoices,
} from '../steps.ts';
import { centredShareOfCsp, centringChoices } from './centring.ts';
import { returningSizes, type SketchParameters, sketchParameters } from './parameters.ts';
import { joined, type Known, liftChosen, liftCorrelated, once, Plan, piecesOf } from './products.ts';
import { doubledCore, gramShare, type SketchShares, sketchShares, type TestMatrix } from './shares.ts';

/** As answerRotated(), for a sketch. */
export async function answerSketch(
  stream: MessageStream,
  products: () => Promise<CspProducts>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: SketchParameters) => SketchSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = sketchParameters(task, program);
    const { shareRing, ringBits, openRing } = parameters;
    const own = sketchShares(task, input, parameters);
    await openOwners(stream, own.owners, shareRing, input, program);

    const chooser = await products();
    await declare(stream, [own.Q, ...own.sums], shareRing);
    const secrets = fixed(stream, draw(parameters)); // while the data user takes the mean off
    const centred = await centre(chooser, own, parameters);
    const kept = keptOf(centred, parameters);
    const { matrix, framed } = await shareMatrices(
      chooser,
      { Z: centred, signs: own.signs },
      kept,
      secrets,
      parameters,
    );
    await sendMarkedMatrix(stream, mark, matrix, ringBits);

    const whitened = await shareWhitened(chooser, framed, secrets, parameters);
    await sendRing(stream, ROTATED_MESSAGE.signal, whitened, openRing);

    await rotateBack(stream, chooser, kept, secrets, parameters);
  });
}

/** Step 1: Z as unblinding left it, or with a floor as two products leave it: not negative, d × l. */
async function centre(
  chooser: Chooser,
  own: SketchShares & { readonly signs: TestMatrix },
  parameters: SketchParameters,
): Promise<Iterable<readonly bigint[]>> {
  if (!parameters.hasFloor) return own.Y;
  return centredShareOfCsp(own, await chooser.multiply(centringChoices(own, parameters)), parameters);
}

/** Z''. */
function keptOf(Z: Iterable<readonly bigint[]>, { fineCut }: SketchParameters): bigint[][] {
  return Array.from(Z, (row) => row.map((share) => share >> BigInt(fineCut)));
}

/** Step 2: the CSP's share of M, and of G = P A Pᵀ, upper triangles. */
async function shareMatrices(
  chooser: Chooser,
  { Z, signs }: { readonly Z: Iterable<readonly bigint[]>; readonly signs: TestMatrix },
  kept: Matrix,
  secrets: SketchSecrets,
  parameters: SketchParameters,
): Promise<{ matrix: bigint[]; framed: bigint[] }> {
  const { columns: l, fineRotationBits, gram, turned, framed, cut, fineCut } = parameters;
  const { fineRotation } = secrets;
  const across = transpose(kept).map((column) => column.map((entry) => entry >> BigInt(cut - fineCut))); // of Z'
  const local = upperRowProducts(across, across, gram.ring);
  const rotating = { ...parameters, features: l };
  const turning = { matrix: fineRotation, entryBits: fineRotationBits + 1, columns: l };

  const plan = new Plan<ChosenProduct>();
  const mixed = plan.add({ ...keptChoices(across, parameters, gram.ring), columns: l });
  const rotated = rotatingChoices(secrets, rotating).map((product) => plan.add(product));
  const gramOf: Known<bigint[]> = (shares) => gramShare(local, mixed(shares), gram.ring);
  const A = liftChosen(plan, local.length, gramOf, gram);
  const turnedProduct = plan.add({ ...turning, ringBits: turned.ring });
  const turnedOf: Known<bigint[]> = (shares) => {
    const own = multiplySigned(fineRotation, symmetricMatrix(A(shares), l));
    return addMatrices(own, turnedProduct(shares), turned.ring).flat();
  };
  const PA = liftChosen(plan, l * l, turnedOf, turned);
  const framedProduct = plan.add({ ...turning, ringBits: framed.ring, part: 'upper' });

  const shares = await chooser.multiply(plan.products);
  const core = inRing(doubledCore(Z, l, signs, parameters.entryBits), parameters.ringBits);
  const products = rotated.map((product) => product(shares));
  const own = upperProduct(fineRotation, matrixOf(PA(shares), l), framed.ring);
  return {
    matrix: matrixShareOfCsp(core, products, secrets, rotating),
    framed: upperOf(framedProduct(shares)).map((entry, e) => entry + own[e]!),
  };
}

/** The choices of the product with Z': short integers, or as long as the ring. */
function keptChoices(matrix: Matrix, { entryShareBits }: SketchParameters, ringBits: number) {
  if (entryShareBits < ringBits) return { matrix, entryBits: entryShareBits + 1, ringBits };
  return { matrix: inSignedRing(matrix, ringBits), entryBits: ringBits, ringBits };
}

function inSignedRing(matrix: Matrix, ringBits: number): bigint[][] {
  return matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));
}

/** Step 4: the CSP's share of M₂ = P₂ F P₂ᵀ + N, upper triangle, where F = C₁ G C₁ᵀ. */
async function shareWhitened(
  products: CspProducts,
  framed: readonly bigint[],
  { turn, turnNoise }: SketchSecrets,
  parameters: SketchParameters,
): Promise<bigint[]> {
  const { columns: l, rotationBits, white, mixed, openRing } = parameters;
  const share = await whitenedShare(products.reversed, framed, parameters);
  const turning = { matrix: turn, entryBits: rotationBits + 1, columns: l };

  const plan = new Plan<ChosenProduct>();
  const F = liftChosen(plan, share.length, () => share, white);
  const mixedProduct = plan.add({ ...turning, ringBits: mixed.ring });
  const mixedOf: Known<bigint[]> = (shares) => {
    const own = multiplySigned(turn, symmetricMatrix(F(shares), l));
    return addMatrices(own, mixedProduct(shares), mixed.ring).flat();
  };
  const mixedShare = liftChosen(plan, l * l, mixedOf, mixed);
  const open = plan.add({ ...turning, ringBits: openRing, part: 'upper' });

  const shares = await products.multiply(plan.products);
  const local = upperProduct(turn, matrixOf(mixedShare(shares), l), openRing);
  return upperOf(open(shares)).map((entry, e) => BigInt.asUintN(openRing, entry + local[e]! + turnNoise[e]!));
}

/** The CSP's share of F, upper triangle: C₁ is the data user's alone, and its bits are the choices. */
async function whitenedShare(
  correlator: Correlator,
  share: readonly bigint[],
  { columns: l, rootEntryBits, framed, half, white }: SketchParameters,
): Promise<bigint[]> {
  const square = { inner: l, columns: l };
  const whitening = { rows: l, entryBits: rootEntryBits };
  const plan = new Plan<CorrelatedProduct>();
  const G = liftCorrelated(plan, share.length, () => share, framed);
  const halfProduct = plan.add({
    ...whitening,
    matrix: { ...square, from: (shares) => symmetricMatrix(G(shares), l) },
    ringBits: half.ring,
  });
  const H = liftCorrelated(plan, l * l, (shares) => halfProduct(shares).flat(), half);
  const whiteProduct = plan.add({
    ...whitening,
    matrix: { ...square, from: (shares) => transpose(matrixOf(H(shares), l)) },
    ringBits: white.ring,
    part: 'upper',
  });
  return upperOf(whiteProduct(await correlator.multiply(plan.products)));
}

/** Step 6: the CSP's share of Z'' J, J = Pᵀ C̃ᵀ P₂ᵀ A with a flood of its own, d × components. */
async function rotateBack(
  stream: MessageStream,
  products: CspProducts,
  kept: Matrix,
  secrets: SketchSecrets,
  parameters: SketchParameters,
): Promise<void> {
  const { features: d, columns: l, components: k, coefficients, vectorRing } = parameters;
  const sizes = returningSizes(parameters);
  // This is equal for every piece: everything that it depends on comes before the first.
  const turning = { rotation: secrets.fineRotation, turn: secrets.fineTurn };
  const coefficientsOf: Known<Matrix> = once((shares) => {
    const share = returnedShareOfCsp(turning, shares, sizes);
    const flooded = addMatrices(share, secrets.coefficientFlood, coefficients.ring);
    return truncateCsp(flooded, coefficients);
  });
  const shares = await products.multiply([
    ...returningChoices(turning, sizes),
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
  ]);
  const across = inRing(transpose(kept), vectorRing);
  const multiplied = products.reversed.multiply(
    piecesOf(d).map(({ from, size }) => ({
      matrix: across.map((row) => row.slice(from, from + size)),
      rows: k,
      entryBits: vectorRing,
      ringBits: vectorRing,
    })),
  );
  const alone = rowProducts(kept, transpose(coefficientsOf(shares)), vectorRing); // while the choices are on the way
  const mixed = addMatrices(joined(shares.slice(3)), joined(await multiplied), vectorRing);
  const vectors = addMatrices(alone, transpose(mixed), vectorRing);
  await sendVectors(stream, vectors, secrets.flood, vectorRing);
}
