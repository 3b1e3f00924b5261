/** Records templates: see gates.ts. */
import { type Batch, Gates, OPERATION, type Result, recordedLanes, type Template } from './gates.ts';
import { Wires } from './wires.ts';

type Inputs = readonly (readonly Wires[])[];

/**
 * By name and shapes of inputs, all of them public: what one context has recorded, every other of this
 * process replays, so that a computation does not begin by recording what the one before had recorded, too.
 */
const recordedCircuits = new Map<string, Template>();
let recordedOperands = 0;
/** 32 MiB of code. Beyond it all is forgotten, and recorded again where it is needed. */
export const MOST_OPERANDS = 2 ** 23;

type Circuit<Given extends Inputs> = (gates: Gates, inputs: Given) => readonly Wires[];

/**
 * The result of a circuit that treats all lanes alike, by replaying what was recorded when the circuit first
 * occurred in this process with inputs of these lengths and constants. `name` must tell it from every other
 * circuit and hold all that the body depends on besides its inputs; the body must use only the context and
 * the inputs that it is given. Inputs have equally many lanes.
 */
export function template<const Given extends Inputs>(
  gates: Gates,
  name: string,
  inputs: Given,
  body: Circuit<Given>,
): Wires[] {
  const lanes = inputs[0]![0]!.lanes;
  if (lanes === 0) return [...body(gates, inputs)];
  const recorded = recordedLanes(lanes);
  let key = `${name} ${recorded}`;
  const vectors: Wires[] = [];
  for (const input of inputs) {
    key += ' ';
    for (const wires of input) {
      if (wires.lanes !== lanes) throw new RangeError(`"inputs" expected ${lanes} lanes, got ${wires.lanes}`);
      key += wires.constant ?? 'x';
      if (wires.constant === undefined) vectors.push(wires);
    }
  }
  let notes = recordedCircuits.get(key);
  if (notes === undefined) {
    notes = record(recorded, inputs, body);
    keep(key, notes);
  }
  return gates.replay(notes, vectors, lanes);
}

function keep(key: string, notes: Template): void {
  recordedOperands += notes.code.length;
  if (recordedOperands > MOST_OPERANDS) {
    recordedCircuits.clear();
    recordedOperands = notes.code.length;
  }
  recordedCircuits.set(key, notes);
}

function record<Given extends Inputs>(lanes: number, inputs: Given, body: Circuit<Given>): Template {
  const vectors = inputs.flat().filter(({ constant }) => constant === undefined).length;
  const recorder = new Recorder(lanes, vectors);
  let index = 0;
  const stands = inputs.map((input) =>
    input.map(({ constant }) => {
      if (constant !== undefined) return recorder.constant(lanes, constant);
      index += 1;
      return recorder.input(index - 1);
    }),
  );
  // The same shape with other wires in it.
  return recorder.finish(recorder.scope(() => body(recorder, stands as Inputs as Given)));
}

const NO_BYTES = new Uint8Array(0);
const UNEQUAL = 'a template expected to treat all lanes alike';

/** A context without contents, whose addresses are vector numbers times the lanes. */
class Recorder extends Gates {
  readonly #lanes: number;
  readonly #inputs: number;
  readonly #code: number[] = [];
  #height = 0;

  constructor(lanes: number, inputs: number) {
    super(1, inputs * lanes);
    this.#lanes = lanes;
    this.#inputs = inputs;
  }

  input(index: number): Wires {
    return new Wires(this.#lanes, index * this.#lanes);
  }

  /** Returns what was recorded, with these results. Nothing may be recorded afterwards. */
  finish(results: readonly Wires[]): Template {
    return {
      code: Int32Array.from(this.#code),
      gates: this.andGates / this.#lanes,
      batches: this.batches,
      height: this.#height,
      kept: this.#vector(this.top),
      results: results.map((wires): Result => {
        if (this.#count(wires.lanes) !== 1) throw new TypeError(UNEQUAL);
        if (wires.constant !== undefined) return { kind: 'constant', bit: wires.constant };
        const place = this.#vector(wires.address);
        return place < 0 ? { kind: 'input', index: ~place } : { kind: 'vector', place };
      }),
    };
  }

  protected bytes(): Uint8Array<ArrayBuffer> {
    return NO_BYTES;
  }

  protected override ensure(length: number): void {
    this.#height = Math.max(this.#height, this.#vector(length));
  }

  protected grow(): void {}

  protected fill(address: number, lanes: number, value: 0 | 1): void {
    this.#code.push(OPERATION.fill, this.#count(lanes), this.#vector(address), value);
  }

  protected override copy(target: number, source: number, lanes: number): void {
    this.#code.push(OPERATION.copy, this.#count(lanes), this.#vector(target), this.#vector(source));
  }

  protected xorInto(target: number, a: number, b: number, lanes: number): void {
    const count = this.#count(lanes);
    this.#code.push(OPERATION.xor, count, this.#vector(target), this.#vector(a), this.#vector(b));
  }

  protected invertInto(target: number, a: number, lanes: number): void {
    this.#code.push(OPERATION.invert, this.#count(lanes), this.#vector(target), this.#vector(a));
  }

  protected andInto({ count, targets, lefts, rights, lanes }: Batch): void {
    const code = this.#code;
    code.push(OPERATION.and, count);
    for (let i = 0; i < count; i += 1) {
      code.push(this.#count(lanes[i]!));
      code.push(this.#vector(targets[i]!), this.#vector(lefts[i]!), this.#vector(rights[i]!));
    }
  }

  protected override addInto({ count, targets, lefts, rights, lanes, sums, thirds }: Batch): void {
    const code = this.#code;
    code.push(OPERATION.add, count);
    for (let i = 0; i < count; i += 1) {
      code.push(this.#count(lanes[i]!));
      code.push(this.#vector(targets[i]!), this.#vector(lefts[i]!), this.#vector(rights[i]!));
      code.push(this.#vector(thirds[i]!), this.#vector(sums[i]!));
    }
  }

  /** Whole vectors in another order: copies of runs of them. */
  protected gatherInto(target: number, source: number, indices: Uint32Array): void {
    for (let from = 0; from < indices.length; ) {
      let to = from + 1;
      while (to < indices.length && indices[to] === indices[from]! + to - from) to += 1;
      this.copy(target + from, source + indices[from]!, to - from);
      from = to;
    }
  }

  #count(lanes: number): number {
    const count = lanes / this.#lanes;
    if (!Number.isInteger(count)) throw new TypeError(UNEQUAL);
    return count;
  }

  #vector(address: number): number {
    const vector = address / this.#lanes;
    if (!Number.isInteger(vector)) throw new TypeError(UNEQUAL);
    return vector < this.#inputs ? ~vector : vector - this.#inputs;
  }
}
