/** The garbler's end of a session: draws delta and labels, sends tables, learns nothing. */
import { setImmediate } from 'node:timers/promises';
import type { MessageStream } from '../channel/message-stream.ts';
import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import { setUpSender } from '../oblivious-transfer/index.ts';
import { type RandomSource, systemRandomness } from '../oblivious-transfer/randomness.ts';
import { GarblerGates } from './garbler-gates.ts';
import { LABEL_BYTES } from './kernels.ts';
import { LabelGenerator } from './label-generator.ts';
import { GARBLING_MESSAGE, PROTOCOL_VERSION, writeNumbers } from './messages.ts';
import { encodeOutputs, OUTPUT_CHUNK } from './outputs.ts';
import { checkBits, checkNoBits, type LabelSender, type Session } from './session.ts';
import type { Wires } from './wires.ts';

/** The parts of a session; tests put seeded randomness and simpler transfers in their places. */
export interface GarblerParts {
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
