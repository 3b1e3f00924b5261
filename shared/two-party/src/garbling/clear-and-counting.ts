/**
 * Contexts and sessions without a peer: in the clear, as the reference for every other context, with both parties'
 * bits; and for counting costs, with no bits. `CountingGates` counts AND gates and batches without touching any memory,
 * `DepthGates` also follows the longest chain of AND gates through every wire.
 */
import { type Batch, Gates, TABLE_BYTES } from './gates.ts';
import { checkBits, type Session, splitLike } from './session.ts';
import { Wires } from './wires.ts';

const FIRST_BYTES = 65_536;

export class ClearGates extends Gates {
  #bytes = new Uint8Array(FIRST_BYTES);

  constructor() {
    super(1, 0);
  }

  /** Wires that carry these bits, 0 or 1 each. */
  input(bits: Uint8Array): Wires {
    return this.outside(Uint8Array.from(bits));
  }

  read(wires: Wires): Uint8Array {
    const address = this.locate(wires);
    return this.#bytes.slice(address, address + wires.lanes);
  }

  protected bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  protected grow(length: number): void {
    const larger = new Uint8Array(2 * length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  protected fill(address: number, lanes: number, value: 0 | 1): void {
    this.#bytes.fill(value, address, address + lanes);
  }

  protected xorInto(target: number, a: number, b: number, lanes: number): void {
    const bytes = this.#bytes;
    for (let i = 0; i < lanes; i += 1) bytes[target + i] = bytes[a + i]! ^ bytes[b + i]!;
  }

  protected invertInto(target: number, a: number, lanes: number): void {
    const bytes = this.#bytes;
    for (let i = 0; i < lanes; i += 1) bytes[target + i] = bytes[a + i]! ^ 1;
  }

  protected andInto({ count, targets, lefts, rights, lanes }: Batch): void {
    const bytes = this.#bytes;
    for (let k = 0; k < count; k += 1) {
      const [target, left, right] = [targets[k]!, lefts[k]!, rights[k]!];
      for (let i = 0; i < lanes[k]!; i += 1) bytes[target + i] = bytes[left + i]! & bytes[right + i]!;
    }
  }

  protected gatherInto(target: number, source: number, indices: Uint32Array): void {
    const bytes = this.#bytes;
    for (let i = 0; i < indices.length; i += 1) bytes[target + i] = bytes[source + indices[i]!]!;
  }
}

const NO_BYTES = new Uint8Array(0);

export class CountingGates extends Gates {
  constructor() {
    super(0, 0);
  }

  /** Wires that carry an unknown bit per lane. */
  input(lanes: number): Wires {
    return new Wires(lanes, 0);
  }

  /** The tables that a garbler sends for these gates, in bytes. */
  get tableBytes(): number {
    return this.andGates * TABLE_BYTES;
  }

  protected bytes(): Uint8Array<ArrayBuffer> {
    return NO_BYTES;
  }

  // There are no contents to compute, so all of the work below is none.
  protected grow(): void {}
  protected fill(): void {}
  protected xorInto(): void {}
  protected invertInto(): void {}
  protected andInto(): void {}
  protected override addInto(): void {}
  protected gatherInto(): void {}
  protected override run(): void {}
  protected override copy(): void {}
}

const DEPTH_BYTES = 4;

export class DepthGates extends Gates {
  #depths = new Uint32Array(FIRST_BYTES / DEPTH_BYTES);

  constructor() {
    super(DEPTH_BYTES, 0);
  }

  input(lanes: number): Wires {
    return this.outside(new Uint8Array(lanes * DEPTH_BYTES));
  }

  /** The AND depth of the deepest wire in the vectors. */
  depth(vectors: readonly Wires[]): number {
    let deepest = 0;
    for (const wires of vectors) {
      const from = this.locate(wires) / DEPTH_BYTES;
      for (const depth of this.#depths.subarray(from, from + wires.lanes)) deepest = Math.max(deepest, depth);
    }
    return deepest;
  }

  protected bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#depths.buffer);
  }

  protected grow(length: number): void {
    const larger = new Uint32Array((2 * length) / DEPTH_BYTES);
    larger.set(this.#depths);
    this.#depths = larger;
  }

  protected fill(address: number, lanes: number): void {
    this.#depths.fill(0, address / DEPTH_BYTES, address / DEPTH_BYTES + lanes);
  }

  protected xorInto(target: number, a: number, b: number, lanes: number): void {
    this.#deepen(target, a, b, lanes, 0);
  }

  protected invertInto(target: number, a: number, lanes: number): void {
    this.#deepen(target, a, a, lanes, 0);
  }

  protected andInto({ count, targets, lefts, rights, lanes }: Batch): void {
    for (let k = 0; k < count; k += 1) this.#deepen(targets[k]!, lefts[k]!, rights[k]!, lanes[k]!, 1);
  }

  protected gatherInto(target: number, source: number, indices: Uint32Array): void {
    const depths = this.#depths;
    for (let i = 0; i < indices.length; i += 1) {
      depths[target / DEPTH_BYTES + i] = depths[source / DEPTH_BYTES + indices[i]!]!;
    }
  }

  #deepen(target: number, a: number, b: number, lanes: number, more: number): void {
    const depths = this.#depths;
    const [to, left, right] = [target / DEPTH_BYTES, a / DEPTH_BYTES, b / DEPTH_BYTES];
    for (let i = 0; i < lanes; i += 1)
      depths[to + i] = Math.max(depths[left + i]!, depths[right + i]!) + more;
  }
}

export class ClearSession implements Session<ClearGates> {
  readonly gates = new ClearGates();

  async garblerInput(count: number, bits?: Uint8Array): Promise<Wires> {
    return this.gates.input(checkBits(bits, count));
  }

  async evaluatorInput(count: number, bits?: Uint8Array): Promise<Wires> {
    return this.gates.input(checkBits(bits, count));
  }

  async step<T>(body: (gates: ClearGates) => T): Promise<T> {
    return this.gates.step(() => body(this.gates));
  }

  async reveal(outputs: readonly Wires[]): Promise<Uint8Array[]> {
    return this.gates.step(() => splitLike(outputs, this.gates.read(this.gates.concat(outputs))));
  }
}

/** Counts what a program costs, and what goes in. Its inputs have no values, and it reveals nothing. */
export class CountingSession<Context extends CountingGates | DepthGates> implements Session<Context> {
  readonly gates: Context;
  garblerBits = 0;
  evaluatorBits = 0;

  constructor(gates: Context) {
    this.gates = gates;
  }

  async garblerInput(count: number): Promise<Wires> {
    this.garblerBits += count;
    return this.gates.input(count);
  }

  async evaluatorInput(count: number): Promise<Wires> {
    this.evaluatorBits += count;
    return this.gates.input(count);
  }

  async step<T>(body: (gates: Context) => T): Promise<T> {
    return this.gates.step(() => body(this.gates));
  }

  async reveal(): Promise<undefined> {}
}
