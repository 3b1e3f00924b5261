/** The data user's side of a pencil by the `rotated` protocol: docs/spec/rotated-pencils.md has the steps by the same numbers. */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { Piece } from '../../matrices/session.ts';
import { dataUserSession } from '../../matrices/sessions.ts';
import type { DataUserInput } from '../../protocol.ts';
import type { UserLattice } from '../data-user.ts';
import { holdAfterOpenings, holdToPace, paceOf, partOf, toTheEnd } from '../hold.ts';
import { columnOf, inUnits, type Matrix, signed } from '../matrices.ts';
import { opened, ROTATED_MESSAGE, readRing, sendOwners } from '../messages.ts';
import { pencilShares, totalOf } from '../shares.ts';
import { pencilPaces } from '../standard-pace.ts';
import { unknown } from '../turning.ts';
import { contrasts, withinRoots } from './contrasts.ts';
import { decomposeSignal, findRoot, finishPencil, refusalOfCounts, rehearsePencil } from './decomposition.ts';
import { type PencilParameters, pencilParameters } from './parameters.ts';
import { pencilPlan, pencilVectors } from './steps.ts';

/** As askRotated(), for a pencil. */
export async function askPencil(
  stream: MessageStream,
  lattice: () => UserLattice,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = pencilParameters(task, program);
  const { features: d, components, ringBits, openRing, vectorRing, floodBits } = parameters;
  const own = pencilShares(task, input.shares, ringBits);
  await sendOwners(stream, own.owners, ringBits);
  const open = lattice();
  await stream.depart();
  rehearsePencil(parameters); // while the CSP draws its secrets
  const products = await open(await pencilPlan(task, program));
  const withMean = program.outputs.includes('mean');
  const ownSums = [...own.M.flat(), ...(withMean ? totalOf(own.groups) : [])];
  const theirSums = await readRing(stream, ROTATED_MESSAGE.declared, ownSums.length, ringBits);
  const { whole, ...parts } = pencilPaces(d, parameters.classes, parameters.truncates, components);
  const pace = paceOf(input, whole);
  holdToPace(stream, partOf(pace, parts.contrasts, whole));
  const sums = opened(ownSums, theirSums, ringBits);
  const counts = countsOf(parameters, sums);
  const refused = refusalOfCounts(counts, task);
  const Q = counts[0]!.reduce((sum, count) => sum + count, 0n);
  const H = contrastsOf(counts, refused !== undefined, parameters);

  const session = dataUserSession(products, {
    onOpened: holdAfterOpenings(stream, pace, [parts.root, parts.decomposition], whole),
  });
  let total: ReturnType<typeof findRoot> | undefined;
  let last: ReturnType<typeof decomposeSignal> | undefined;
  const turning = {
    shares: { R: { user: columnOf(own.R) }, V: { user: own.V } },
    known: { Q: () => Q, contrasts: () => H },
    secrets: unknown,
    findRoot: async ({ user }: Piece) => {
      await input.answer?.noteMatrix();
      const M = user![0]!.map((entry) => BigInt.asIntN(ringBits, entry));
      total = findRoot(M, counts, refused, task, program, parameters);
      const { root, normalised, signalColumns = root.map(() => []) } = total;
      return {
        root: { user: root },
        normalised: { user: normalised },
        signalColumns: { user: signalColumns },
      };
    },
    decompose: async ({ user }: Piece) => {
      last = decomposeSignal(signed(user!, openRing), total!, task, parameters);
      return { user: last.directions };
    },
  };
  const vectors = await toTheEnd(stream, input, () => pencilVectors(session, turning, parameters));
  // Digits below the flood's deviation tell only of the flood.
  const inFloods = inUnits(vectors.user!, vectorRing, floodBits);
  const V = withMean ? sums.slice(counts.flat().length) : undefined;
  return finishPencil(last!, inFloods, { counts, V }, program, parameters);
}

/** Numbers of rows by labelling and class. */
function countsOf({ classes }: PencilParameters, sums: readonly bigint[]): bigint[][] {
  let next = 0;
  return classes.map((count) => {
    next += count;
    return sums.slice(next - count, next);
  });
}

/** The blocks of H, which are zero where numbers of rows refuse the result. */
function contrastsOf(
  counts: readonly (readonly bigint[])[],
  isRefused: boolean,
  { summed, truncates, contrastBits, sumFractionBits, fractionBits }: PencilParameters,
): readonly Matrix[] {
  const safe = isRefused ? counts.map((labelling) => labelling.map(() => 0n)) : counts;
  const blocks = safe.map((labelling) => contrasts(labelling, contrastBits));
  if (summed || !truncates) return blocks;
  // Sums without noise have fewer fraction bits.
  return [withinRoots(safe[0]!, contrastBits + sumFractionBits - fractionBits), ...blocks];
}
