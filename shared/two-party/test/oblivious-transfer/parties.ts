/** What the tests of this room share: recorded streams, seeded randomness, both ends of a session. */
import { randomBytes } from 'node:crypto';
import { MessageStream } from '../../src/channel/message-stream.ts';
import type { Channel } from '../../src/index.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { type RandomSource, systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

/** Everything that a channel's user sends goes into `sent`, after `change` had its way with it. */
export function recorded(
  channel: Channel,
  change: (message: Uint8Array, index: number) => Uint8Array = (m) => m,
) {
  const sent: Buffer[] = [];
  const recording: Channel = {
    send: (message, released) => {
      const changed = change(message, sent.length);
      sent.push(Buffer.from(changed)); // a copy
      return channel.send(changed, released);
    },
    receive: () => channel.receive(),
    close: () => channel.close(),
    abort: (code) => channel.abort(code),
    bytesSent: 0,
    bytesReceived: 0,
  };
  return { recording, sent };
}

export interface SessionOptions {
  readonly delta?: Uint8Array;
  readonly senderRandom?: RandomSource;
  readonly receiverRandom?: RandomSource;
  readonly maximumRows?: number;
}

export async function session(options: SessionOptions = {}) {
  const { delta = drawDelta(), senderRandom = systemRandomness, receiverRandom = systemRandomness } = options;
  const [left, right] = memoryChannelPair();
  const fromSender = recorded(left);
  const fromReceiver = recorded(right);
  const [sender, receiver] = await Promise.all([
    ExtensionSender.setUp(
      { stream: new MessageStream(fromSender.recording), random: senderRandom },
      delta,
      options.maximumRows,
    ),
    ExtensionReceiver.setUp(
      { stream: new MessageStream(fromReceiver.recording), random: receiverRandom },
      options.maximumRows,
    ),
  ]);
  return { sender, receiver, delta, fromSender: fromSender.sent, fromReceiver: fromReceiver.sent };
}

export function randomChoices(count: number, random: RandomSource = randomBytes): Uint8Array {
  return Uint8Array.from(random(count), (byte) => byte & 1);
}

export function row(rows: Uint8Array, i: number): Buffer {
  return Buffer.from(rows.subarray(16 * i, 16 * i + 16));
}

export function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!));
}
