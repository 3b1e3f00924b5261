/** What a correlator that lies learns of the chooser's digits: whether one guess at them was right, and nothing before it has guessed. */
import type { CodedError } from '@eigenveil/platform';
import { describe, expect, it } from 'vitest';
import { withAbort } from '../../src/channel/abort.ts';
import { OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import { multiplyChosen } from '../../src/products/index.ts';
import { checkSize, PRODUCT_MESSAGE } from '../../src/products/layout.ts';
import { multiplyLying } from '../support/deviating.ts';
import { messagesOf } from '../support/views.ts';
import { session } from './parties.ts';

const DIGITS = 4;
/** Entries of four bits, from −8 to 7, are one digit each, from 0 to 15. */
const SIZE = checkSize({ rows: 1, inner: DIGITS, columns: 1, entryBits: 4, ringBits: 64, part: 'whole' });

/** A product whose correlator adds 16^n to the mask behind digit n, so that what they add up to tells all digits, and guesses them. */
async function attack(digits: readonly number[], guess: readonly number[]) {
  const { sender, receiver, sentByChooser } = await session();
  const deviate = async () => {
    const all = guess.reduce((sum, digit, n) => sum + BigInt(digit) * 16n ** BigInt(n), 0n);
    await multiplyLying(
      sender,
      SIZE,
      digits.map(() => [7n]),
      {
        deviation: ({ inner }, column) => (column === 1 ? 16n ** BigInt(inner) : 0n),
        guess: (_, column) => (column === 1 ? all : 0n),
      },
    );
    await sender.stream.read(PRODUCT_MESSAGE.check, 1); // whatever comes
  };
  const chosen = withAbort(receiver.stream.channel, () =>
    multiplyChosen(receiver, {
      matrix: [digits.map((digit) => BigInt(digit) - 8n)],
      entryBits: 4,
      columns: 1,
      ringBits: 64,
    }),
  ).then(
    async () => {
      await receiver.stream.channel.close();
      return 'right';
    },
    (error: CodedError) => error.code,
  );
  const heard = await deviate().catch((error: CodedError) => `${error.code} ${error.parameters.reason}`);
  const messages = messagesOf(sentByChooser);
  return { outcome: await chosen, heard, forms: messages.map(({ type, payload }) => [type, payload.length]) };
}

const DIGITS_TRIED = [
  [0, 0, 0, 0],
  [15, 1, 8, 0],
  [15, 15, 15, 15],
] as const;

describe('a correlator that adds 16^n to the mask behind digit n', () => {
  it.each(DIGITS_TRIED)('passes if it guesses the digits, %i %i %i %i', async (...digits) => {
    expect((await attack(digits, digits)).outcome).toBe('right');
  });

  it('hears the same whatever the digits are: a challenge, and an abort that gives no reason', async () => {
    const seen = new Set<string>();
    for (const digits of DIGITS_TRIED) {
      const { outcome, heard, forms } = await attack(digits, [1, 0, 0, 0]);
      expect(outcome).toBe('ERR_PRODUCT_CHECK');
      expect(heard).toBe('ERR_CHANNEL_ABORTED ERR_COMPUTATION');
      seen.add(JSON.stringify(forms));
      expect(forms.at(-1)).toEqual([PRODUCT_MESSAGE.challenge, 16]);
      const ownTypes: readonly number[] = Object.values(OT_MESSAGE);
      expect(forms.slice(0, -1).every(([type]) => ownTypes.includes(type!))).toBe(true);
    }
    expect(seen.size).toBe(1);
  });
});
