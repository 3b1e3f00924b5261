/**
 * The two-party protocol `rotated`: the data user decomposes the scatter matrix, or the pencil of a
 * discriminant method, behind secret random rotations, in the clear, and the CSP rotates the vectors back.
 * docs/rotated.md says what it leaks, docs/spec/rotated.md has the steps, docs/arguments/rotated.md the proof.
 */
import { computedBitsOf } from '@eigenveil/task';
import { hearing, tellingOwners, withAbort } from './channel/abort.ts';
import type { Channel } from './channel/channel.ts';
import { MessageStream } from './channel/message-stream.ts';
import { Transcript } from './channel/transcript.ts';
import { checkRotated } from './check-task.ts';
import { EvaluatorSession, GarblerSession } from './garbling/index.ts';
import { cspLattice, dataUserLattice, productsOf } from './lattice/opening.ts';
import {
  keyFrom,
  type RandomSource,
  SEED_BYTES,
  streamsFrom,
  systemRandomness,
} from './oblivious-transfer/randomness.ts';
import { programBy } from './programs/index.ts';
import type { KeptAnswer, Progress, TwoPartyProtocol } from './protocol.ts';
import { rotatedPlan } from './rotated/plans.ts';
import { RandomBits } from './rotated/random.ts';
import { runOf } from './rotated/runs.ts';
import { STATISTICS } from './shares.ts';

export const rotated: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: true,

  ...STATISTICS,
  shareBits(task) {
    const bits = computedBitsOf(task);
    const ring = programBy('rotated', task).shareRing(task);
    return ring === undefined ? bits : bits.fill(ring);
  },

  async runCsp(channel, { task, program }, input) {
    await withAbort(channel, async () => {
      checkRotated(task, program);
      // The CSP gives one answer, and a failed guess is one: it is kept before it is checked, whatever
      // becomes of closedByFaults().
      const { stream, randomness } = begin(channel, input.answer, { keepsChecks: true });
      const ends = {
        stream,
        lattice: () => cspLattice(stream, PROGRAM, randomness),
        session: () => GarblerSession.open(stream, randomness('circuit')),
        random: new RandomBits(randomness('rotation')),
      };
      await tellingOwners(channel, () => runOf(task).answer(ends, { task, program }, input));
    });
  },

  async runDataUser(channel, { task, program }, input, onProgress) {
    return await withAbort(
      channel,
      async () => {
        checkRotated(task, program);
        // Its own checks are counted: see failures.ts of the service.
        const { stream, randomness } = begin(channel, input.answer, { keepsChecks: false });
        const onWork = onProgress && workTold(productsOf(await rotatedPlan(task, program)), onProgress);
        const ends = {
          stream,
          lattice: () => dataUserLattice(stream, PROGRAM, randomness, onWork),
          session: () => EvaluatorSession.open(stream, undefined, randomness('circuit')),
        };
        return await hearing(() => runOf(task).ask(ends, { task, program }, input));
      },
      input.beforeAbort,
    );
  },
};

/**
 * Raised whenever the same secrets and messages would make other messages or tags, at either end; a test
 * keeps the digests of both by this name.
 */
export const PROGRAM = 'eigenveil rotated 10';

/** Public, as is what it counts: neither depends on what is multiplied. */
function workTold(planned: number, onProgress: (progress: Progress) => void): (products: number) => void {
  let done = 0;
  return (more) => {
    done += more;
    onProgress({ unit: 'products', done, planned });
  };
}

/**
 * A run: all that its end draws comes from the seed, and with an answer that is kept, what has come is
 * compared with the runs before.
 */
function begin(
  channel: Channel,
  answer: KeptAnswer | undefined,
  options: { readonly keepsChecks: boolean },
): { readonly stream: MessageStream; readonly randomness: (purpose: string) => RandomSource } {
  const seed = answer?.seed ?? systemRandomness(SEED_BYTES);
  const transcript = answer && new Transcript(keyFrom(seed, 'transcript'), PROGRAM, answer, options);
  return {
    stream: new MessageStream(channel, transcript),
    randomness: streamsFrom(seed),
  };
}
