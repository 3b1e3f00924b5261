/** The CSP's side of a pencil by the `rotated` protocol: docs/spec/rotated-pencils.md has the steps by the same numbers. */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import { cspSession } from '../../matrices/sessions.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners } from '../closing.ts';
import type { CspLattice } from '../csp.ts';
import { columnOf } from '../matrices.ts';
import { declare } from '../messages.ts';
import { fixed, type PencilSecrets } from '../secrets.ts';
import { pencilShares, totalOf } from '../shares.ts';
import { type PencilParameters, pencilParameters } from './parameters.ts';
import { NOT_KNOWN, pencilPlan, pencilVectors } from './steps.ts';

/** As answerRotated(), for a pencil. */
export async function answerPencil(
  stream: MessageStream,
  lattice: () => Promise<CspLattice>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: PencilParameters) => PencilSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = pencilParameters(task, program);
    const { ringBits } = parameters;
    const secrets = fixed(stream, draw(parameters));
    const own = pencilShares(task, input.shares, ringBits);
    await openOwners(stream, own.owners, ringBits, input, program);

    const open = await lattice();
    const sums = program.outputs.includes('mean') ? totalOf(own.groups) : [];
    const declared = [...own.M.flat(), ...sums].map((share) => BigInt.asUintN(ringBits, share));
    await declare(stream, declared, ringBits);
    const session = cspSession(await open(await pencilPlan(task, program)), mark);
    const turning = {
      shares: { R: { csp: columnOf(own.R) }, V: { csp: own.V } },
      ...{ known: NOT_KNOWN, secrets: () => secrets },
      findRoot: async () => ({ root: {}, normalised: {}, signalColumns: {} }),
      decompose: async () => ({}),
    };
    await pencilVectors(session, turning, parameters);
  });
}
