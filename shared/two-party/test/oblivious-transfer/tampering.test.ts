import { CodedError } from '@eigenveil/platform';
import { describe, expect, test } from 'vitest';
import { withAbort } from '../../src/channel/abort.ts';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { drawDelta, setUpReceiver, setUpSender } from '../../src/oblivious-transfer/index.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { receiveChosen, sendChosen } from '../support/random-transfers.ts';
import { recorded } from './parties.ts';

const COUNT = 100;
const END = 0xff;

type Change = (message: Uint8Array, index: number) => Uint8Array;

function flip(at: number): Change {
  return (message) => {
    const changed = Uint8Array.from(message);
    const place = at < 0 ? changed.length + at : at;
    changed[place] = changed[place]! ^ 1;
    return changed;
  };
}

const onlyMessage =
  (wanted: number, change: Change): Change =>
  (message, index) =>
    index === wanted ? change(message, index) : message;

/** A whole conversation: set-up and chosen transfers. What each end throws, with what the channel tells of it. */
async function converse(changeSender: Change, changeReceiver: Change, silenceMilliseconds = 60_000) {
  const [left, right] = memoryChannelPair({ silenceMilliseconds });
  const [senderStream, receiverStream] = [
    new MessageStream(recorded(left, changeSender).recording),
    new MessageStream(recorded(right, changeReceiver).recording),
  ];
  const messages = new Uint8Array(16 * COUNT).fill(7);
  const ends = await Promise.allSettled([
    withAbort(left, async () => {
      const sender = await setUpSender(senderStream, drawDelta());
      await sendChosen(sender, messages, messages);
      await senderStream.read(END, 0); // stays until the receiver has looked at everything
    }),
    withAbort(right, async () => {
      const receiver = await setUpReceiver(receiverStream);
      await receiveChosen(receiver, new Uint8Array(COUNT));
      receiverStream.write(END, new Uint8Array(0));
      await receiverStream.flush();
    }),
  ]);
  return ends.map((end) => (end.status === 'rejected' ? (end.reason as CodedError) : undefined));
}

const same: Change = (message) => message;
const cut: Change = (message) => message.subarray(0, message.length - 1);
const empty: Change = () => new Uint8Array(0);

describe('a tampered conversation', () => {
  test('is none when nobody tampers', async () => {
    expect(await converse(same, same)).toEqual([undefined, undefined]);
  });

  // Frames of the sender: the public keys, since it is the receiver of the base transfers; hash keys; masked messages.
  // Frames of the receiver: the ephemeral key; a header, columns and the response; corrections.
  test.each([
    ['the type of the public keys', onlyMessage(0, flip(0)), same, 'ERR_CHANNEL_MESSAGE'],
    ['the length of the public keys', onlyMessage(0, flip(4)), same, 'ERR_CHANNEL_MESSAGE'],
    ['a public key', onlyMessage(0, flip(8 + 65 + 40)), same, 'ERR_OT_POINT'],
    ['the encoding of a public key', onlyMessage(0, flip(8)), same, 'ERR_OT_POINT'],
    ['the ephemeral key', same, onlyMessage(0, flip(-1)), 'ERR_OT_POINT'],
    ['the type of the ephemeral key', same, onlyMessage(0, flip(0)), 'ERR_CHANNEL_MESSAGE'],
    ['the first row of a block', same, onlyMessage(1, flip(8)), 'ERR_CHANNEL_MESSAGE'],
    ['the number of rows of a block', same, onlyMessage(1, flip(12)), 'ERR_CHANNEL_MESSAGE'],
    ['the length of the columns', same, onlyMessage(1, flip(20)), 'ERR_CHANNEL_MESSAGE'],
    ['the length of the corrections', same, onlyMessage(2, flip(4)), 'ERR_CHANNEL_MESSAGE'],
    ['the length of the hash keys', onlyMessage(1, flip(4)), same, 'ERR_CHANNEL_MESSAGE'],
    ['the length of the masked messages', onlyMessage(2, flip(5)), same, 'ERR_CHANNEL_MESSAGE'],
    ['an empty frame', onlyMessage(1, empty), same, 'ERR_CHANNEL_MESSAGE'],
  ])('ends in a clear abort at both ends: %s', async (_name, changeSender, changeReceiver, code) => {
    const errors = await converse(changeSender, changeReceiver);
    for (const error of errors) expect(error).toBeInstanceOf(CodedError);
    const [detecting, told] = errors[0]!.code === code ? errors : errors.toReversed();
    expect(detecting).toMatchObject({ code });
    expect(told).toMatchObject({ code: 'ERR_CHANNEL_ABORTED', parameters: { reason: code } });
  });

  test.each([
    ['the sender', cut, same],
    ['the receiver', same, cut],
  ])('that loses the end of a message ends in time: %s', async (_name, changeSender, changeReceiver) => {
    const errors = await converse(onlyMessage(0, changeSender), onlyMessage(0, changeReceiver), 300);
    for (const error of errors) expect(error?.code).toMatch(/^ERR_(CHANNEL|OT)_/);
  });
});
