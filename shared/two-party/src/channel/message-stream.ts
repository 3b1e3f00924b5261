/**
 * Typed messages of exact length over a channel. Writes gather in frames, so that hundreds of small messages
 * cost one write to the transport; a message may span frames. On the wire a message is its type and its
 * length, each four bytes, little endian, and its payload. The reader names the type and length it expects,
 * so a peer can neither make it allocate nor confuse it: anything else is ERR_CHANNEL_MESSAGE.
 *
 * With a transcript nothing leaves that may depend on what was received before that is the same as in every
 * run before: see Transcript.
 */
import { setImmediate } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import { tellableCode } from './abort.ts';
import type { Channel } from './channel.ts';
import type { Transcript } from './transcript.ts';

const FRAME_HEADER_BYTES = 8;
/** The length of frames on a channel that prefers none. */
export const FRAME_BYTES = 16 * 1024 - 8;
/** The number of bytes that may be written before write() asks for a flush. */
const WRITE_AHEAD_BYTES = 4 * 1024 * 1024;
const LARGEST_UINT32 = 2 ** 32 - 1;

export class MessageStream {
  readonly channel: Channel;
  readonly #frameBytes: number;
  #frame: Buffer | undefined;
  /** Frames that the channel has released: memory that was used before costs half as much as fresh memory. */
  readonly #spareFrames: Buffer[] = [];
  #filled = 0;
  /** Bytes handed to the channel whose send has not resolved. */
  #handedBytes = 0;
  #handed: Promise<void> = Promise.resolve();
  #gate: (() => Promise<void>) | undefined;
  #gateOpen: Promise<void> | undefined;
  /**
   * The event that a frame waits for before it leaves, if it must. Later frames wait for it as well, so that
   * they keep their order.
   */
  #ready: Promise<unknown> | undefined;
  #writeFailure: { readonly error: unknown } | undefined;
  #input: Uint8Array = new Uint8Array(0);
  #position = 0;
  #again = new Uint8Array(0);
  #reading = false;
  #readFailure: { readonly error: unknown } | undefined;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  readonly #transcript: Transcript | undefined;

  constructor(channel: Channel, transcript?: Transcript) {
    this.channel = channel;
    this.#transcript = transcript;
    this.#frameBytes = channel.frameBytes ?? FRAME_BYTES;
  }

  /**
   * Appends a message; the payload is copied. It leaves when enough has gathered, with flush(), or when this
   * end waits for the peer. Returns false when the caller should await flush() before it writes much more.
   * Errors of the channel are thrown by flush().
   */
  write(type: number, payload: Uint8Array): boolean {
    this.#bind({ type, payload });
    return this.#append(type, payload);
  }

  /**
   * A write() for messages that go out while others come in: they must depend on nothing that is received
   * from now on. When they are written may then depend on the line.
   */
  ahead(): (type: number, payload: Uint8Array) => boolean {
    this.#bind();
    return (type, payload) => this.#append(type, payload);
  }

