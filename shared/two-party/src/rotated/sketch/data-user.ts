/**
 * The data user's side of a sketch by the `rotated` protocol: docs/rotated-sketches.md has the steps by the
 * same numbers.
 */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import type { DataUserInput } from '../../protocol.ts';
import { holdToPace, paceOf, partOf, toTheEnd } from '../hold.ts';
import { rowProducts, upperRowProducts } from '../limbs.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  matrixOf,
  multiplySigned,
  symmetricMatrix,
  transpose,
  truncateUser,
  upperOf,
  upperProduct,
} from '../matrices.ts';
import { opened, openVectors, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import { fixed } from '../secrets.ts';
import { sketchPaces } from '../standard-pace.ts';
import {
  type Chooser,
  type Correlator,
  type DataUserProducts,
  matrixShareOfUser,
  returningCorrelations,
  rotatingCorrelations,
} from '../steps.ts';
import { centredShareOfUser, centringCorrelations } from './centring.ts';
import { decomposeWhitened, findRoot, finishSketch, type Root, refusalOfRows } from './decomposition.ts';
import { returningSizes, type SketchParameters, sketchParameters } from './parameters.ts';
import { joined, type Known, liftChosen, liftCorrelated, Plan, piecesOf } from './products.ts';
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
  products: () => Promise<DataUserProducts>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = sketchParameters(task, program);
  const { features: d, columns: l, components, shareRing, ringBits, openRing } = parameters;
  const own = sketchShares(task, input, parameters);
  await sendOwners(stream, own.owners, shareRing);
  const correlator = await products();
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, 1 + d, shareRing);
  const { whole, ...parts } = sketchPaces(d, l, components);
  const pace = paceOf(input, whole);
  holdToPace(stream, partOf(pace, parts.centring, whole));
  const [Q, ...V] = opened([own.Q, ...own.sums], declared, shareRing);
  const refused = refusalOfRows(Q!, l, task);
  const Z = await centre(correlator, own, { Q: Q!, V }, refused !== undefined, parameters);
  const { core: ownCore, kept } = keptOf(Z, own, parameters);

  const { matrix, framed } = await shareMatrices(correlator, ownCore, kept, parameters);
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, matrix.length, ringBits);
  const { last, vectors } = await toTheEnd(stream, input, async () => {
    holdToPace(stream, partOf(pace, parts.root, whole));
    await input.answer?.noteMatrix();
    const M = opened(matrix, theirs, ringBits);
    const core = findRoot(M, refused, program, parameters);
    fixed(stream, core.root); // its bits are choices, and doubles may differ on another machine
    const share = await shareWhitened(correlator, framed, core, parameters);
    const answer = await readRing(stream, ROTATED_MESSAGE.signal, share.length, openRing);
    holdToPace(stream, partOf(pace, parts.decomposition, whole));
    const M2 = opened(share, answer, openRing);
    const last = decomposeWhitened(M2, core, program, parameters);
    const vectors = await rotateBack(stream, correlator, kept, last.directions, core, parameters);
    return { last, vectors: vectors.flat() };
  });
  return finishSketch(last, vectors, { Q: Q!, V }, program, parameters);
}

/**
 * This server's shares of twice the core, l × l, and of Z'', what is kept of Z, d × l. Z itself is not needed
 * after that.
 */
interface Centred {
  readonly core: Matrix;
  readonly kept: Matrix;
}

/**
 * Step 1: this server's share of Z, d × l, row by row. V(VᵀΩ)/Q is subtracted from its share of Y, or with a
 * floor what two products make of a mean with noise; nothing, where the number of rows refuses the result.
 */
