/** Lines that are slow, by a clock that the test moves, and relays that pass bytes on. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, Line } from '../src/proxies/line.ts';
import { Relay } from '../src/proxies/relay.ts';
import { heardFrom } from './sockets.ts';

/** A clock that stands still until it is told otherwise. */
class Stopwatch implements Clock {
  #now = 0;
  readonly #due: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): void {
    this.#due.push({ at: this.#now + milliseconds, run });
  }

  /** Runs what is due until then, in the order of time and then of asking. */
  advance(until: number): void {
    for (;;) {
      const next = this.#due.reduce<number>(
        (best, { at }, i) => (at <= until && (best < 0 || at < this.#due[best]!.at) ? i : best),
        -1,
      );
      if (next < 0) break;
      const [{ at, run }] = this.#due.splice(next, 1) as [{ at: number; run: () => void }];
      this.#now = Math.max(this.#now, at);
      run();
    }
    this.#now = until;
  }
}

describe('Line', () => {
  it('carries its rate, to a packet, however bytes are cut, and no byte before its delay', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(1e6, 1e8, 1e9),
        fc.constantFrom(0, 20, 250),
        (sizes, bitsPerSecond, delayMilliseconds) => {
          const clock = new Stopwatch();
          let arrived = 0;
          const line = new Line({ bitsPerSecond, delayMilliseconds }, clock, ({ length }) => {
            arrived += length;
          });
          for (const size of sizes) line.push(new Uint8Array(size));
          const total = sizes.reduce((sum, size) => sum + size, 0);
          const bytesPerMillisecond = bitsPerSecond / 8000;
          const lasts = total / bytesPerMillisecond;
          for (const share of [0.1, 0.5, 0.9]) {
            clock.advance(delayMilliseconds + share * lasts);
            expect(arrived).toBeLessThanOrEqual(share * total + 1);
            expect(arrived).toBeGreaterThanOrEqual(share * total - 16 * 1024 - 1);
            expect(line.waitingBytes).toBeGreaterThanOrEqual(0);
          }
          clock.advance(delayMilliseconds + lasts + 1);
          expect([arrived, line.waitingBytes]).toEqual([total, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not make up for time in which nothing was sent', () => {
    const clock = new Stopwatch();
    let arrived = 0;
    const line = new Line({ bitsPerSecond: 8000 }, clock, ({ length }) => {
      arrived += length;
    });
    line.push(new Uint8Array(10));
    clock.advance(500);
    expect(arrived).toBe(10);
    line.push(new Uint8Array(10));
    clock.advance(509);
    expect(arrived).toBe(10);
    clock.advance(511);
    expect(arrived).toBe(20);
  });

  it('ends after what was pushed', () => {
    const clock = new Stopwatch();
    const events: string[] = [];
    const line = new Line({ bitsPerSecond: 1e6, delayMilliseconds: 5 }, clock, () => events.push('packet'));
    line.push(new Uint8Array(1000), () => events.push('left'));
    line.end(() => events.push('end'));
    clock.advance(8 + 4);
    expect(events).toEqual(['left']);
    clock.advance(8 + 6);
    expect(events).toEqual(['left', 'packet', 'end']);
  });
});

describe('Relay', () => {
  it('passes every byte on, in order and in both directions, also behind the end of the other', async () => {
    const service = createServer({ allowHalfOpen: true }, (socket) => {
      void heardFrom(socket).then((heard) => socket.end(Buffer.concat([heard, heard])));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const relay = await Relay.start((service.address() as AddressInfo).port, {
      bitsPerSecond: 2e9,
      delayMilliseconds: 3,
    });
    try {
      const question = randomBytes(2_000_000); // several times what may wait
      const socket = connect({ port: relay.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.end(question);
      const answer = await heardFrom(socket);
      expect(answer.equals(Buffer.concat([question, question]))).toBe(true);
    } finally {
      relay.close();
      service.close();
    }
  });
});
