/**
 * NOT PRIVATE. The two-party protocol `simulated`: the CSP hands its additive shares to the data user, which
 * adds both and decomposes the pooled statistics in the clear. So the data user sees the aggregate of all
 * owners (never a single contribution). It stands in for a private protocol in tests, benchmarks and
 * demonstrations, and services and owners refuse it unless they were started to allow it.
 */
import { CodedError, Integers } from '@eigenveil/platform';
import { resultInClear } from '@eigenveil/projection';
import { unflattenComputed } from '@eigenveil/statistics';
import { computedBitsOf } from '@eigenveil/task';
import { TWO_PARTY_CODES } from './codes.ts';
import { hangUp, type TwoPartyProtocol } from './protocol.ts';
import { combine, decodeShares, STATISTICS } from './shares.ts';

const COUNT_BYTES = 4;

export const simulated: TwoPartyProtocol = {
  isPrivate: false,
  answersOnce: false,

  ...STATISTICS,

  async runCsp(channel, { task }, { shares, verifiedOwners, markAnswered }) {
    const bits = computedBitsOf(task);
    const count = Buffer.alloc(COUNT_BYTES);
    count.writeUInt32BE(verifiedOwners);
    await markAnswered();
    await channel.send(Buffer.concat([count, Integers.of(shares, bits).bytes]));
  },

  async runDataUser(channel, { task, program }, input) {
    const bits = computedBitsOf(task);
    const message = Buffer.from(await channel.receive());
    await hangUp(channel, input);
    if (message.length < COUNT_BYTES) {
      throw new CodedError(
        TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
        `"message" expected a count and shares, got ${message.length} bytes`,
      );
    }
    const verifiedOwners = BigInt(message.readUInt32BE());
    const values = combine(bits, input.shares, decodeShares(bits, message.subarray(COUNT_BYTES)));
    const statistics = unflattenComputed(task, values);
    if (statistics.owners !== verifiedOwners) {
      throw new CodedError(
        TWO_PARTY_CODES.ERR_OWNER_COUNT,
        'the encrypted number of owners differs from the verified records',
      );
    }
    return resultInClear(program, statistics, input.signs);
  },
};
