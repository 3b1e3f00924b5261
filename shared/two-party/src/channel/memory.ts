/** Two ends of a channel within one process, for tests and for programs that play both servers. */
import { type Channel, closedError, Inbox, SILENCE_LIMIT_MILLISECONDS } from './channel.ts';

export function memoryChannelPair(silenceLimit = SILENCE_LIMIT_MILLISECONDS): [Channel, Channel] {
  const left = new Inbox();
  const right = new Inbox();
  let open = true;
  const end = (own: Inbox, peer: Inbox): Channel => ({
    async send(message) {
      if (!open) throw closedError();
      peer.deliver(Uint8Array.from(message));
    },
    receive: () => own.receive(silenceLimit),
    async close() {
      open = false;
      left.close();
      right.close();
    },
  });
  return [end(left, right), end(right, left)];
}
