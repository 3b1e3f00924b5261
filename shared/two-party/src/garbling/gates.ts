/**
 * What every gate context shares: public constants that cost nothing, vectors that are views of one memory, and the
 * memory itself.
 *
 * Circuits are plain synchronous functions over a context. An AND gate takes tens of nanoseconds, so neither a promise nor a
 * generator fits between two of them; sessions exchange data only between steps (see session.ts). Within a step the memory
 * is a stack: `scope` frees all that a body allocated except its result, so that a long circuit reuses the same few
 * megabytes, which stay in the processor's cache, and nothing waits for the garbage collector.
 */
import { OPERATION, type Template } from './template.ts';
import { NOWHERE, Wires, wiresIn } from './wires.ts';

/** The most AND gates of one step. Its tables, 64 MiB, are all that either party ever holds. */
export const STEP_GATES = 2 ** 21;

/** AND gates of one batch: `count` vectors, gate by gate a[i] AND b[i], by address. */
export interface Batch {
  count: number;
  targets: Uint32Array;
  lefts: Uint32Array;
  rights: Uint32Array;
  lanes: Uint32Array;
}

function batchOf(vectors: number): Batch {
  const [targets, lefts, rights, lanes] = Array.from({ length: 4 }, () => new Uint32Array(vectors));
  return { count: 0, targets: targets!, lefts: lefts!, rights: rights!, lanes: lanes! };
}

export abstract class Gates {
  /** AND gates so far, one per lane; what is paid for. */
  andGates = 0;
  /** Calls that computed AND gates; each costs a few microseconds however few gates it has. */
  batches = 0;
  readonly #laneBytes: number;
  readonly #base: number;
  #top: number;
  /** What andGates may not exceed before the running step ends. */
  #limit = Number.POSITIVE_INFINITY;
  /** Saved vectors that are in memory now, by rising address. */
  readonly #loaded: Wires[] = [];
  #batch = batchOf(1024);

  protected constructor(laneBytes: number, base: number) {
    this.#laneBytes = laneBytes;
    this.#base = base;
    this.#top = base;
  }

  /** The memory as it is now; another object after it grew. */
  protected abstract bytes(): Uint8Array<ArrayBuffer>;
  protected abstract grow(length: number): void;
  protected abstract fill(address: number, lanes: number, value: 0 | 1): void;
  protected abstract xorInto(target: number, a: number, b: number, lanes: number): void;
  protected abstract invertInto(target: number, a: number, lanes: number): void;
  /** No vector is empty. The batch is used again afterwards. */
  protected abstract andInto(batch: Batch): void;
  protected abstract gatherInto(target: number, source: number, indices: Uint32Array): void;

  /** `lanes` wires that all carry this public bit. */
  constant(lanes: number, value: 0 | 1): Wires {
    return new Wires(lanes, NOWHERE, value);
  }

  /** Wires that carry these public bits, one per lane. */
  constants(bits: Uint8Array): Wires {
    const lanes = bits.length;
    const first = bits[0] === 1 ? 1 : 0;
    if (bits.every((bit) => bit === first)) return this.constant(lanes, first);
    return this.concat(Array.from(bits, (bit) => this.constant(1, bit === 1 ? 1 : 0)));
  }

  xor(a: Wires, b: Wires): Wires {
    sameLanes(a, b);
    if (a.constant !== undefined) return a.constant === 0 ? b : this.not(b);
    if (b.constant !== undefined) return b.constant === 0 ? a : this.not(a);
    if (a.lanes === 0) return a;
    const left = this.locate(a);
    const right = this.locate(b);
    const result = this.#allocate(a.lanes);
    this.xorInto(result.address, left, right, a.lanes);
    return result;
  }

  /** b XOR every b.lanes lanes of `a` in turn. */
  xorEach(a: Wires, b: Wires): Wires {
    if (a.constant !== undefined || b.constant !== undefined || a.lanes === b.lanes) {
      return this.xor(a, this.concat(new Array<Wires>(a.lanes / b.lanes).fill(b)));
    }
    const left = this.locate(a);
    const right = this.locate(b);
    const result = this.#allocate(a.lanes);
    const length = b.lanes * this.#laneBytes;
    for (let k = 0; k < a.lanes / b.lanes; k += 1) {
      this.xorInto(result.address + k * length, left + k * length, right, b.lanes);
    }
    return result;
  }

  not(a: Wires): Wires {
    if (a.constant !== undefined) return this.constant(a.lanes, a.constant === 0 ? 1 : 0);
    if (a.lanes === 0) return a;
    const source = this.locate(a);
    const result = this.#allocate(a.lanes);
    this.invertInto(result.address, source, a.lanes);
    return result;
  }

  and(a: Wires, b: Wires): Wires {
    return this.andEach([a], [b])[0]!;
  }