async function centre(
  correlator: Correlator,
  own: SketchShares & { readonly signs: TestMatrix },
  { Q, V }: { readonly Q: bigint; readonly V: readonly bigint[] },
  isRefused: boolean,
  parameters: SketchParameters,
): Promise<Iterable<readonly bigint[]>> {
  const { columns: l } = parameters;
  if (parameters.hasFloor) {
    const p = isRefused ? V.map(() => 1n) : V.map((sum) => sum / Q);
    const products = await correlator.multiply(centringCorrelations(p, own, parameters));
    return centredShareOfUser(own, { Q, p }, products, parameters);
  }
  const meanOf = centring(isRefused ? V.map(() => 0n) : V, isRefused ? 1n : Q, own.signs, l);
  return {
    *[Symbol.iterator]() {
      let i = 0;
      for (const row of own.Y) {
        const mean = meanOf(i);
        i += 1;
        yield row.map((share, a) => share - mean[a]!);
      }
    },
  };
}

/** Returns what is kept of Z, and its core. */
function keptOf(
  Z: Iterable<readonly bigint[]>,
  { signs }: { readonly signs: TestMatrix },
  { columns: l, entryBits, fineCut, ringBits }: SketchParameters,
): Centred {
  const kept: bigint[][] = [];
  // Row by row: all of Y or Z beside Z'' would be tens of megabytes each, of thousands of features.
  const rows = function* () {
    for (const row of Z) {
      kept.push(row.map((entry) => roundedDown(entry, fineCut)));
      yield row;
    }
  };
  // A mean is no longer than a share, sumBits + 1. That of a CSP that deviates is cut, whatever work it would
  // take, and gives a wrong core as it would have.
  const core = inRing(doubledCore(rows(), l, signs, entryBits + 1), ringBits);
  return { core, kept };
}

/**
 * Drops this number of low bits. Both servers round down, by a unit together, on average: so one is added.
 */
function roundedDown(share: bigint, bits: number): bigint {
  return (share >> BigInt(bits)) + BigInt(bits > 0);
}

/** Step 2: the data user's share of M, and of G = P A Pᵀ, upper triangles. */
async function shareMatrices(
  correlator: Correlator,
  core: Matrix,
  kept: Matrix,
  parameters: SketchParameters,
): Promise<{ matrix: bigint[]; framed: bigint[] }> {
  const { columns: l, entryShareBits, fineRotationBits, gram, turned, framed, cut, fineCut } = parameters;
  const coarse = kept.map((row) =>
    row.map((entry) => roundedDown(entry - BigInt(fineCut > 0), cut - fineCut)),
  ); // Z'
  const across = transpose(coarse);
  const local = upperRowProducts(across, across, gram.ring);
  const square = { inner: l, columns: l };
  const turning = { rows: l, entryBits: fineRotationBits + 1 };

  const plan = new Plan<CorrelatedProduct>();
  const mixed = plan.add({
    matrix: inRing(coarse, gram.ring),
    rows: l,
    entryBits: Math.min(entryShareBits + 1, gram.ring),
    ringBits: gram.ring,
  });
  const rotated = rotatingCorrelations(() => core, 1, { ...parameters, features: l }).map((product) =>
    plan.add(product),
  );
  const gramOf: Known<bigint[]> = (shares) => gramShare(local, mixed(shares), gram.ring);
  const A = liftCorrelated(plan, local.length, gramOf, gram);
  const turnedProduct = plan.add({
    ...turning,
    matrix: { ...square, from: (shares) => inRing(symmetricMatrix(A(shares), l), turned.ring) },
    ringBits: turned.ring,
  });
  const PA = liftCorrelated(plan, l * l, (shares) => turnedProduct(shares).flat(), turned);
  const framedProduct = plan.add({
    ...turning,
    matrix: { ...square, from: (shares) => transpose(matrixOf(PA(shares), l)) },
    ringBits: framed.ring,
    part: 'upper',
  });

  const shares = await correlator.multiply(plan.products);
  return {
    matrix: matrixShareOfUser(rotated.map((product) => product(shares))),
    framed: upperOf(framedProduct(shares)),
  };
}