  #append(type: number, payload: Uint8Array): boolean {
    if (!Number.isInteger(type) || type < 0 || type > LARGEST_UINT32) {
      throw new RangeError(`"type" expected an unsigned integer of 32 bits, got ${type}`);
    }
    if (this.#filled + FRAME_HEADER_BYTES > this.#frameBytes) this.#handOver();
    const frame = this.#openFrame();
    frame.writeUInt32LE(type, this.#filled);
    frame.writeUInt32LE(payload.length, this.#filled + 4);
    this.#filled += FRAME_HEADER_BYTES;
    if (payload.length <= this.#frameBytes - this.#filled) {
      frame.set(payload, this.#filled);
      this.#filled += payload.length;
    } else this.#writeAcross(payload);
    return this.#handedBytes + this.#filled < WRITE_AHEAD_BYTES;
  }

  /**
   * Sends all that was written; resolves when the channel has room again.
   * @throws as Channel.send
   */
  async flush(): Promise<void> {
    this.#handOver();
    await this.#handed;
    if (this.#writeFailure) throw this.#writeFailure.error;
  }

  /**
   * Sends all that was written and gives the event loop a turn, so that it leaves while this end goes on to compute. This does not wait for
   * room in the channel, which an end must not do while the other end does. Errors of the channel are thrown by flush().
   */
  async depart(): Promise<void> {
    this.#handOver();
    await setImmediate();
  }

  /**
   * Does what depart() does, and waits for room in the channel: where the other end reads meanwhile, and does not wait for room itself.
   * @throws as flush()
   */
  async departWithRoom(): Promise<void> {
    await this.depart();
    await this.flush();
  }

  /**
   * Declares that all later frames may depend on `own`, which must be the same in every run, like everything
   * that was received before.
   */
  fix(own: Uint8Array): void {
    this.#transcript?.fix(own);
  }

  /**
   * To be awaited before what was received is put to a check that a wrong guess at this end's secrets fails:
   * where this end `keepsChecks`, no other guess is checked in any run. What was written before must
   * have been flushed, or leaves later.
   * @throws as Transcript.bind
   */
  async beforeCheck(): Promise<void> {
    await this.#transcript?.beforeCheck();
  }

  /**
   * Keeps back what is written from now on until `gate` resolves, which is called when the first of it would
   * leave.
   */
  hold(gate: () => Promise<void>): void {
    this.#handOver();
    this.#gate = gate;
    this.#gateOpen = undefined;
  }

  /** Resolves when what is written now may leave: at once, unless a gate holds it back. */
  async released(): Promise<void> {
    this.#openGate();
    await this.#gateOpen;
  }

  /**
   * The payload of the next message.
   * @throws ERR_CHANNEL_MESSAGE and the errors of Channel.receive
   */
  async read(type: number, length: number): Promise<Uint8Array> {
    const payload = new Uint8Array(length);
    await this.readInto(type, payload);
    return payload;
  }

  /**
   * The payload of the next message in memory that is used again: valid until the next call. Memory that is touched for the first time
   * takes longer than a message.
   * @throws as read() does
   */
  async readAgain(type: number, length: number): Promise<Uint8Array> {
    if (this.#again.length < length) this.#again = new Uint8Array(length);
    const payload = this.#again.subarray(0, length);
    await this.readInto(type, payload);
    return payload;
  }

  /**
   * Fills `target` with the payload of the next message, which must be as long.
   * @throws as read() does
   */
  async readInto(type: number, target: Uint8Array): Promise<void> {
    if (this.tryReadInto(type, target)) return;
    if (this.#reading) throw new TypeError('"readInto" expected the previous read to have ended');
    if (this.#readFailure) throw this.#readFailure.error;
    this.#reading = true;
    try {
      await this.#take(this.#header);
      check(this.#header, 0, type, target.length);
      await this.#take(target);
      this.#transcript?.receive(type, target);
    } catch (error) {
      this.#readFailure = { error }; // the position in the stream is lost
      throw error;
    } finally {
      this.#reading = false;
    }
  }

  /**
   * Does what readInto() does, at once, if the whole message is at hand; otherwise it changes nothing and
   * returns false.
   */
  tryReadInto(type: number, target: Uint8Array): boolean {
    const start = this.#position + FRAME_HEADER_BYTES;
    if (this.#reading || this.#readFailure || start + target.length > this.#input.length) return false;
    try {
      check(this.#input, this.#position, type, target.length);
    } catch (error) {
      this.#readFailure = { error };
      throw error;
    }
    this.#position = start + target.length;
    target.set(this.#input.subarray(start, this.#position));
    this.#transcript?.receive(type, target);
    return true;
  }

  /**
   * Makes later writes wait until it is known that the received messages are the same as before; `own` is the
   * first of these.
   */
  #bind(own?: { readonly type: number; readonly payload: Uint8Array }): void {
    if (!this.#transcript?.isUnbound) return;
    this.#handOver(); // what was written before depends on nothing of it
    const bound = this.#transcript.bind(own);
    this.#waitFor(bound);
    bound.catch(async (error: unknown) => {
      this.#writeFailure ??= { error };
      await this.released(); // an abort is a byte, too
      await this.channel.abort(tellableCode(error)); // which also ends a wait for the peer
    });
  }

  /**
   * Frames that are handed over from now on leave once it resolves; those after that leave at once, behind
   * the ones that waited.
   */
  #waitFor(opening: Promise<unknown>): void {
    const ready = Promise.all([this.#ready, opening]);
    this.#ready = ready;
    const isOpen = () => {
      if (this.#ready === ready) this.#ready = undefined;
    };
    ready.then(isOpen, () => undefined);
  }

  #openGate(): void {
    if (this.#gate === undefined || this.#gateOpen !== undefined) return;
    this.#gateOpen = this.#gate();
    this.#waitFor(this.#gateOpen);
  }

  #openFrame(): Buffer {
    this.#frame ??= this.#spareFrames.pop() ?? Buffer.allocUnsafeSlow(this.#frameBytes);
    return this.#frame;
  }

  #writeAcross(payload: Uint8Array): void {
    for (let from = 0; from < payload.length; ) {
      if (this.#filled === this.#frameBytes) this.#handOver();
      const part = payload.subarray(from, from + this.#frameBytes - this.#filled);
      this.#openFrame().set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
    }
  }

  #handOver(): void {
    if (this.#filled === 0 || this.#frame === undefined) return;
    const [frame, filled] = [this.#frame, this.#filled];
    this.#frame = undefined;
    this.#filled = 0;
    this.#handedBytes += filled;
    const send = () => this.channel.send(frame.subarray(0, filled), () => this.#spareFrames.push(frame));
    this.#openGate();
    const sent = (this.#ready === undefined ? send() : this.#ready.then(send)).then(
      () => {
        this.#handedBytes -= filled;
      },
      (error: unknown) => {
        this.#writeFailure ??= { error };
      },
    );
    this.#handed = Promise.all([this.#handed, sent]).then(() => undefined);
  }

  /** Fills `target` from the stream. */
  async #take(target: Uint8Array): Promise<void> {
    for (let filled = 0; filled < target.length; ) {
      if (this.#position === this.#input.length) {
        // Two ends that each wait for what the other has not flushed would wait for ever.
        this.#handOver();
        this.#input = await this.channel.receive().catch((error: unknown) => {
          throw this.#writeFailure?.error ?? error;
        });
        this.#position = 0;
        if (this.#input.length === 0) {
          throw new CodedError(
            TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
            '"frame" expected at least one byte, got 0',
          );
        }
      }
      const part = this.#input.subarray(this.#position, this.#position + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#position += part.length;
    }
  }
}

function check(bytes: Uint8Array, at: number, type: number, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, FRAME_HEADER_BYTES);
  const [gotType, gotLength] = [view.getUint32(0, true), view.getUint32(4, true)];
  if (gotType === type && gotLength === length) return;
  throw new CodedError(
    TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
    `"message" expected type ${type} of ${length} bytes, got type ${gotType} of ${gotLength} bytes`,
  );
}
