/**
 * The part that garbler and evaluator share: labels in WebAssembly memory, and AND gates hashed in batches
 * that fit the cache. Both cut the same gates into the same batches and chunks, so the stream of keys and
 * tables needs no structure of its own.
 */
import { PAGE_BYTES } from './assembler.ts';
import { type Batch, Gates } from './gates.ts';
import { CHUNK_GATES, Permutation } from './hash.ts';
import { type Kernels, LABEL_BYTES, LARGEST_PAGES, type LabelMemory, makeKernels } from './kernels.ts';
import type { Wires } from './wires.ts';

/**
 * Gates hashed in one call: fewer cost calls, more fall out of the cache (measured: 512 to 2048 are within 5
 * %).
 */
export const BATCH_GATES = 1024;

/** The largest set of blocks of a batch: four per gate. */
const BLOCKS_BYTES = BATCH_GATES * 4 * LABEL_BYTES;

// Memory: delta, the results of both passes, the stream's buffer, then labels.
const FIRST = 64;
const SECOND = FIRST + BLOCKS_BYTES;
export const STREAM_ADDRESS = SECOND + BLOCKS_BYTES;
/** Keys and tables travel in blocks of this size at most. */
export const STREAM_BYTES = 2 ** 18;
const LABELS = STREAM_ADDRESS + STREAM_BYTES;

const FIRST_LABELS_BYTES = 2 ** 21;

export abstract class LabelGates extends Gates {
  protected readonly kernels: Kernels;
  readonly #memory: LabelMemory;
  readonly #garbles: boolean;
  readonly #blocks: number;
  readonly #permutation = new Permutation();
  #bytes: Uint8Array<ArrayBuffer>;
  /** Gates left in the running chunk. */
  #chunk = 0;
  /** Every gate's two tweaks follow from its number, which never returns. */
  #number = 0;
  // The parts of the running batch, each within one vector: at most one part per gate.
  readonly #targets = new Uint32Array(BATCH_GATES);
  readonly #lefts = new Uint32Array(BATCH_GATES);
  readonly #rights = new Uint32Array(BATCH_GATES);
  readonly #counts = new Uint32Array(BATCH_GATES);
  readonly #sums = new Uint32Array(BATCH_GATES);
  readonly #thirds = new Uint32Array(BATCH_GATES);

  protected constructor(role: 'garbler' | 'evaluator') {
    super(LABEL_BYTES, LABELS);
    const { memory, kernels } = makeKernels(LABELS + FIRST_LABELS_BYTES);
    this.#memory = memory;
    this.kernels = kernels;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#garbles = role === 'garbler';
    this.#blocks = this.#garbles ? 4 : 2;
  }

  /** The number of the next gate; equal on both sides after each step. */
  get gateNumber(): number {
    return this.#number;
  }

  /** The key of the chunk that begins now. */
  protected abstract chunkKey(): Uint8Array;
  /** Returns the address at which the tables of the next gates are (evaluator) or go (garbler). */
  protected abstract tables(gates: number): number;

  /** Vectors with these labels. */
  labels(labels: Uint8Array): Wires {
    return this.outside(labels);
  }

  protected bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  protected grow(length: number): void {
    if (length > LARGEST_PAGES * PAGE_BYTES) {
      throw new RangeError(
        `"body" expected at most ${LARGEST_PAGES * PAGE_BYTES} bytes of labels in one step, got ${length}`,
      );
    }
    // It grows by half again, since growing maps pages and copies nothing.
    const wanted = Math.min(Math.ceil((length * 1.5) / PAGE_BYTES), LARGEST_PAGES);
    this.#memory.grow(wanted - this.#bytes.length / PAGE_BYTES);
    this.#bytes = new Uint8Array(this.#memory.buffer);
  }

  protected xorInto(target: number, a: number, b: number, lanes: number): void {
    this.kernels.xor(target, a, b, lanes);
  }

  protected gatherInto(target: number, source: number, indices: Uint32Array): void {
    const place = this.scratch(indices.byteLength);
    this.#bytes.set(new Uint8Array(indices.buffer, indices.byteOffset, indices.byteLength), place);
    this.kernels.gather(target, source, place, indices.length);
  }

  protected andInto(batch: Batch): void {
    this.#compute(batch, false);
  }

  protected override addInto(batch: Batch): void {
    this.#compute(batch, true);
  }

