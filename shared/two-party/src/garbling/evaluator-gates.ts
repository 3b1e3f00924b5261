/** The evaluator's context: vectors of active labels; reads keys and tables from the stream of a step. */
import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import { TABLE_BYTES } from './gates.ts';
import { LABEL_BYTES } from './kernels.ts';
import { LabelGates, STREAM_ADDRESS } from './label-gates.ts';
import { malformed } from './messages.ts';
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
