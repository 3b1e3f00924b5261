/** Channels that tell what passes through them. */

import type { Channel } from '../../src/index.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

/** Passes everything on; `onSend` may change a message. */
export function watched(
  channel: Channel,
  onSend: (message: Uint8Array) => Uint8Array,
  onReceive = () => undefined,
) {
  return {
    send: (message: Uint8Array, released?: () => void) => channel.send(onSend(message), released),
    receive: async () => {
      const message = await channel.receive();
      onReceive();
      return message;
    },
    close: () => channel.close(),
    abort: (code: string) => channel.abort(code),
    get bytesSent() {
      return channel.bytesSent;
    },
    get bytesReceived() {
      return channel.bytesReceived;
    },
  } satisfies Channel;
}

/** A pair of channels, and how many one-way trips there were: a message is one trip behind the last that its sender has received. */
export function countingTrips(): { channels: [Channel, Channel]; trips: () => number } {
  const [left, right] = memoryChannelPair();
  const sent: [number[], number[]] = [[], []];
  const received = [0, 0];
  const end = (channel: Channel, own: 0 | 1) => {
    let read = 0;
    return watched(
      channel,
      (message) => {
        sent[own].push(received[own]! + 1);
        return message;
      },
      () => {
        received[own] = Math.max(received[own]!, sent[(1 - own) as 0 | 1][read]!);
        read += 1;
      },
    );
  };
  return { channels: [end(left, 0), end(right, 1)], trips: () => Math.max(...sent.flat()) };
}