  #compute({ count, targets, lefts, rights, lanes, sums, thirds }: Batch, adds: boolean): void {
    let vector = 0;
    let lane = 0;
    while (vector < count) {
      const room = this.#beginBatch();
      let gates = 0;
      let parts = 0;
      for (; vector < count && gates < room; parts += 1) {
        const some = Math.min(lanes[vector]! - lane, room - gates);
        const offset = lane * LABEL_BYTES;
        this.#targets[parts] = targets[vector]! + offset;
        this.#lefts[parts] = lefts[vector]! + offset;
        this.#rights[parts] = rights[vector]! + offset;
        this.#counts[parts] = some;
        if (adds) {
          this.#sums[parts] = sums[vector]! + offset;
          this.#thirds[parts] = thirds[vector]! + offset;
        }
        this.#prepare(parts, gates, adds);
        gates += some;
        lane += some;
        if (lane === lanes[vector]) {
          vector += 1;
          lane = 0;
        }
      }
      this.#hash(gates);
      this.#combine(parts, this.tables(gates), adds);
      this.#endBatch(gates);
    }
  }

  /**
   * Hashes at most BATCH_GATES labels, each under a tweak of its own, as if each were both inputs of a gate:
   * all words of the gates' blocks. The tweak itself is left in, which both sides do alike.
   */
  protected hashLabels(wires: Wires, key: Uint8Array): Uint32Array {
    this.#permutation.setKey(key);
    this.#chunk = 0; // the next gates need a chunk of their own
    const address = this.locate(wires);
    this.#lefts[0] = address;
    this.#rights[0] = address;
    this.#counts[0] = wires.lanes;
    this.#prepare(0, 0, false);
    this.#hash(wires.lanes);
    this.#number += wires.lanes;
    const length = wires.lanes * this.#blocks * 4;
    const first = new Uint32Array(this.#memory.buffer, FIRST, length);
    const second = new Uint32Array(this.#memory.buffer, SECOND, length);
    return first.map((word, i) => word ^ second[i]!);
  }

  #beginBatch(): number {
    if (this.#chunk === 0) {
      this.#permutation.setKey(this.chunkKey());
      this.#chunk = CHUNK_GATES;
    }
    return Math.min(BATCH_GATES, this.#chunk);
  }

  #endBatch(gates: number): void {
    this.#chunk -= gates;
    this.#number += gates;
  }

  #prepare(part: number, gates: number, adds: boolean): void {
    const place = FIRST + gates * this.#blocks * LABEL_BYTES;
    const [a, b, count] = [this.#lefts[part]!, this.#rights[part]!, this.#counts[part]!];
    const { kernels } = this;
    if (adds) {
      const prepare = this.#garbles ? kernels.garblePrepareSum : kernels.evaluatePrepareSum;
      prepare(place, a, b, this.#thirds[part]!, count);
    } else {
      const prepare = this.#garbles ? kernels.garblePrepare : kernels.evaluatePrepare;
      prepare(place, a, b, count);
    }
  }

  /** Leaves pi(x) ^ i in the first place and pi(pi(x) ^ i) in the second. */
  #hash(gates: number): void {
    const length = gates * this.#blocks * LABEL_BYTES;
    const tweak = 2 * this.#number;
    this.#permutation.apply(this.#bytes, FIRST, length, FIRST);
    if (this.#garbles) this.kernels.garbleTweak(FIRST, gates, tweak);
    else this.kernels.evaluateTweak(FIRST, gates, tweak);
    this.#permutation.apply(this.#bytes, FIRST, length, SECOND);
  }

  #combine(parts: number, tables: number, adds: boolean): void {
    const { kernels } = this;
    // Other gates do not take the arguments of full adders.
    const combine = this.#garbles
      ? adds
        ? kernels.garbleCombineSum
        : kernels.garbleCombine
      : adds
        ? kernels.evaluateCombineSum
        : kernels.evaluateCombine;
    let gates = 0;
    for (let part = 0; part < parts; part += 1) {
      const offset = gates * this.#blocks * LABEL_BYTES;
      const count = this.#counts[part]!;
      combine(
        this.#targets[part]!,
        this.#lefts[part]!,
        this.#rights[part]!,
        FIRST + offset,
        SECOND + offset,
        tables + gates * 2 * LABEL_BYTES,
        count,
        2 * (this.#number + gates),
        this.#thirds[part]!,
        this.#sums[part]!,
      );
      gates += count;
    }
  }
}
