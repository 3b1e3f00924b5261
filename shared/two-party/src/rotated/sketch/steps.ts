/**
 * The steps of a sketch over shared matrices, by the numbers of docs/spec/rotated-sketches.md: A = Z'ᵀZ'; M = P K Pᵀ + noise + mask, which the
 * data user learns, and P A; M₂ = P₂ F P₂ᵀ + noise with F = C₁ P A Pᵀ C₁ᵀ, which it learns; and Z''·J + flood with J = Pᵀ C̃ᵀ P₂ᵀ A + flood.
 * Both servers run this text, and sizes are counted from it.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { LatticePlan } from '../../lattice/sizes.ts';
import type { MatrixSession, Piece } from '../../matrices/session.ts';
import { planOf } from '../../matrices/sessions.ts';
import { rowProducts, upperRowProducts } from '../limbs.ts';
import {
  addMatrices,
  inRing,
  mirrored,
  multiplySigned,
  symmetricMatrix,
  transpose,
  upperOf,
} from '../matrices.ts';
import { stretchedBack } from '../returning.ts';
import type { SketchSecrets } from '../secrets.ts';
import { factorOf, type Truncated, truncated, truncatedSizes } from '../truncation.ts';
import { exactProduct, openingProduct, turnedProduct, turnedProducts, unknown } from '../turning.ts';
import { type Centring, centringProducts } from './centring.ts';
import { returningSizes, type SketchParameters, sketchParameters } from './parameters.ts';

/** Shares of twice the core K, l × l; and of Z, d × l, without some and without more of its low bits: Z'' and Z'. */
export interface Kept {
  readonly core: Piece;
  readonly kept: Piece;
  readonly coarse: Piece;
}

/** The data user's matrices that follow from M: C₁, and C̃, its multiple of norm 1. */
export interface RootPieces {
  readonly root: Piece;
  readonly normalised: Piece;
}

/** The part that an end has in a sketch. */
export interface Turning {
  /** Step 1 with a floor: the factors that centre Z. */
  readonly centring: Centring;
  /** Step 1: what an end keeps, with a floor from its shares of those products. */
  readonly keep: (products: readonly Piece[]) => Kept;
  readonly secrets: () => SketchSecrets;
  /** M, upper triangle, in [0, 2^ringBits). */
  readonly findRoot: (M: Piece) => Promise<RootPieces>;
  /** Makes of M₂, upper triangle in [0, 2^openRing), the directions A in units of 2^−directionBits. */
  readonly decompose: (M2: Piece) => Promise<Piece>;
}

/** The data user learns Z''·J + flood, d × components, in [0, 2^vectorRing). */
export async function sketchVectors(
  session: MatrixSession,
  { centring, keep, secrets, findRoot, decompose }: Turning,
  parameters: SketchParameters,
): Promise<Piece> {
  const { core, kept, coarse } = keep(
    parameters.hasFloor ? await centred(session, centring, parameters) : [],
  );
  const { M, PA } = await openCore(session, { core, coarse }, secrets, parameters);
  const found = await findRoot(M);
  const F = await whitened(session, PA, found.root, secrets, parameters);
  const directions = await decompose(await openSquare(session, F, secrets, parameters));
  const turn = () => secrets().fineTurn;
  const { normalised } = found;
  const stretched = await stretchedBack(
    session,
    { turn, directions, normalised },
    returningSizes(parameters),
  );
  const J = await coefficients(session, stretched, secrets, parameters);
  return await openVectors(session, { kept, J }, secrets, parameters);
}

/** Step 1 with a floor: shares of what centres Z. */
async function centred(
  session: MatrixSession,
  centring: Centring,
  parameters: SketchParameters,
): Promise<readonly Piece[]> {
  const { products, mixedOf } = centringProducts(session, centring, parameters);
  return mixedOf(await session.together(...products));
}

