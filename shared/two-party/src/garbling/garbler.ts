/**
 * The garbler: its context of vectors of zero labels, which writes keys and tables to a stream of blocks, and its end
 * of a session, which draws delta and labels, sends tables and learns nothing.
 */
import { createCipheriv } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { MessageStream } from '../channel/message-stream.ts';
import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import { setUpSender } from '../oblivious-transfer/index.ts';
import { type RandomSource, systemRandomness } from '../oblivious-transfer/randomness.ts';
import { TABLE_BYTES } from './gates.ts';
import { DELTA_ADDRESS, LABEL_BYTES } from './kernels.ts';
import { LabelGates, STREAM_ADDRESS, STREAM_BYTES } from './label-gates.ts';
import { encodeOutputs, GARBLING_MESSAGE, OUTPUT_CHUNK, PROTOCOL_VERSION, writeNumbers } from './messages.ts';
import { checkBits, checkNoBits, type LabelSender, type Session } from './session.ts';
import type { Wires } from './wires.ts';

/** AES-128 in counter mode under a seed that nobody else ever has. */
export class LabelGenerator {
  readonly #cipher;

  constructor(seed: Uint8Array) {
    this.#cipher = createCipheriv('aes-128-ctr', seed, new Uint8Array(16));
  }

  /** The next `length` bytes of the stream. */
  next(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#cipher.update(new Uint8Array(length)));
  }
}

export class GarblerGates extends LabelGates {
  readonly #delta: Uint8Array;
  readonly #random: RandomSource;
  readonly #emit: (block: Uint8Array) => void;
  #used = 0;

  /** `emit` gets each full block of the stream, as a view of memory that the next block will overwrite. */
  constructor(delta: Uint8Array, random: RandomSource, emit: (block: Uint8Array) => void) {
    super('garbler');
    this.#delta = delta;
    this.#random = random;
    this.#emit = emit;
    this.bytes().set(delta, DELTA_ADDRESS);
  }