  /**
   * a[i] AND b[i] for every i, all at once: the more gates in one call, the cheaper each. Pairs may differ in lanes, and an
   * operand may occur many times.
   */
  andEach(a: readonly Wires[], b: readonly Wires[]): Wires[] {
    if (a.length !== b.length) {
      throw new RangeError(`"b" expected as many vectors as "a" (${a.length}), got ${b.length}`);
    }
    const batch = this.#emptyBatch(a.length);
    const results = a.map((x, i) => {
      const y = b[i]!;
      sameLanes(x, y);
      if (x.constant !== undefined) return x.constant === 0 ? x : y;
      if (y.constant !== undefined) return y.constant === 0 ? y : x;
      if (x.lanes === 0) return x;
      const k = batch.count;
      batch.lefts[k] = this.locate(x);
      batch.rights[k] = this.locate(y);
      const result = this.#allocate(x.lanes);
      batch.targets[k] = result.address;
      batch.lanes[k] = x.lanes;
      batch.count += 1;
      this.andGates += x.lanes;
      return result;
    });
    this.#checkLimit();
    if (batch.count > 0) {
      this.batches += 1;
      this.andInto(batch);
    }
    return results;
  }

  /** @internal For template(): what was recorded, with vectors of `lanes` lanes as inputs. */
  replay(template: Template, inputs: readonly Wires[], lanes: number): Wires[] {
    const addresses = Float64Array.from(inputs, (wires) => this.locate(wires));
    const base = this.#top;
    const length = lanes * this.#laneBytes;
    this.ensure(base + template.height * length);
    this.andGates += template.gates * lanes;
    this.batches += template.batches;
    this.#checkLimit();
    this.run(template, addresses, base, lanes);
    this.#top = base + template.kept * length;
    return template.results.map((result) => {
      if (result.kind === 'constant') return this.constant(lanes, result.bit);
      if (result.kind === 'input') return inputs[result.index]!;
      return new Wires(lanes, base + result.place * length);
    });
  }

  /** Carries out a template's code; inputs by address. */
  protected run({ code }: Template, inputs: Float64Array, base: number, lanes: number): void {
    const length = lanes * this.#laneBytes;
    const place = (vector: number): number => (vector < 0 ? inputs[~vector]! : base + vector * length);
    for (let at = 0; at < code.length; ) {
      const count = code[at + 1]!;
      switch (code[at]) {
        case OPERATION.xor:
          this.xorInto(place(code[at + 2]!), place(code[at + 3]!), place(code[at + 4]!), count * lanes);
          at += 5;
          break;
        case OPERATION.invert:
          this.invertInto(place(code[at + 2]!), place(code[at + 3]!), count * lanes);
          at += 4;
          break;
        case OPERATION.copy:
          this.copy(place(code[at + 2]!), place(code[at + 3]!), count * lanes);
          at += 4;
          break;
        case OPERATION.fill:
          this.fill(place(code[at + 2]!), count * lanes, code[at + 3] === 1 ? 1 : 0);
          at += 4;
          break;
        default: {
          const batch = this.#emptyBatch(count);
          at += 2;
          for (let i = 0; i < count; i += 1) {
            batch.lanes[i] = code[at]! * lanes;
            batch.targets[i] = place(code[at + 1]!);
            batch.lefts[i] = place(code[at + 2]!);
            batch.rights[i] = place(code[at + 3]!);
            at += 4;
          }
          batch.count = count;
          this.andInto(batch);
        }
      }
    }
  }

  #emptyBatch(vectors: number): Batch {
    if (vectors > this.#batch.lanes.length) this.#batch = batchOf(2 * vectors);
    this.#batch.count = 0;
    return this.#batch;
  }

