/** The CSP's side of the `rotated` protocol: docs/spec/rotated.md has the steps by the same numbers. */

import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { LatticeCsp } from '../lattice/csp.ts';
import type { LatticePlan } from '../lattice/sizes.ts';
import { cspSession } from '../matrices/sessions.ts';
import type { CspInput } from '../protocol.ts';
import { closedByFaults, openOwners } from './closing.ts';
import { columnOf } from './matrices.ts';
import { declare } from './messages.ts';
import { type RotatedParameters, rotatedParameters } from './parameters.ts';
import { fixed, type RotationSecrets } from './secrets.ts';
import { statisticsShares } from './shares.ts';
import { scatter, turnedVectors, turningPlan, unknown } from './turning.ts';

/** Opens the products of a plan. */
export type CspLattice = (plan: LatticePlan) => Promise<Pick<LatticeCsp, 'answer'>>;

/**
 * Runs one answer to its end. Shares are modulo 2^ℓ, those of R and V as unblinded, without reduction. `lattice` is called for after
 * the owners were checked; it and `draw` must be of this answer alone.
 * @throws ERR_OWNER_COUNT when the opened number of owners is not the verified one, or is below the minimum
 * @throws as `markAnswered`, the stream and the products
 */
export async function answerRotated(
  stream: MessageStream,
  lattice: () => Promise<CspLattice>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: RotatedParameters) => RotationSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = rotatedParameters(task);
    const { ringBits } = parameters;
    const secrets = fixed(stream, draw(parameters));
    const own = statisticsShares(task, input.shares, ringBits);
    await openOwners(stream, own.owners, ringBits, input, program);

    const open = await lattice();
    const declared = program.outputs.includes('mean') ? [own.Q, ...own.sums] : [own.Q];
    await declare(stream, declared, ringBits);
    const session = cspSession(await open(await turningPlan(task, program)), mark);
    const shares = { R: { csp: columnOf(own.R) }, V: { csp: columnOf(own.V) } };
    const T = await scatter(session, shares, unknown, parameters);
    const turning = { T, secrets: () => secrets, decompose: async () => ({}) };
    await turnedVectors(session, turning, program.components, parameters);
  });
}
