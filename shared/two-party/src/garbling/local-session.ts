/** Sessions without a peer: in the clear, with both parties' bits, and for counting costs, with no bits. */
import { ClearGates } from './clear.ts';
import type { CountingGates, DepthGates } from './counting.ts';
import { checkBits, type Session, splitLike } from './session.ts';
import type { Wires } from './wires.ts';

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
