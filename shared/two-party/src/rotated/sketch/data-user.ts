/**
 * The data user's side of a sketch by the `rotated` protocol: docs/spec/rotated-sketches.md has the steps by the
 * same numbers.
 */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { Piece } from '../../matrices/session.ts';
import { dataUserSession } from '../../matrices/sessions.ts';
import type { DataUserInput } from '../../protocol.ts';
import type { UserLattice } from '../data-user.ts';
import { holdAfterOpenings, holdToPace, paceOf, partOf, toTheEnd } from '../hold.ts';
import { inRing, inUnits } from '../matrices.ts';
import { opened, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import { sketchPaces } from '../standard-pace.ts';
import { unknown } from '../turning.ts';
import { centredShareOfUser } from './centring.ts';
import { decomposeWhitened, findRoot, finishSketch, refusalOfRows } from './decomposition.ts';
import { type SketchParameters, sketchParameters } from './parameters.ts';
import { centring, doubledCore, type SketchShares, sketchShares } from './shares.ts';
import { type Kept, sketchPlan, sketchVectors } from './steps.ts';
import type { TestMatrix } from './test-matrix.ts';

/** As askRotated(), for a sketch. */
export async function askSketch(
  stream: MessageStream,
  lattice: () => UserLattice,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = sketchParameters(task, program);
  const {
    features: d,
    columns: l,
    components,
    shareRing,
    ringBits,
    openRing,
    vectorRing,
    floodBits,
  } = parameters;
  const own = sketchShares(task, input, parameters);
  await sendOwners(stream, own.owners, shareRing);
  const open = lattice();
  const products = await open(await sketchPlan(task, program));
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, 1 + d, shareRing);
  const { whole, ...parts } = sketchPaces(d, l, components);
  const pace = paceOf(input, whole);
  holdToPace(stream, partOf(pace, parts.centring, whole));
  const [Q, ...V] = opened([own.Q, ...own.sums], declared, shareRing);
  const refused = refusalOfRows(Q!, l, task);
  const mean = meanOf(own, { Q: Q!, V }, refused !== undefined, parameters);

  const session = dataUserSession(products, {
    onOpened: holdAfterOpenings(stream, pace, [parts.root, parts.decomposition], whole),
  });
  const signed = ({ user }: Piece, bits: number) => user![0]!.map((entry) => BigInt.asIntN(bits, entry));
  let core: ReturnType<typeof findRoot> | undefined;
  let last: ReturnType<typeof decomposeWhitened> | undefined;
  const turning = {
    ...{ centring: { user: { p: mean.p, signs: own.signs } }, secrets: unknown },
    keep: (made: readonly Piece[]) => keptOf(mean.centre(made), own, parameters),
    findRoot: async (M: Piece) => {
      await input.answer?.noteMatrix();
      core = findRoot(signed(M, ringBits), refused, program, parameters);
      return { root: { user: core.root }, normalised: { user: core.normalised } };
    },
    decompose: async (M2: Piece) => {
      last = decomposeWhitened(signed(M2, openRing), core!, program, parameters);
      return { user: last.directions };
    },
  };
  const vectors = await toTheEnd(stream, input, () => sketchVectors(session, turning, parameters));
  // Digits below the flood's deviation tell only of the flood.
  const inFloods = inUnits(vectors.user!, vectorRing, floodBits);
  return finishSketch(last!, inFloods, { Q: Q!, V }, program, parameters);
}

/**
 * Step 1: this server's share of Z, d × l, row by row. V(VᵀΩ)/Q is subtracted from its share of Y, or with a
 * floor what two products make of p, a mean with noise; nothing, where the number of rows refuses the result.
 */
function meanOf(
  own: SketchShares & { readonly signs: TestMatrix },
  { Q, V }: { readonly Q: bigint; readonly V: readonly bigint[] },
  isRefused: boolean,
  parameters: SketchParameters,
) {
  const { columns: l, hasFloor } = parameters;
  if (hasFloor) {
    const p = isRefused ? V.map(() => 1n) : V.map((sum) => sum / Q);
    const centre = (products: readonly Piece[]): Iterable<readonly bigint[]> =>
      centredShareOfUser(own, { Q, p }, products, parameters);
    return { p, centre };
  }
  const rowOf = centring(isRefused ? V.map(() => 0n) : V, isRefused ? 1n : Q, own.signs, l);
  const centre = (): Iterable<readonly bigint[]> => ({
    *[Symbol.iterator]() {
      let i = 0;
      for (const row of own.Y) {
        const mean = rowOf(i);
        i += 1;
        yield row.map((share, a) => share - mean[a]!);
      }
    },
  });
  return { p: V, centre };
}

/** Returns what is kept of Z, and its core. */
function keptOf(
  Z: Iterable<readonly bigint[]>,
  { signs }: { readonly signs: TestMatrix },
  { columns: l, entryBits, cut, fineCut, ringBits }: SketchParameters,
): Kept {
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
  const coarse = kept.map((row) =>
    row.map((entry) => roundedDown(entry - BigInt(fineCut > 0), cut - fineCut)),
  );
  return { core: { user: core }, kept: { user: kept }, coarse: { user: coarse } };
}

/**
 * Drops this number of low bits. Both servers round down, by a unit together, on average: so one is added.
 */
function roundedDown(share: bigint, bits: number): bigint {
  return (share >> BigInt(bits)) + BigInt(bits > 0);
}
