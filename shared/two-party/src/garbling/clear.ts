/** The clear context: circuits on plain bits, as the reference for every other context. */
import type { Batch } from './batch.ts';
import { Gates } from './gates.ts';
import type { Wires } from './wires.ts';

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