/** Step 4: the data user's share of M₂ = P₂ F P₂ᵀ + N, upper triangle, where F = C₁ G C₁ᵀ. */
async function shareWhitened(
  products: DataUserProducts,
  framed: readonly bigint[],
  { root }: Root,
  parameters: SketchParameters,
): Promise<bigint[]> {
  const { columns: l, rotationBits, white, mixed, openRing } = parameters;
  const share = await whitenedShare(products.reversed, framed, root, parameters);
  const square = { inner: l, columns: l };
  const turning = { rows: l, entryBits: rotationBits + 1 };

  const plan = new Plan<CorrelatedProduct>();
  const F = liftCorrelated(plan, share.length, () => share, white);
  const mixedProduct = plan.add({
    ...turning,
    matrix: { ...square, from: (shares) => symmetricMatrix(F(shares), l) },
    ringBits: mixed.ring,
  });
  const mixedShare = liftCorrelated(plan, l * l, (shares) => mixedProduct(shares).flat(), mixed);
  const open = plan.add({
    ...turning,
    matrix: { ...square, from: (shares) => transpose(matrixOf(mixedShare(shares), l)) },
    ringBits: openRing,
    part: 'upper',
  });
  return upperOf(open(await products.multiply(plan.products)));
}

/** The data user's share of F, upper triangle: by its bits of C₁. */
async function whitenedShare(
  chooser: Chooser,
  share: readonly bigint[],
  root: Matrix,
  { columns: l, rootEntryBits, framed, half, white }: SketchParameters,
): Promise<bigint[]> {
  const whitening = { matrix: root, entryBits: rootEntryBits, columns: l };
  // Products with 0 are faster, and nothing holds these back: a multiple of both rings makes all entries as
  // long, also of a root that is 0.
  const long = root.map((row) => row.map((entry) => entry + (1n << BigInt(half.ring + white.ring))));
  const plan = new Plan<ChosenProduct>();
  const G = liftChosen(plan, share.length, () => share, framed);
  const halfProduct = plan.add({ ...whitening, ringBits: half.ring });
  const halfOf: Known<bigint[]> = (shares) => {
    const own = multiplySigned(long, symmetricMatrix(G(shares), l));
    return addMatrices(own, halfProduct(shares), half.ring).flat();
  };
  const H = liftChosen(plan, l * l, halfOf, half);
  const whiteProduct = plan.add({ ...whitening, ringBits: white.ring, part: 'upper' });
  const shares = await chooser.multiply(plan.products);
  const own = upperProduct(long, matrixOf(H(shares), l), white.ring);
  return upperOf(whiteProduct(shares)).map((entry, e) => entry + own[e]!);
}

/** Step 6: Z'' J with the flood and in units of it, J = Pᵀ C̃ᵀ P₂ᵀ A with another, d × components. */
async function rotateBack(
  stream: MessageStream,
  products: DataUserProducts,
  kept: Matrix,
  directions: Matrix,
  { normalised }: Root,
  parameters: SketchParameters,
): Promise<bigint[][]> {
  const { features: d, components: k, coefficients, vectorRing, floodBits } = parameters;
  const across = inRing(transpose(kept), vectorRing);
  const shares = await products.multiply([
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
  ]);
  const own = transpose(truncateUser(shares[2]!, coefficients));
  const choices = own.map((row) => row.map((entry) => BigInt.asIntN(vectorRing, entry)));
  const multiplied = products.reversed.multiply(
    piecesOf(d).map(({ size }) => ({
      matrix: choices,
      entryBits: vectorRing,
      columns: size,
      ringBits: vectorRing,
    })),
  );
  const alone = rowProducts(kept, own, vectorRing); // while the choices are on the way
  const mixed = addMatrices(joined(shares.slice(3)), joined(await multiplied), vectorRing);
  const share = addMatrices(alone, transpose(mixed), vectorRing);
  return openVectors(stream, share, { ringBits: vectorRing, floodBits });
}
