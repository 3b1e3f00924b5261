/**
 * The evaluator: its context of vectors of active labels, which reads keys and tables from the stream of a step, and
 * its end of a session, which receives labels and tables and alone learns what is revealed.
 */
import type { MessageStream } from '../channel/message-stream.ts';
import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import { setUpReceiver } from '../oblivious-transfer/index.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { STEP_GATES, TABLE_BYTES } from './gates.ts';
import { LABEL_BYTES } from './kernels.ts';
import { LabelGates, STREAM_ADDRESS, STREAM_BYTES } from './label-gates.ts';
import {
  decodeBytes,
  decodeOutputs,
  GARBLING_MESSAGE,
  malformed,
  OUTPUT_CHUNK,
  PROTOCOL_VERSION,
  readNumbers,
} from './messages.ts';
import { checkBits, checkNoBits, type LabelReceiver, type Session, splitLike } from './session.ts';
import type { Wires } from './wires.ts';

export class EvaluatorGates extends LabelGates {
  #stream: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor() {
    super('evaluator');
  }

  /** The keys and tables of the next step, all that it will read. */
  feed(stream: Uint8Array): void {
    this.#stream = stream;
    this.#used = 0;
  }

  /** @throws ERR_GARBLING_MESSAGE unless the step read all that it was fed */
  finish(): void {
    if (this.#used !== this.#stream.length) throw malformed('tables', 'as many as gates', 'more');
  }

  /** The active labels of a vector. */
  activeLabels(wires: Wires): Uint8Array<ArrayBuffer> {
    const address = this.locate(wires);
    return this.bytes().slice(address, address + wires.lanes * LABEL_BYTES);
  }

  /** The hash of each label, four words each. */
  outputHashes(wires: Wires, key: Uint8Array): Uint32Array {
    const words = this.hashLabels(wires, key);
    return Uint32Array.from({ length: wires.lanes * 4 }, (_, i) => words[(i >> 2) * 8 + (i & 3)]!);
  }

  /** The garbler's labels change meaning; the active label stays. */
  override not(a: Wires): Wires {
    return a.constant === undefined ? a : super.not(a);
  }

  protected fill(address: number, lanes: number): void {
    this.bytes().fill(0, address, address + lanes * LABEL_BYTES);
  }

  /** Only templates copy a label to negate it. */
  protected invertInto(target: number, a: number, lanes: number): void {
    this.copy(target, a, lanes);
  }

  protected chunkKey(): Uint8Array {
    return this.#read(HASH_KEY_BYTES);
  }

  protected tables(gates: number): number {
    this.bytes().set(this.#read(gates * TABLE_BYTES), STREAM_ADDRESS);
    return STREAM_ADDRESS;
  }

  #read(length: number): Uint8Array {
    const part = this.#stream.subarray(this.#used, this.#used + length);
    if (part.length !== length) throw malformed('tables', 'as many as gates', 'fewer');
    this.#used += length;
    return part;
  }
}

interface EvaluatorParts {
  readonly stream: MessageStream;
  readonly setUp: (stream: MessageStream) => Promise<LabelReceiver>;
  /** Called when all that reveals something has come, before it is looked at. */
  readonly onReceived?: () => Promise<void>;
}

/**
 * The bytes that the tables and hash keys of one step never exceed; a key per 32 gates is far more than there
 * are.
 */
const LARGEST_STEP_BYTES = STEP_GATES * TABLE_BYTES + (STEP_GATES / 32) * HASH_KEY_BYTES;

export class EvaluatorSession implements Session<EvaluatorGates> {
  readonly gates = new EvaluatorGates();
  readonly #stream: MessageStream;
  readonly #receiver: LabelReceiver;
  readonly #onReceived: () => Promise<void>;
  /** The tables of the running step; kept for the next, since fresh memory is slow. */
  #tables = new Uint8Array(STREAM_BYTES);

  private constructor(stream: MessageStream, receiver: LabelReceiver, onReceived: () => Promise<void>) {
    this.#stream = stream;
    this.#receiver = receiver;
    this.#onReceived = onReceived;
  }

