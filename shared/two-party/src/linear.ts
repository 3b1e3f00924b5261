/**
 * The two-party protocol `linear`: both servers open noisy sums and compute nothing together. What a method has sums
 * of, and which noise each server has added to its shares, is in the table of programs; docs/histograms.md has the
 * protocol and what each learns.
 *
 * 1. The data user sends its share of the number of owners, and the CSP compares the sum with the records that it has verified.
 * 2. The CSP sends its shares of all sums. They were made, and sealed, when it unblinded: every run gives the same bytes, and nothing is drawn.
 * The data user's share hides what it holds until its own noise is in the sum, which it is before anything is added up.
 */
import { Integers } from '@eigenveil/platform';
import { resultOfSums } from '@eigenveil/projection/portable';
import type { StatisticsTask } from '@eigenveil/task';
import { hearing, tellingOwners, withAbort } from './channel/abort.ts';
import { programBy } from './programs/index.ts';
import { hangUp, type TwoPartyProtocol } from './protocol.ts';
import { checkOwners, closedByFaults } from './rotated/closing.ts';
import { combine, decodeShares } from './shares.ts';

export const linear: TwoPartyProtocol = {
  isPrivate: true,
  answersOnce: true,

  shareBits: (task) => programBy('linear', task).shareBits(task),
  valuesOf: (task, integers) => programBy('linear', task).valuesOf(task, integers),
  drawNoise: (task, ...by) => programBy('linear', task).drawNoise(task, ...by),

  async runCsp(channel, { task, program }, input) {
    const { shares, verifiedOwners } = input;
    const { sums, owners } = ringsOf(task);
    const own = shares.at(-1)!;
    await closedByFaults(input, (mark) =>
      withAbort(channel, async () => {
        const theirs = decodeShares(owners, await channel.receive());
        // Before the refusal, too: it says one bit of what was aggregated.
        await mark();
        await tellingOwners(channel, async () =>
          checkOwners(combine(owners, [own], theirs)[0]!, verifiedOwners, program.minimumOwners),
        );
        await channel.send(Integers.of(shares.slice(0, -1), sums).bytes);
      }),
    );
  },

  async runDataUser(channel, { task }, input) {
    const { shares } = input;
    const { sums, owners } = ringsOf(task);
    return await withAbort(
      channel,
      () =>
        hearing(async () => {
          await channel.send(Integers.of([shares.at(-1)!], owners).bytes);
          const theirs = decodeShares(sums, await channel.receive());
          await hangUp(channel, input);
          return resultOfSums(task, combine(sums, shares.slice(0, -1), theirs));
        }),
      input.beforeAbort,
    );
  },
};

/** The bits of shares of the sums, and of the number of owners, which is the last. */
function ringsOf(task: StatisticsTask) {
  const bits = linear.shareBits(task);
  return { sums: bits.slice(0, -1), owners: bits.slice(-1) };
}
