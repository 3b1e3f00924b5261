/**
 * The strategy of a histogram task, applied to shares: linear over the integers, so that each server does it
 * by itself.
 *
 * The two-party protocol `linear`: the noisy sums of a histogram task. Both servers' shares are of sums of counts, each with its own noise in it; docs/histograms.md has
 * the protocol and what each learns.
 *
 * 1. The data user sends its share of the number of owners, and the CSP compares the sum with the records that it has verified.
 * 2. The CSP sends its shares of all sums. They were made, and sealed, when it unblinded: every run gives the same bytes, and nothing is drawn.
 * The data user's share hides what it holds until its own noise is in the sum, which it is before anything is added up.
 */
import { histogramsOf, LINEAR_RING_BITS, strategyOf, sumsOf } from '@eigenveil/methods';
import { CodedError, type IntegerList, Integers } from '@eigenveil/platform';
import { releaseOf } from '@eigenveil/projection/portable';
import { coefficientsOf } from '@eigenveil/release';
import type { StatisticsTask } from '@eigenveil/task';
import { hearing, tellingOwners, withAbort } from './channel/abort.ts';
import { TWO_PARTY_CODES } from './codes.ts';
import { hangUp, type TwoPartyProtocol } from './protocol.ts';
import { checkOwners, closedByFaults } from './rotated/closing.ts';
import { combine, decodeShares } from './shares.ts';

/**
 * Returns for each histogram Ax and the count of cells that are not a number, then the number of owners.
 * @param integers one per value of the flat statistics, of any size: the caller must reduce the result
 * @throws ERR_TASK_RANGE for another task
 */
export function sumShares(
  task: Pick<StatisticsTask, 'method' | 'features'>,
  integers: IntegerList,
): bigint[] {
  const { method } = task;
  if (method.kind !== 'histogram')
    throw new CodedError(TWO_PARTY_CODES.ERR_TASK_RANGE, `"method" expected histogram, got ${method.kind}`);
  const strategy = strategyOf(method);
  const size = strategy.bins + 1;
  const all = histogramsOf(task).length * size;
  if (integers.length !== all + 1)
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `expected ${all + 1} values, got ${integers.length}`,
    );
  const sums: bigint[] = [];
  for (let from = 0; from < all; from += size) {
    const unreadable = from + strategy.bins;
    for (const sum of coefficientsOf(strategy, [...integers.slice(from, unreadable)])) sums.push(sum);
    sums.push(integers.at(unreadable)!);
  }
  return [...sums, integers.at(all)!];
}

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
  return new Array<number>(sumsOf(task) + 1).fill(LINEAR_RING_BITS);
}
