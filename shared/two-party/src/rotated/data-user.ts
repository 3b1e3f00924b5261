/** The data user's side of the `rotated` protocol: docs/spec/rotated.md has the steps by the same numbers. */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { LatticeDataUser } from '../lattice/data-user.ts';
import type { LatticePlan } from '../lattice/sizes.ts';
import type { MatrixSession, Piece } from '../matrices/session.ts';
import { dataUserSession } from '../matrices/sessions.ts';
import type { DataUserInput } from '../protocol.ts';
import { decomposeMatrix, finishDecomposition, type Opened, rehearse } from './decomposition.ts';
import { holdAfterOpenings, paceOf, toTheEnd } from './hold.ts';
import { columnOf, inUnits } from './matrices.ts';
import { opened, ROTATED_MESSAGE, readRing, sendOwners } from './messages.ts';
import { rotatedParameters } from './parameters.ts';
import { statisticsShares } from './shares.ts';
import { turnedPace } from './standard-pace.ts';
import { scatter, turnedVectors, turningPlan, unknown } from './turning.ts';

/** The data user's end of the products of a plan. */
export type UserProducts = Pick<LatticeDataUser, 'multiply'>;

/** Opens the products of a plan. */
export type UserLattice = (plan: LatticePlan) => Promise<UserProducts>;

/**
 * The data user's run to its end.
 * @throws ERR_NO_SAMPLES, ERR_FULL_RANK and ERR_ROTATION_CHECK, when the channel is closed: whatever M holds,
 *   the messages are the same, and so is their time
 * @throws as the stream and the products
 */
export async function askRotated(
  stream: MessageStream,
  lattice: () => UserLattice,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = rotatedParameters(task);
  const { features: d, ringBits } = parameters;
  const own = statisticsShares(task, input.shares, ringBits);
  await sendOwners(stream, own.owners, ringBits);
  const open = lattice();
  const products = await open(await turningPlan(task, program));
  const withMean = program.outputs.includes('mean');
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, withMean ? 1 + d : 1, ringBits);
  const [Q, ...sums] = opened(withMean ? [own.Q, ...own.sums] : [own.Q], declared, ringBits);
  const shares = { R: { user: columnOf(own.R) }, V: { user: columnOf(own.V) } };
  return await openTurned(
    stream,
    products,
    (session) => scatter(session, shares, () => Q!, parameters),
    { Q: Q!, V: withMean ? sums : undefined },
    { task, program },
    input,
  );
}

/** From this server's share of T to the end: steps 2 to 4. */
export async function openTurned(
  stream: MessageStream,
  products: UserProducts,
  shareOf: (session: MatrixSession) => Promise<Piece>,
  statistics: { readonly Q: bigint; readonly V: readonly bigint[] | undefined },
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = rotatedParameters(task);
  const { features: d, ringBits, vectorRingBits, floodBits } = parameters;
  const { components } = program;
  const pace = paceOf(input, turnedPace(d, components));
  const session = dataUserSession(products, {
    onIdle: () => rehearse(parameters, components, ringBits),
    onOpened: holdAfterOpenings(stream, pace, [pace.milliseconds], pace.milliseconds),
  });
  let found: Opened | undefined;
  const decompose = async ({ user }: Piece) => {
    await input.answer?.noteMatrix();
    const M = user![0]!.map((entry) => BigInt.asIntN(ringBits, entry));
    found = decomposeMatrix(M, statistics.Q, task, program, parameters);
    return { user: found.directions };
  };
  const vectors = await toTheEnd(stream, input, async () => {
    const turning = { T: await shareOf(session), secrets: unknown, decompose };
    return await turnedVectors(session, turning, components, parameters);
  });
  // Digits below the flood's deviation tell only of the flood.
  const inFloods = inUnits(vectors.user!, vectorRingBits, floodBits);
  return finishDecomposition(found!, inFloods, statistics, program, parameters);
}
