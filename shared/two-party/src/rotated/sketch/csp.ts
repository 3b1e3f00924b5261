/**
 * The CSP's side of a sketch by the `rotated` protocol: docs/spec/rotated-sketches.md has the steps by the same
 * numbers.
 */
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../../channel/message-stream.ts';
import type { Piece } from '../../matrices/session.ts';
import { cspSession } from '../../matrices/sessions.ts';
import type { CspInput } from '../../protocol.ts';
import { closedByFaults, openOwners } from '../closing.ts';
import type { CspLattice } from '../csp.ts';
import { inRing } from '../matrices.ts';
import { declare } from '../messages.ts';
import { fixed, type SketchSecrets } from '../secrets.ts';
import { centredShareOfCsp } from './centring.ts';
import { type SketchParameters, sketchParameters } from './parameters.ts';
import { doubledCore, type SketchShares, sketchShares } from './shares.ts';
import { type Kept, sketchPlan, sketchVectors } from './steps.ts';
import type { TestMatrix } from './test-matrix.ts';

/** As answerRotated(), for a sketch. */
export async function answerSketch(
  stream: MessageStream,
  lattice: () => Promise<CspLattice>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: SketchParameters) => SketchSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = sketchParameters(task, program);
    const secrets = fixed(stream, draw(parameters));
    const own = sketchShares(task, input, parameters);
    await openOwners(stream, own.owners, parameters.shareRing, input, program);

    const open = await lattice();
    await declare(stream, [own.Q, ...own.sums], parameters.shareRing);
    const session = cspSession(await open(await sketchPlan(task, program)), mark);
    const turning = {
      ...{ centring: { csp: own }, keep: (products: readonly Piece[]) => keptOf(own, products, parameters) },
      secrets: () => secrets,
      ...{ findRoot: async () => ({ root: {}, normalised: {} }), decompose: async () => ({}) },
    };
    await sketchVectors(session, turning, parameters);
  });
}

/** Step 1: what the CSP keeps of Z, which is as unblinding left it, or with a floor as two products leave it: not negative, d × l. */
function keptOf(
  own: SketchShares & { readonly signs: TestMatrix },
  products: readonly Piece[],
  parameters: SketchParameters,
): Kept {
  const { columns: l, hasFloor, entryBits, ringBits, cut, fineCut } = parameters;
  const Z = hasFloor ? centredShareOfCsp(own, products, parameters) : own.Y;
  const kept = Array.from(Z, (row) => row.map((share) => share >> BigInt(fineCut)));
  const coarse = kept.map((row) => row.map((share) => share >> BigInt(cut - fineCut)));
  const core = inRing(doubledCore(Z, l, own.signs, entryBits), ringBits);
  return { core: { csp: core }, kept: { csp: kept }, coarse: { csp: coarse } };
}