  /** Takes out what the stream holds besides full blocks, valid until the next gate. */
  takeRest(): Uint8Array {
    const rest = this.bytes().subarray(STREAM_ADDRESS, STREAM_ADDRESS + this.#used);
    this.#used = 0;
    return rest;
  }

  /** The zero labels of a vector. */
  zeroLabels(wires: Wires): Uint8Array<ArrayBuffer> {
    const address = this.locate(wires);
    return this.bytes().slice(address, address + wires.lanes * LABEL_BYTES);
  }

  /** The hashes of each zero label and its one label in turn, four words each. */
  outputHashes(wires: Wires, key: Uint8Array): Uint32Array {
    const words = this.hashLabels(wires, key);
    // The first two of a gate's four blocks are those of the zero and of the one label.
    return Uint32Array.from({ length: wires.lanes * 8 }, (_, i) => words[(i >> 3) * 16 + (i & 7)]!);
  }

  /** The label of a public constant is all zeros, so the zero label of a constant one is delta. */
  protected fill(address: number, lanes: number, value: 0 | 1): void {
    const bytes = this.bytes();
    bytes.fill(0, address, address + lanes * LABEL_BYTES);
    if (value === 0) return;
    for (let lane = 0; lane < lanes; lane += 1) bytes.set(this.#delta, address + lane * LABEL_BYTES);
  }

  protected invertInto(target: number, a: number, lanes: number): void {
    this.kernels.flip(target, a, lanes);
  }

  protected chunkKey(): Uint8Array {
    const key = this.#random(HASH_KEY_BYTES);
    this.bytes().set(key, this.#reserve(HASH_KEY_BYTES));
    return key;
  }

  protected tables(gates: number): number {
    return this.#reserve(gates * TABLE_BYTES);
  }

  #reserve(length: number): number {
    if (this.#used + length > STREAM_BYTES) this.#emit(this.takeRest());
    const address = STREAM_ADDRESS + this.#used;
    this.#used += length;
    return address;
  }
}

/** The parts of a session; tests put seeded randomness and simpler transfers in their places. */
interface GarblerParts {
  readonly stream: MessageStream;
  readonly random: RandomSource;
  readonly setUp: (stream: MessageStream, delta: Uint8Array) => Promise<LabelSender>;
}

export class GarblerSession implements Session<GarblerGates> {
  readonly gates: GarblerGates;
  readonly #stream: MessageStream;
  readonly #random: RandomSource;
  readonly #delta: Uint8Array;
  readonly #sender: LabelSender;
  readonly #labels: LabelGenerator;

  private constructor({ stream, random }: GarblerParts, delta: Uint8Array, sender: LabelSender) {
    this.#stream = stream;
    this.#random = random;
    this.#delta = delta;
    this.#sender = sender;
    this.#labels = new LabelGenerator(random(LABEL_BYTES));
    this.gates = new GarblerGates(delta, random, (block) => this.#writeBlock(block, 0));
  }

  /**
   * Opens a session with fresh secrets, for one computation. After any failure its labels are never used
   * again: open another. With a `random` that gives the same bytes again, the stream must have a transcript,
   * so that the same labels only ever meet the same messages. Every method throws the errors of the stream.
   */
  static open(stream: MessageStream, random: RandomSource = systemRandomness): Promise<GarblerSession> {
    const setUp = (line: MessageStream, delta: Uint8Array) => setUpSender(line, delta, random);
    return GarblerSession.openWith({ stream, random, setUp });
  }

  /** @internal Only tests may choose the parts: a guard in test/garbling/privacy.test.ts ensures it. */
  static async openWith(parts: GarblerParts): Promise<GarblerSession> {
    const delta = Uint8Array.from(parts.random(LABEL_BYTES));
    delta[0] = delta[0]! | 1; // so that the select bits of a wire's two labels differ
    writeNumbers(parts.stream, GARBLING_MESSAGE.hello, [PROTOCOL_VERSION]);
    await parts.stream.flush();
    return new GarblerSession(parts, delta, await parts.setUp(parts.stream, delta));
  }

  async garblerInput(count: number, bits?: Uint8Array): Promise<Wires> {
    const own = checkBits(bits, count);
    const zero = this.#labels.next(count * LABEL_BYTES);
    const active = zero.slice();
    for (let i = 0; i < active.length; i += 1) {
      active[i]! ^= this.#delta[i % LABEL_BYTES]! & -own[Math.floor(i / LABEL_BYTES)]!;
    }
    this.#stream.write(GARBLING_MESSAGE.inputLabels, active);
    await this.#stream.flush();
    return this.gates.labels(zero);
  }

  async evaluatorInput(count: number, bits?: Uint8Array): Promise<Wires> {
    checkNoBits(bits);
    return this.gates.labels(count === 0 ? new Uint8Array(0) : await this.#sender.extend(count));
  }

  async step<T>(body: (gates: GarblerGates) => T): Promise<T> {
    const result = this.gates.step(() => body(this.gates));
    this.#writeBlock(this.gates.takeRest(), this.gates.gateNumber + 1);
    await this.#stream.flush();
    // A flush that need not wait gives the sockets no turn, but the evaluator waits for what they hold.
    await setImmediate();
    return result;
  }

  /** Sends what decodes the outputs, and never before. Returns nothing, since the garbler learns nothing. */
  async reveal(outputs: readonly Wires[]): Promise<undefined> {
    this.gates.step(() => {
      const wires = this.gates.concat(outputs);
      for (let from = 0; from < wires.lanes; from += OUTPUT_CHUNK) {
        const chunk = this.gates.slice(wires, from, Math.min(from + OUTPUT_CHUNK, wires.lanes));
        const key = this.#random(HASH_KEY_BYTES);
        const hashes = this.gates.outputHashes(chunk, key);
        this.#stream.write(GARBLING_MESSAGE.decode, encodeOutputs(key, hashes));
      }
    });
    await this.#stream.flush();
  }

  #writeBlock(block: Uint8Array, end: number): void {
    writeNumbers(this.#stream, GARBLING_MESSAGE.blockHeader, [block.length, end]);
    this.#stream.write(GARBLING_MESSAGE.block, block);
  }
}