/** Step 2: M, which is opened, and integer shares of P A. */
async function openCore(
  session: MatrixSession,
  { core, coarse }: Pick<Kept, 'core' | 'coarse'>,
  secrets: () => SketchSecrets,
  parameters: SketchParameters,
): Promise<{ readonly M: Piece; readonly PA: Piece }> {
  const { features: d, columns: l, fineRotationBits: bits, entryShareBits, gram, turned } = parameters;
  const sizes = { ...parameters, features: l };
  const across = session.each([coarse], transpose);
  const { short, factorBits } = reduced(session, across, entryShareBits, gram.ring);
  const mixed = exactProduct(session, short, coarse, {
    ...{ rows: l, inner: d, columns: l, bits: factorBits, ringBits: gram.ring },
  });
  const count = mixed.products.length;
  const made = await session.together(...mixed.products, ...turnedProducts(session, core, secrets, sizes));
  const scaled = made.slice(count);
  const squares = session.each([mixed.whole(made.slice(0, count)), across], (own, rows) => {
    const local = symmetricMatrix(upperRowProducts(rows, rows, gram.ring), l);
    return addMatrices(addMatrices(own, transpose(own), gram.ring), local, gram.ring);
  });
  const A = session.each([truncated(session, squares, gram)], (own) => inRing(own, turned.ring));
  const opening = openingProduct(session, scaled, secrets, sizes);
  const [turnedShare, opened] = await session.together(
    turnedProduct(session, () => secrets().fineRotation, A, {
      ...{ rows: l, columns: l, part: 'whole', factorBits: bits, ...truncatedSizes(turned) },
    }),
    opening.product,
  );
  return { M: opening.matrixOf(opened!), PA: truncated(session, turnedShare!, turned) };
}

/**
 * Step 4, its first part: integer shares of F. The CSP's share of G = P A Pᵀ follows from what it draws, and so does that of C₁ times it: so
 * both meet C₁ at once.
 */
async function whitened(
  session: MatrixSession,
  PA: Piece,
  root: Piece,
  secrets: () => SketchSecrets,
  { columns: l, fineRotationBits, framed, half, white }: SketchParameters,
): Promise<Piece> {
  const square = { rows: l, inner: l, columns: l } as const;
  const columns = session.each([PA], (own) => inRing(transpose(own), framed.ring));
  const across = session.at('user', () => transpose(root.user!));
  const symmetric = (share: Piece, stage: Truncated) =>
    session.each([truncated(session, share, stage)], mirrored);
  const [framedShare, halfShare, whiteShare] = await session.together(
    turnedProduct(session, () => secrets().fineRotation, columns, {
      ...{ rows: l, columns: l, part: 'upper', factorBits: fineRotationBits, ...truncatedSizes(framed) },
    }),
    {
      size: { ...square, part: 'whole', ...truncatedSizes(half), ...factorOf(framed, l) },
      csp: ([G]) => symmetric(G!, framed),
      user: session.at('user', () => inRing(across.user!, half.ring)),
    },
    {
      size: { ...square, part: 'upper', ...truncatedSizes(white), ...factorOf(half, l) },
      csp: ([, own]) => session.each([truncated(session, own!, half)], transpose),
      user: session.at('user', () => inRing(across.user!, white.ring)),
    },
  );
  const F = session.at('user', () => {
    // Products with 0 are faster, and nothing holds these back: a multiple of both rings makes all entries as long, also of a root that
    // is 0.
    const long = across.user!.map((row) =>
      row.map((entry) => entry + (1n << BigInt(half.ring + white.ring))),
    );
    const G = symmetric(framedShare!, framed).user!;
    const whole = addMatrices(multiplySigned(G, long), halfShare!.user!, half.ring);
    const own = transpose(truncated(session, { user: whole }, half).user!);
    return mirrored(addMatrices(multiplySigned(own, long), whiteShare!.user!, white.ring));
  });
  const ofCsp = session.at('csp', () => mirrored(whiteShare!.csp!));
  return truncated(session, { ...ofCsp, ...F }, white);
}

/** Step 4, its second part: M₂, upper triangle, in a row. */
async function openSquare(
  session: MatrixSession,
  F: Piece,
  secrets: () => SketchSecrets,
  { columns: l, rotationBits: bits, mixed, openRing, squareErrorBits: errorBits }: SketchParameters,
): Promise<Piece> {
  const sides = { rows: l, columns: l, factorBits: bits } as const;
  const turn = () => secrets().turn;
  const whole = session.each([F], (own) => inRing(own, mixed.ring));
  const [once] = await session.together(
    turnedProduct(session, turn, whole, { ...sides, part: 'whole', ...truncatedSizes(mixed) }),
  );
  const columns = session.each([truncated(session, once!, mixed)], (own) => inRing(transpose(own), openRing));
  const [opened] = await session.together({
    ...turnedProduct(session, turn, columns, {
      ...{ ...sides, part: 'upper', ringBits: openRing, errorBits, junkBits: errorBits },
    }),
    opened: { under: session.at('csp', () => symmetricMatrix(secrets().turnNoise, l)) },
  });
  return session.at('user', () => [upperOf(opened!.user!)]);
}

