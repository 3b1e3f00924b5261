/** What a correlator that lies learns of the chooser's digits: whether one guess at them was right, and nothing before it has guessed. */
import { describe, expect, it } from 'vitest';
import { type TwoPartyError, withAbort } from '../../src/index.ts';
import { OT_MESSAGE } from '../../src/oblivious-transfer/message-types.ts';
import { CHECK_KEY_BYTES, Transcript } from '../../src/products/check.ts';
import { multiplyChosen } from '../../src/products/index.ts';
import { BLOCK_BYTES, CHECK_BYTES, checkSize, chunks, transferCount } from '../../src/products/layout.ts';
import { PRODUCT_MESSAGE } from '../../src/products/messages.ts';
import { Workspace } from '../../src/products/workspace.ts';
import { messagesOf } from '../garbling/transcript.ts';
import { session } from './parties.ts';

const DIGITS = 4;
/** Entries of two bits, from −2 to 1, are one digit each, from 0 to 3. */
const SIZE = checkSize({
  rows: DIGITS,
  inner: 1,
  columns: 1,
  entryBits: 2,
  ringBits: 64,
  part: 'whole',
});

/** A product whose correlator adds 4^n to the zero behind digit n, so that the sum of the zeros tells all digits, and guesses them. */
async function attack(digits: readonly number[], guess: readonly number[]) {
  const { sender, receiver, sentByChooser } = await session();
  const { stream } = sender;
  const deviate = async () => {
    const workspace = new Workspace(SIZE);
    workspace.place([[7n]], sender.delta);
    const key = sender.random(CHECK_KEY_BYTES);
    const transcript = new Transcript(key);
    stream.write(PRODUCT_MESSAGE.opening, key);
    const [chunk] = chunks(SIZE);
    for await (const { rows } of sender.blocks(transferCount(SIZE))) {
      workspace.correlate(chunk!, rows, sender.random(BLOCK_BYTES));
      const message = Uint8Array.from(workspace.message(chunk!));
      const view = new DataView(message.buffer);
      for (let n = 0; n < DIGITS; n += 1) {
        const at = message.length - (DIGITS - n) * (chunk!.width + CHECK_BYTES) + chunk!.width;
        view.setBigUint64(at, view.getBigUint64(at, true) + 4n ** BigInt(n), true);
      }
      transcript.add(message);
      stream.write(PRODUCT_MESSAGE.chunk, message);
    }
    const sum = guess.reduce((total, digit, n) => total + BigInt(digit) * 4n ** BigInt(n), 0n);
    await transcript.tell(stream, BigInt.asUintN(64, workspace.zero() - sum));
    await stream.read(PRODUCT_MESSAGE.check, 1); // whatever comes
  };
  const chosen = withAbort(receiver.stream.channel, () =>
    multiplyChosen(receiver, {
      matrix: digits.map((digit) => [BigInt(digit) - 2n]),
      entryBits: 2,
      columns: 1,
      ringBits: 64,
    }),
  ).then(
    async () => {
      await receiver.stream.channel.close();
      return 'right';
    },
    (error: TwoPartyError) => error.code,
  );
  const heard = await deviate().catch((error: TwoPartyError) => `${error.code} ${error.reason}`);
  const forms = messagesOf(sentByChooser).map(({ type, payload }) => [type, payload.length]);
  return { outcome: await chosen, heard, forms };
}

const DIGITS_TRIED = [
  [0, 0, 0, 0],
  [3, 1, 2, 0],
  [3, 3, 3, 3],
] as const;

describe('a correlator that adds 4^n to the zero behind digit n', () => {
  it.each(DIGITS_TRIED)(
    'passes if it guesses the digits, %i %i %i %i: the sum tells them',
    async (...digits) => {
      expect((await attack(digits, digits)).outcome).toBe('right');
    },
  );

  it('hears the same whatever the digits are: an abort that gives no reason, and not a message', async () => {
    const seen = new Set<string>();
    for (const digits of DIGITS_TRIED) {
      const { outcome, heard, forms } = await attack(digits, [1, 0, 0, 0]);
      expect(outcome).toBe('ERR_PRODUCT_CHECK');
      expect(heard).toBe('ERR_CHANNEL_ABORTED ERR_COMPUTATION');
      seen.add(JSON.stringify(forms));
      const ownTypes: readonly number[] = Object.values(OT_MESSAGE);
      expect(forms.every(([type]) => ownTypes.includes(type!))).toBe(true);
    }
    expect(seen.size).toBe(1);
  });
});