  #checkLimit(): void {
    if (this.andGates > this.#limit) {
      throw new RangeError(`"body" expected at most ${STEP_GATES} AND gates in one step, got more`);
    }
  }

  /** The lanes of all parts in one vector. */
  concat(parts: readonly Wires[]): Wires {
    const filled = parts.filter((part) => part.lanes > 0);
    const lanes = filled.reduce((sum, part) => sum + part.lanes, 0);
    const [first] = filled;
    if (first === undefined) return this.constant(0, 0);
    if (filled.length === 1) return first;
    if (first.constant !== undefined && filled.every((part) => part.constant === first.constant)) {
      return this.constant(lanes, first.constant);
    }
    for (const part of filled) if (part.constant === undefined) this.locate(part);
    const result = this.#allocate(lanes);
    let address = result.address;
    for (const part of filled) {
      if (part.constant !== undefined) this.fill(address, part.lanes, part.constant);
      else {
        this.copy(address, this.locate(part), part.lanes);
      }
      address += part.lanes * this.#laneBytes;
    }
    return result;
  }

  /** Lanes `from` up to but not including `to`; a view that copies nothing. */
  slice(a: Wires, from: number, to: number): Wires {
    if (!(from >= 0 && from <= to && to <= a.lanes)) {
      throw new RangeError(`"from" and "to" expected a range within ${a.lanes} lanes, got ${from} to ${to}`);
    }
    if (a.constant !== undefined) return this.constant(to - from, a.constant);
    if (from === 0 && to === a.lanes) return a;
    return new Wires(to - from, this.locate(a) + from * this.#laneBytes);
  }

  /** Lane i of the result is lane indices[i] of `a`: permutes, repeats, drops. */
  gather(a: Wires, indices: Uint32Array): Wires {
    let largest = 0;
    for (const index of indices) if (index > largest) largest = index;
    if (indices.length > 0 && largest >= a.lanes) {
      throw new RangeError(`"indices" expected numbers below ${a.lanes}, got a larger one`);
    }
    if (a.constant !== undefined) return this.constant(indices.length, a.constant);
    if (indices.length === 0) return this.constant(0, 0);
    const source = this.locate(a);
    const result = this.#allocate(indices.length);
    this.gatherInto(result.address, source, indices);
    return result;
  }

  /** Runs the body and frees all memory that it took, except for vectors in its result (arrays and records of them). */
  scope<T>(body: () => T): T {
    const mark = this.#top;
    const result = body();
    const kept: Wires[] = [];
    for (const wires of wiresIn(result)) {
      if (wires.address >= mark && wires.saved === undefined) kept.push(wires);
    }
    this.#release(mark);
    this.#compact(kept.sort((a, b) => a.address - b.address));
    return result;
  }

  /** Like `scope`, but what is kept moves out of this memory and stays valid in later steps. */
  step<T>(body: () => T): T {
    this.#limit = this.andGates + STEP_GATES;
    const result = body();
    this.#limit = Number.POSITIVE_INFINITY;
    for (const wires of wiresIn(result)) {
      if (wires.constant === undefined && wires.saved === undefined) wires.saved = this.#read(wires);
      wires.address = NOWHERE;
    }
    this.#release(this.#base);
    return result;
  }

  /** Vectors made of contents that came from outside, valid in all steps. */
  protected outside(contents: Uint8Array): Wires {
    const lanes = this.#laneBytes === 0 ? 0 : contents.length / this.#laneBytes;
    return new Wires(lanes, NOWHERE, undefined, contents);
  }

  /** Brings a vector into memory if it is not there, and says where. */
  protected locate(wires: Wires): number {
    if (wires.address !== NOWHERE) return wires.address;
    const address = this.#take(wires.lanes);
    if (wires.constant !== undefined) {
      this.fill(address, wires.lanes, wires.constant);
      return address;
    }
    if (wires.saved === undefined)
      throw new RangeError('a vector expected to be of this step, got a freed one');
    this.bytes().set(wires.saved, address);
    wires.address = address;
    this.#loaded.push(wires);
    return address;
  }

  /** The end of what is in use. */
  protected get top(): number {
    return this.#top;
  }

  protected copy(target: number, source: number, lanes: number): void {
    this.bytes().copyWithin(target, source, source + lanes * this.#laneBytes);
  }

  /** Room for some lanes above everything that is in use now, for the length of one operation. */
  protected scratch(bytes: number): number {
    this.ensure(this.#top + bytes);
    return this.#top;
  }

  /** Moves vectors, by rising address, down to the top of what is in use. */
  #compact(kept: readonly Wires[]): void {
    let end = this.#top;
    const apart = kept.every((wires, i) => {
      end += wires.lanes * this.#laneBytes;
      return end <= (kept[i + 1]?.address ?? end);
    });
    // A vector must not move to where the next still lies, which happens only among views that overlap: these move up first.
    if (!apart) {
      let free = kept.reduce(
        (most, wires) => Math.max(most, wires.address + wires.lanes * this.#laneBytes),
        end,
      );
      for (const wires of kept) {
        const length = wires.lanes * this.#laneBytes;
        this.ensure(free + length);
        this.copy(free, wires.address, wires.lanes);
        wires.address = free;
        free += length;
      }
    }
    for (const wires of kept) {
      const source = wires.address;
      wires.address = this.#take(wires.lanes);
      if (wires.address !== source) this.copy(wires.address, source, wires.lanes);
    }
  }

  #read(wires: Wires): Uint8Array<ArrayBuffer> {
    return this.bytes().slice(wires.address, wires.address + wires.lanes * this.#laneBytes);
  }

  #allocate(lanes: number): Wires {
    return new Wires(lanes, this.#take(lanes));
  }

  #take(lanes: number): number {
    const address = this.#top;
    this.#top += lanes * this.#laneBytes;
    this.ensure(this.#top);
    return address;
  }

  protected ensure(length: number): void {
    if (length > this.bytes().length) this.grow(length);
  }

  #release(mark: number): void {
    this.#top = mark;
    for (
      let last = this.#loaded.at(-1);
      last !== undefined && last.address >= mark;
      last = this.#loaded.at(-1)
    ) {
      last.address = NOWHERE;
      this.#loaded.pop();
    }
  }
}

function sameLanes(a: Wires, b: Wires): void {
  if (a.lanes !== b.lanes) throw new RangeError(`"b" expected ${a.lanes} lanes, got ${b.lanes}`);
}
