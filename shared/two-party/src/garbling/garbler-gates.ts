/** The garbler's context: vectors of zero labels; writes keys and tables to a stream of blocks. */

import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { TABLE_BYTES } from './gates.ts';
import { DELTA_ADDRESS, LABEL_BYTES } from './kernels.ts';
import { LabelGates, STREAM_ADDRESS, STREAM_BYTES } from './label-gates.ts';
import type { Wires } from './wires.ts';

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
