/** Two ends of a channel within one process, for tests and for programs that play both servers. */
import { type Channel, type ChannelLimits, withDefaults } from '../../src/channel/channel.ts';
import { Endpoint, type Transport } from '../../src/channel/endpoint.ts';

/** One direction: what waits while the receiving end is paused. */
class Pipe {
  readonly #waiting: (() => void)[] = [];
  #paused = false;

  push(job: () => void): void {
    if (this.#paused) this.#waiting.push(job);
    else job();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    while (!this.#paused && this.#waiting.length > 0) this.#waiting.shift()!();
  }
}

export function memoryChannelPair(limits?: Partial<ChannelLimits>): [Channel, Channel] {
  const complete = withDefaults(limits);
  const toLeft = new Pipe();
  const toRight = new Pipe();
  const left: Endpoint = new Endpoint(
    transport(
      toRight,
      toLeft,
      () => right,
      () => left,
    ),
    complete,
  );
  const right: Endpoint = new Endpoint(
    transport(
      toLeft,
      toRight,
      () => left,
      () => right,
    ),
    complete,
  );
  return [left, right];
}

function transport(outgoing: Pipe, incoming: Pipe, peer: () => Endpoint, self: () => Endpoint): Transport {
  return {
    write: (message, done) =>
      outgoing.push(() => {
        peer().deliver(new Uint8Array(message)); // a copy: the sender may use its bytes again
        done();
      }),
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    close(reason) {
      outgoing.push(() => {
        peer().ended(reason);
        self().ended(undefined);
      });
    },
    terminate() {
      peer().ended(undefined);
      self().ended(undefined);
    },
  };
}
