/**
 * The gates that a context computes at once: AND gates, or full adders with one AND gate each.
 *
 * Circuits as straight-line code. Most work of a program is a few dozen small circuits (a product of 28 bits,
 * say) on many numbers, and walking through one in TypeScript costs more than its gates while there are few
 * lanes. So a circuit that treats all lanes alike is walked through once, on a `Recorder` (recorder.ts),
 * which notes what happens to which vector; the contexts then only replay the notes, with their own inputs
 * and lanes. Both parties replay the same notes, since these depend on public shapes alone.
 *
 * The part that every gate context shares: gates on vectors, public constants that cost nothing, and replays
 * of templates.
 *
 * Circuits are plain synchronous functions over a context. An AND gate takes tens of nanoseconds, so neither
 * a promise nor a generator fits between two of them; sessions exchange data only between steps (see
 * session.ts).
 */
import { Memory, Wires } from './wires.ts';

/**
 * `count` vectors, by address: gate by gate a[i] AND b[i]; or the sums and carries of a[i], b[i] and c[i].
 */
export interface Batch {
  count: number;
  /** The products or carries. */
  readonly targets: Uint32Array;
  readonly lefts: Uint32Array;
  readonly rights: Uint32Array;
  readonly lanes: Uint32Array;
  /** The places of the sums; only full adders have them. */
  readonly sums: Uint32Array;
  readonly thirds: Uint32Array;
}

export function batchOf(vectors: number): Batch {
  const numbers = () => new Uint32Array(vectors);
  return {
    count: 0,
    targets: numbers(),
    lefts: numbers(),
    rights: numbers(),
    lanes: numbers(),
    sums: numbers(),
    thirds: numbers(),
  };
}

/**
 * Operations of a template's code and their operands; vectors are numbered as `Template.code` says, and
 * `count` vectors that follow each other are worked on as one.
 */
export const OPERATION = {
  /** count, target, a, b */
  xor: 0,
  /** count, target, a */
  invert: 1,
  /** count, target, a */
  copy: 2,
  /** count, target, bit */
  fill: 3,
  /** how many, then count, target, a, b of each: one batch */
  and: 4,
  /** how many, then count, carry, a, b, c, sum of each: one batch of full adders */
  add: 5,
} as const;

/** A result of a template: a public bit, an input, or a vector that the template left at its base. */
export type Result =
  | { readonly kind: 'constant'; readonly bit: 0 | 1 }
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'vector'; readonly place: number };

export interface Template {
  /** Vector v >= 0 lies v vectors above the base; v < 0 is input ~v. */
  readonly code: Int32Array;
  /** AND gates per lane. */
  readonly gates: number;
  readonly batches: number;
  /** Vectors that it needs above the base, and how many of them its results take. */
  readonly height: number;
  readonly kept: number;
  readonly results: readonly Result[];
}

/**
 * Returns how many lanes a circuit is recorded with to be replayed with this number: circuits choose adders,
 * and how much they compute at a time, by lanes. A function of public sizes, the same on both sides.
 */
export function recordedLanes(lanes: number): number {
  if (lanes <= 2) return lanes;
  if (lanes < 16) return 8;
  return lanes < 48 ? 32 : 64;
}

/** Up to this number of lanes, adders are prefix adders: see circuits/add.ts. */
export const PREFIX_LANES = 2;

/** Both rows of a half-gates table. */
export const TABLE_BYTES = 32;

/** The most AND gates of one step. Its tables, 64 MiB, are all that either party ever holds. */
export const STEP_GATES = 2 ** 21;

export type Triple = readonly [Wires, Wires, Wires];
export interface Added {
  readonly sum: Wires;
  readonly carry: Wires;
}

export abstract class Gates extends Memory {
  /** AND gates so far, one per lane; what is paid for. */
  andGates = 0;
  /** Calls that computed AND gates; each costs a few microseconds however few gates it has. */
  batches = 0;
  /** The number that andGates may not exceed before the running step ends. */
  #limit = Number.POSITIVE_INFINITY;
  #batch = batchOf(1024);

