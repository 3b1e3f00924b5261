/**
 * Vectors of wires, the one kind of value that a gate context computes with.
 *
 * Vectors of wires as views of one memory, which is a stack within a step: `scope` frees all that a body
 * allocated except its result, so that a long circuit reuses the same few megabytes, which stay in the
 * processor's cache, and nothing waits for the garbage collector.
 */

/** The address of a vector that is not in a context's memory. */
export const NOWHERE = -1;

/**
 * A vector of wires, one per lane. Its contents belong to the context that made it: bits, labels or nothing
 * at all. Only contexts write its fields.
 */
export class Wires {
  readonly lanes: number;
  /** Set when every lane is this public constant; such vectors take no memory and no gates. */
  readonly constant: 0 | 1 | undefined;
  /** Position in the context's memory, in bytes, or NOWHERE. */
  address: number;
  /** Contents that outlive the step that made them. */
  saved: Uint8Array | undefined;

  constructor(
    lanes: number,
    address: number,
    constant: 0 | 1 | undefined = undefined,
    saved: Uint8Array | undefined = undefined,
  ) {
    this.lanes = lanes;
    this.address = address;
    this.constant = constant;
    this.saved = saved;
  }
}

/** Every vector within nested arrays and records, each once. */
export function wiresIn(value: unknown, found: Set<Wires> = new Set()): Set<Wires> {
  if (value instanceof Wires) found.add(value);
  else if (Array.isArray(value)) for (const item of value) wiresIn(item, found);
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) wiresIn(item, found);
  }
  return found;
}

export abstract class Memory {
  protected readonly laneBytes: number;
  readonly #base: number;
  /** The end of what is in use. */
  protected top: number;
  /** Saved vectors that are in memory now, by rising address. */
  readonly #loaded: Wires[] = [];

  protected constructor(laneBytes: number, base: number) {
    this.laneBytes = laneBytes;
    this.#base = base;
    this.top = base;
  }

  /** The memory as it is now; another object after it grew. */
  protected abstract bytes(): Uint8Array<ArrayBuffer>;
  protected abstract grow(length: number): void;
  protected abstract fill(address: number, lanes: number, value: 0 | 1): void;

  /** `lanes` wires that all carry this public bit. */
  constant(lanes: number, value: 0 | 1): Wires {
    return new Wires(lanes, NOWHERE, value);
  }

  /** Room for a vector that is written by parts: its slices are targets. */
  blank(lanes: number): Wires {
    return new Wires(lanes, this.#take(lanes));
  }

  /** Writes a vector to one that is blank. */
  place(target: Wires, source: Wires): void {
    if (source.constant !== undefined) this.fill(target.address, target.lanes, source.constant);
    else this.copy(target.address, this.locate(source), target.lanes);
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
    const result = this.blank(lanes);
    let address = result.address;
    for (const part of filled) {
      if (part.constant !== undefined) this.fill(address, part.lanes, part.constant);
      else this.copy(address, this.locate(part), part.lanes);
      address += part.lanes * this.laneBytes;
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
    return new Wires(to - from, this.locate(a) + from * this.laneBytes);
  }

  /**
   * Runs the body and frees all memory that it took, except for vectors in its result (arrays and records of
   * them).
   */
  scope<T>(body: () => T): T {
    const mark = this.top;
    const result = body();
    const kept: Wires[] = [];
    for (const wires of wiresIn(result)) {
      if (wires.address >= mark && wires.saved === undefined) kept.push(wires);
    }
    this.#release(mark);
    this.#compact(kept.sort((a, b) => a.address - b.address));
    return result;
  }

  /** Frees all memory; what is kept moves out of it. */
  protected save(result: unknown): void {
    for (const wires of wiresIn(result)) {
      // One that was loaded keeps its address until it is released below.
      if (wires.constant !== undefined || wires.saved !== undefined) continue;
      wires.saved = this.#read(wires);
      wires.address = NOWHERE;
    }
    this.#release(this.#base);
  }

  /** Vectors made of contents that came from outside, valid in all steps. */
  protected outside(contents: Uint8Array): Wires {
    const lanes = this.laneBytes === 0 ? 0 : contents.length / this.laneBytes;
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

  protected copy(target: number, source: number, lanes: number): void {
    this.bytes().copyWithin(target, source, source + lanes * this.laneBytes);
  }

  /** Room for some lanes above everything that is in use now, for the length of one operation. */
  protected scratch(bytes: number): number {
    this.ensure(this.top + bytes);
    return this.top;
  }

  /** Moves vectors, by rising address, down to the top of what is in use. */
  #compact(kept: readonly Wires[]): void {
    let end = this.top;
    const apart = kept.every((wires, i) => {
      end += wires.lanes * this.laneBytes;
      return end <= (kept[i + 1]?.address ?? end);
    });
    // A vector must not move to where the next still lies, which happens only among views that overlap: these
    // move up first.
    if (!apart) {
      let free = kept.reduce(
        (most, wires) => Math.max(most, wires.address + wires.lanes * this.laneBytes),
        end,
      );
      for (const wires of kept) {
        const length = wires.lanes * this.laneBytes;
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
    return this.bytes().slice(wires.address, wires.address + wires.lanes * this.laneBytes);
  }

  #take(lanes: number): number {
    const address = this.top;
    this.top += lanes * this.laneBytes;
    this.ensure(this.top);
    return address;
  }

  protected ensure(length: number): void {
    if (length > this.bytes().length) this.grow(length);
  }

  #release(mark: number): void {
    this.top = mark;
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
