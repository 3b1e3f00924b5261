/** Evaluates the program of `garbled` in the clear, with the rounding of its circuits: a garbled run reveals the same bits. */
import { type FlatResult, flatResult } from '@eigenveil/methods';
import { flatten, type Statistics } from '@eigenveil/statistics';
import { programOf, type TaskProposal, valueBitsOf } from '@eigenveil/task';
import { ClearSession, toRing } from '@eigenveil/two-party/insides';
import { runProgram } from '@eigenveil/two-party/plan';
import type { Scene } from '../../scene.ts';
import type { Shares } from '../in-process/two-party.ts';

/** Up to this number of features, a run takes a quarter of a second or less. */
const MOST = 12;

/** Returns why an experiment leaves out a scene whose circuits it would have to compute often. */
export const tooLong = ({ proposal }: Scene): string | undefined =>
  proposal.features.length > MOST
    ? `more than ${MOST} features, for which circuits would take too long in all runs of this experiment`
    : undefined;

/** @throws as `releasedOf` */
export function garbledOf(proposal: TaskProposal, pooled: Statistics): Promise<FlatResult> {
  const values = flatten(proposal, pooled);
  // The circuit adds the shares first, so that it does not matter what they are.
  const bits = valueBitsOf(proposal);
  const shares = { csp: toRing(bits, values), dataUser: values.map(() => 0n) };
  return garbledOfShares(proposal, shares, Number(pooled.owners));
}

/** @throws as `releasedOf` */
export async function garbledOfShares(
  proposal: TaskProposal,
  { csp, dataUser }: Shares,
  verifiedOwners: number,
): Promise<FlatResult> {
  const garbler = { shares: csp, verifiedOwners };
  const evaluator = { shares: dataUser };
  const program = { ...programOf(proposal), minimumOwners: 1 };
  const released = await runProgram(new ClearSession(), proposal, program, { garbler, evaluator });
  if (released === undefined) throw new TypeError('the session in the clear expected a decomposition');
  return flatResult(released);
}