  protected abstract xorInto(target: number, a: number, b: number, lanes: number): void;
  protected abstract invertInto(target: number, a: number, lanes: number): void;
  /** No vector is empty. The batch is used again afterwards. */
  protected abstract andInto(batch: Batch): void;
  /** As andInto, for full adders; no target is an operand. */
  protected addInto(batch: Batch): void {
    const { count, targets, lefts, rights, lanes, sums, thirds } = batch;
    let length = 0;
    for (let k = 0; k < count; k += 1) length += lanes[k]! * this.laneBytes;
    const products = batchOf(count);
    products.count = count;
    let place = this.scratch(length);
    for (let k = 0; k < count; k += 1) {
      this.xorInto(sums[k]!, lefts[k]!, thirds[k]!, lanes[k]!);
      this.xorInto(targets[k]!, rights[k]!, thirds[k]!, lanes[k]!);
      products.lefts[k] = sums[k]!;
      products.rights[k] = targets[k]!;
      products.targets[k] = place;
      products.lanes[k] = lanes[k]!;
      place += lanes[k]! * this.laneBytes;
    }
    this.andInto(products);
    for (let k = 0; k < count; k += 1) {
      this.xorInto(sums[k]!, sums[k]!, rights[k]!, lanes[k]!);
      this.xorInto(targets[k]!, products.targets[k]!, thirds[k]!, lanes[k]!);
    }
  }
  protected abstract gatherInto(target: number, source: number, indices: Uint32Array): void;

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
    const result = this.blank(a.lanes);
    this.xorInto(result.address, left, right, a.lanes);
    return result;
  }

  /** b XOR every b.lanes lanes of `a` in turn. */
  xorEach(a: Wires, b: Wires): Wires {
    if (a.lanes === b.lanes) return this.xor(a, b);
    if (a.lanes % b.lanes !== 0) {
      throw new RangeError(`"a" expected a multiple of ${b.lanes} lanes, got ${a.lanes}`);
    }
    if (a.constant !== undefined || b.constant !== undefined) {
      return this.xor(a, this.concat(new Array<Wires>(a.lanes / b.lanes).fill(b)));
    }
    const left = this.locate(a);
    const right = this.locate(b);
    const result = this.blank(a.lanes);
    const length = b.lanes * this.laneBytes;
    for (let k = 0; k < a.lanes / b.lanes; k += 1) {
      this.xorInto(result.address + k * length, left + k * length, right, b.lanes);
    }
    return result;
  }

  not(a: Wires): Wires {
    if (a.constant !== undefined) return this.constant(a.lanes, a.constant === 0 ? 1 : 0);
    if (a.lanes === 0) return a;
    const source = this.locate(a);
    const result = this.blank(a.lanes);
    this.invertInto(result.address, source, a.lanes);
    return result;
  }

  and(a: Wires, b: Wires): Wires {
    return this.andEach([a], [b])[0]!;
  }

  /**
   * a[i] AND b[i] for every i, all at once: the more gates in one call, the cheaper each. Pairs may differ in
   * lanes, and an operand may occur many times.
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
      const result = this.blank(x.lanes);
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

  /**
   * Full adders, in one batch: sum a ^ b ^ c and carry c ^ ((a ^ c) AND (b ^ c)), an AND gate per lane, or
   * none where two of a, b and c are constants. With `targets` they go there, and are no other vectors.
   */
  addEach(triples: readonly Triple[], targets?: readonly Added[]): Added[] {
    const batch = this.#emptyBatch(triples.length);
    const results = triples.map(([a, b, c], i) => {
      sameLanes(a, b);
      sameLanes(a, c);
      const constants = [a, b, c].filter(({ constant }) => constant !== undefined).length;
      if (a.lanes === 0 || (constants > 1 && targets === undefined)) return this.#addConstants(a, b, c);
      const k = batch.count;
      batch.lefts[k] = this.locate(a);
      batch.rights[k] = this.locate(b);
      batch.thirds[k] = this.locate(c);
      const result = targets?.[i] ?? { sum: this.blank(a.lanes), carry: this.blank(a.lanes) };
      batch.sums[k] = result.sum.address;
      batch.targets[k] = result.carry.address;
      batch.lanes[k] = a.lanes;
      batch.count += 1;
      this.andGates += a.lanes;
      return result;
    });
    this.#checkLimit();
    if (batch.count > 0) {
      this.batches += 1;
      this.addInto(batch);
    }
    return results;
  }

  #addConstants(a: Wires, b: Wires, c: Wires): Added {
    const [x, y] = a.constant === undefined ? [b, c] : b.constant === undefined ? [a, c] : [a, b];
    const third = a.constant === undefined ? a : b.constant === undefined ? b : c;
    return { sum: this.xor(third, this.xor(x, y)), carry: x.constant === y.constant ? x : third };
  }

  /** @internal For template(): what was recorded, with vectors of `lanes` lanes as inputs. */
  replay(template: Template, inputs: readonly Wires[], lanes: number): Wires[] {
    const addresses = Float64Array.from(inputs, (wires) => this.locate(wires));
    const base = this.top;
    const length = lanes * this.laneBytes;
    this.top = base + template.height * length; // so that scratch is above
    this.ensure(this.top);
    this.andGates += template.gates * lanes;
    this.batches += template.batches;
    this.#checkLimit();
    this.run(template, addresses, base, lanes);
    this.top = base + template.kept * length;
    return template.results.map((result) => {
      if (result.kind === 'constant') return this.constant(lanes, result.bit);
      if (result.kind === 'input') return inputs[result.index]!;
      return new Wires(lanes, base + result.place * length);
    });
  }

  /** Carries out a template's code; inputs by address. */
  protected run({ code }: Template, inputs: Float64Array, base: number, lanes: number): void {
    const length = lanes * this.laneBytes;
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
          const adds = code[at] === OPERATION.add;
          const batch = this.#emptyBatch(count);
          at += 2;
          for (let i = 0; i < count; i += 1) {
            batch.lanes[i] = code[at]! * lanes;
            batch.targets[i] = place(code[at + 1]!);
            batch.lefts[i] = place(code[at + 2]!);
            batch.rights[i] = place(code[at + 3]!);
            if (adds) {
              batch.thirds[i] = place(code[at + 4]!);
              batch.sums[i] = place(code[at + 5]!);
            }
            at += adds ? 6 : 4;
          }
          batch.count = count;
          if (adds) this.addInto(batch);
          else this.andInto(batch);
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
    const result = this.blank(indices.length);
    this.gatherInto(result.address, source, indices);
    return result;
  }

  /** Like `scope`, but what is kept moves out of this memory and stays valid in later steps. */
  step<T>(body: () => T): T {
    this.#limit = this.andGates + STEP_GATES;
    const result = body();
    this.#limit = Number.POSITIVE_INFINITY;
    this.save(result);
    return result;
  }
}

function sameLanes(a: Wires, b: Wires): void {
  if (a.lanes !== b.lanes) throw new RangeError(`"b" expected ${a.lanes} lanes, got ${b.lanes}`);
}