/** Step 6, its second part: integer shares of J with its flood. */
async function coefficients(
  session: MatrixSession,
  stretched: Piece,
  secrets: () => SketchSecrets,
  { columns: l, components, fineRotationBits: bits, coefficients: stage }: SketchParameters,
): Promise<Piece> {
  const columns = session.each([stretched], (own) => inRing(own, stage.ring));
  const [share] = await session.together(
    turnedProduct(session, () => transpose(secrets().fineRotation), columns, {
      ...{ rows: l, columns: components, part: 'whole', factorBits: bits, ...truncatedSizes(stage) },
    }),
  );
  const flooded = session.at('csp', () => addMatrices(share!.csp!, secrets().coefficientFlood, stage.ring));
  return truncated(session, { ...share!, ...flooded }, stage);
}

/** Step 6, its last part: Z''·J. */
async function openVectors(
  session: MatrixSession,
  { kept, J }: { readonly kept: Piece; readonly J: Piece },
  secrets: () => SketchSecrets,
  parameters: SketchParameters,
): Promise<Piece> {
  const { features: d, columns: l, components: k, keptShareBits, coefficients: stage } = parameters;
  const { vectorRing: ringBits, vectorErrorBits: errorBits } = parameters;
  const sizes = { inner: l, part: 'whole', ringBits, errorBits, junkBits: errorBits } as const;
  const norm = Math.ceil(Math.log2(l) / 2);
  const ofJ = reduced(session, session.each([J], transpose), stage.ring - stage.cut, ringBits);
  const ofKept = reduced(session, kept, keptShareBits, ringBits);
  const alone = (end: 'csp' | 'user') =>
    session.at(end, () => rowProducts(kept[end]!, transpose(J[end]!), ringBits));
  const [mixed, opened] = await session.together(
    {
      size: { ...sizes, rows: k, columns: d, factorBits: ofJ.factorBits, rowBits: ofJ.factorBits + norm },
      csp: ofJ.short,
      user: session.at('user', () => inRing(transpose(kept.user!), ringBits)),
    },
    {
      size: {
        ...sizes,
        rows: d,
        columns: k,
        factorBits: ofKept.factorBits,
        rowBits: ofKept.factorBits + norm,
      },
      csp: ofKept.short,
      user: session.at('user', () => inRing(J.user!, ringBits)),
      opened: {
        under: ([own]) =>
          session.at('csp', () => {
            const all = addMatrices(transpose(own!.csp!), alone('csp').csp!, ringBits);
            return addMatrices(all, secrets().flood, ringBits);
          }),
      },
    },
  );
  return session.at('user', () => {
    const all = addMatrices(transpose(mixed!.user!), alone('user').user!, ringBits);
    return addMatrices(all, opened!.user!, ringBits);
  });
}

/** A factor of the CSP modulo 2^ring: short integers as they are, longer ones reduced. */
function reduced(session: MatrixSession, matrix: Piece, bits: number, ring: number) {
  const short = session.at('csp', () =>
    bits < ring ? matrix.csp! : matrix.csp!.map((row) => row.map((entry) => BigInt.asIntN(ring, entry))),
  );
  return { short, factorBits: Math.min(bits, ring - 1) };
}

/**
 * Returns the sizes of all products of a sketch.
 * @throws ERR_TASK_RANGE, as sketchParameters() and latticePlan()
 */
export async function sketchPlan(task: StatisticsTask, program: Program): Promise<LatticePlan> {
  return await planOfSketch(sketchParameters(task, program));
}

/** Returns what sketchPlan() does, from the lengths. */
export async function planOfSketch(parameters: SketchParameters): Promise<LatticePlan> {
  const turning: Turning = {
    ...{ centring: {}, keep: () => ({ core: {}, kept: {}, coarse: {} }), secrets: unknown },
    ...{ findRoot: async () => ({ root: {}, normalised: {} }), decompose: async () => ({}) },
  };
  return await planOf((session) => sketchVectors(session, turning, parameters));
}
