/**
 * The two-party protocol `linear`: the noisy sums of a histogram task. Both servers' shares are of sums of counts, each with its own noise in it; docs/histograms.md has
 * the protocol and what each learns.
 *
 * 1. The data user sends its share of the number of owners, and the CSP compares the sum with the records that it has verified.
 * 2. The CSP sends its shares of all sums. They were made, and sealed, when it unblinded: every run gives the same bytes, and nothing is drawn.
 * The data user's share hides what it holds until its own noise is in the sum, which it is before anything is added up.
 */
import { Integers } from '@eigenveil/platform';
import { releaseOf } from '@eigenveil/projection/portable';
import { LINEAR_RING_BITS, type StatisticsTask } from '@eigenveil/task';
import { withAbort } from './channel/abort.ts';
import { hearing, tellingOwners } from './channel/owner-refusal.ts';
import { sumCount } from './linear/sums.ts';
import { hangUp, type TwoPartyProtocol } from './protocol.ts';
import { checkOwners, closedByFaults } from './rotated/closing.ts';
import { combine, decodeShares } from './shares.ts';

const OWNERS = [LINEAR_RING_BITS];

export const linear: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: true,

  shareBits: ringOf,

  async runCsp(channel, { task, program }, input) {
    const { shares, verifiedOwners } = input;
    const own = shares.at(-1)!;
    await closedByFaults(input, (mark) =>
      withAbort(channel, async () => {
        const theirs = decodeShares(OWNERS, await channel.receive());
        // Before the refusal, too: it says one bit of what was aggregated.
        await mark();
        await tellingOwners(channel, async () =>
          checkOwners(combine(OWNERS, [own], theirs)[0]!, verifiedOwners, program.minimumOwners),
        );
        await channel.send(Integers.of(shares.slice(0, -1), ringOf(task).slice(0, -1)).bytes);
      }),
    );
  },

  async runDataUser(channel, { task }, input) {
    const { shares } = input;
    return await withAbort(
      channel,
      () =>
        hearing(async () => {
          await channel.send(Integers.of([shares.at(-1)!], OWNERS).bytes);
          const ring = ringOf(task).slice(0, -1);
          const theirs = decodeShares(ring, await channel.receive());
          await hangUp(channel, input);
          return {
            vectors: [],
            eigenvalues: [],
            ...releaseOf(task, combine(ring, shares.slice(0, -1), theirs)),
          };
        }),
      input.beforeAbort,
    );
  },
};

function ringOf(task: StatisticsTask): number[] {
  return new Array<number>(sumCount(task)).fill(LINEAR_RING_BITS);
}
