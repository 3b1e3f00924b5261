/** A channel that counts how often its messages change direction. */
import type { Channel } from '@eigenveil/two-party';

export class Turns implements Channel {
  rounds = 0;
  readonly #channel: Channel;
  #last: 'sent' | 'received' | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  get bytesSent(): number {
    return this.#channel.bytesSent;
  }

  get bytesReceived(): number {
    return this.#channel.bytesReceived;
  }

  send(message: Uint8Array, released?: () => void): Promise<void> {
    this.#note('sent');
    return this.#channel.send(message, released);
  }

  async receive(): Promise<Uint8Array> {
    const message = await this.#channel.receive();
    this.#note('received');
    return message;
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  abort(code: string): Promise<void> {
    return this.#channel.abort(code);
  }

  #note(what: 'sent' | 'received'): void {
    if (this.#last !== what) this.rounds += 1;
    this.#last = what;
  }
}
