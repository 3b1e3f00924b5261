/** Both ends of extended transfers whose base transfers a trusted dealer made; all that comes after these is the real code. */
import type { MessageStream } from '../channel/message-stream.ts';
import { BASE_COUNT, BASE_KEY_BYTES, bitAt } from '../oblivious-transfer/base.ts';
import { ExtensionReceiver, ExtensionSender } from '../oblivious-transfer/extension.ts';
import { drawDelta } from '../oblivious-transfer/index.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';

interface Ends<T> {
  readonly sender: T;
  readonly receiver: T;
}

/** `same` says of which columns both keys are one, which would show the receiver's choices there. */
export function dealtTransfers(
  streams: Ends<MessageStream>,
  random: Ends<RandomSource> & { readonly dealer: RandomSource },
  same: (column: number) => boolean = () => false,
): { readonly sender: ExtensionSender; readonly receiver: ExtensionReceiver } {
  const key = () => Uint8Array.from(random.dealer(BASE_KEY_BYTES));
  const delta = drawDelta(random.dealer);
  const keys = Array.from({ length: BASE_COUNT }, (_, j): [Uint8Array, Uint8Array] => {
    const zero = key();
    return [zero, same(j) ? zero : key()];
  });
  const transcript = Uint8Array.from(random.dealer(32));
  const chosen = keys.map((pair, j) => pair[bitAt(delta, j)]);
  const [sender, receiver] = [
    { stream: streams.sender, random: random.sender },
    { stream: streams.receiver, random: random.receiver },
  ];
  return {
    sender: new ExtensionSender(sender, delta, { keys: chosen, transcript }),
    receiver: new ExtensionReceiver(receiver, { keys, transcript }),
  };
}