  /**
   * `onReceived` is awaited before what reveals something is looked at. Every method throws
   * ERR_GARBLING_MESSAGE on malformed messages, and the errors of the stream. For `random` see
   * GarblerSession.open().
   */
  static open(
    stream: MessageStream,
    onReceived?: () => Promise<void>,
    random?: RandomSource,
  ): Promise<EvaluatorSession> {
    const setUp = (line: MessageStream) => setUpReceiver(line, random);
    return EvaluatorSession.openWith({ stream, setUp, ...(onReceived && { onReceived }) });
  }

  /** @internal For tests. */
  static async openWith({
    stream,
    setUp,
    onReceived = async () => undefined,
  }: EvaluatorParts): Promise<EvaluatorSession> {
    const [version] = await readNumbers(stream, GARBLING_MESSAGE.hello, 1);
    if (version !== PROTOCOL_VERSION) throw malformed('version', `${PROTOCOL_VERSION}`, `${version}`);
    return new EvaluatorSession(stream, await setUp(stream), onReceived);
  }

  async garblerInput(count: number, bits?: Uint8Array): Promise<Wires> {
    checkNoBits(bits);
    return this.gates.labels(await this.#stream.read(GARBLING_MESSAGE.inputLabels, count * LABEL_BYTES));
  }

  async evaluatorInput(count: number, bits?: Uint8Array): Promise<Wires> {
    const own = checkBits(bits, count);
    return this.gates.labels(count === 0 ? new Uint8Array(0) : await this.#receiver.extend(own));
  }

  async step<T>(body: (gates: EvaluatorGates) => T): Promise<T> {
    const { length, end } = await this.#readStep();
    this.gates.feed(this.#tables.subarray(0, length));
    const result = this.gates.step(() => body(this.gates));
    this.gates.finish();
    if (end !== this.gates.gateNumber + 1) throw malformed('end', `${this.gates.gateNumber + 1}`, `${end}`);
    return result;
  }

  /**
   * The bits of each vector.
   * @throws ERR_GARBLING_CHECK when a table, a label or the decode message was changed on the way
   */
  async reveal(outputs: readonly Wires[]): Promise<Uint8Array[]> {
    const lanes = outputs.reduce((sum, wires) => sum + wires.lanes, 0);
    const messages: Uint8Array[] = [];
    for (let from = 0; from < lanes; from += OUTPUT_CHUNK) {
      const length = decodeBytes(Math.min(OUTPUT_CHUNK, lanes - from));
      messages.push(await this.#stream.read(GARBLING_MESSAGE.decode, length));
    }
    await this.#onReceived();
    const bits = new Uint8Array(lanes);
    this.gates.step(() => {
      const wires = this.gates.concat(outputs);
      for (const [k, encoded] of messages.entries()) {
        const from = k * OUTPUT_CHUNK;
        const chunk = this.gates.slice(wires, from, Math.min(from + OUTPUT_CHUNK, lanes));
        const hashes = this.gates.outputHashes(chunk, encoded.subarray(0, HASH_KEY_BYTES));
        bits.set(decodeOutputs(encoded, hashes), from);
      }
    });
    return splitLike(outputs, bits);
  }

  async #readStep(): Promise<{ length: number; end: number }> {
    let length = 0;
    for (;;) {
      const [size, end] = (await readNumbers(this.#stream, GARBLING_MESSAGE.blockHeader, 2)) as [
        number,
        number,
      ];
      if (size > STREAM_BYTES) throw malformed('block', `${STREAM_BYTES} bytes at most`, `${size}`);
      // A peer could send those for ever.
      if (size === 0 && end === 0) throw malformed('block', 'tables or the end of the step', 'neither');
      if (length + size > LARGEST_STEP_BYTES) throw malformed('step', `${STEP_GATES} gates at most`, 'more');
      if (length + size > this.#tables.length) {
        const larger = new Uint8Array(2 * (length + size));
        larger.set(this.#tables.subarray(0, length));
        this.#tables = larger;
      }
      await this.#stream.readInto(GARBLING_MESSAGE.block, this.#tables.subarray(length, length + size));
      length += size;
      if (end > 0) return { length, end };
    }
  }
}
