/**
 * A session is one two-party computation: it owns the protocol's state and talks to the peer; its context computes gates.
 * A program is written once, as an async function over a session, and run on both sides and in the clear.
 *
 * The boundary between synchronous gates and asynchronous messages is the step: a body of at most STEP_GATES gates. The
 * garbler runs the body, which only appends to the stream, and flushes it; the evaluator first receives all tables of the
 * step, then runs the body without waiting. So nothing is awaited between gates, memory is bounded by a step's tables and the
 * channel's buffers, and both parties work at the same time, on different steps. A program should cut its work into
 * steps of about 10^5 gates: shorter ones cost messages; longer ones outgrow the channel's buffers (4 MiB), and then one
 * party waits while the other computes.
 *
 * Sessions that tell how far they are.
 */
import type { Gates } from './gates.ts';
import type { Wires } from './wires.ts';

export interface Session<Context extends Gates = Gates> {
  /** The context, for its counters. Gates are computed within `step` only. */
  readonly gates: Context;
  /** `count` wires that carry the garbler's bits, 0 or 1 each. Only the garbler passes them. */
  garblerInput(count: number, bits?: Uint8Array): Promise<Wires>;
  /** `count` wires that carry the evaluator's bits. Only the evaluator passes them. */
  evaluatorInput(count: number, bits?: Uint8Array): Promise<Wires>;
  /** Computes gates. Vectors in the result (arrays and records of them) stay valid afterwards, all others do not. */
  step<T>(body: (gates: Context) => T): Promise<T>;
  /** The bits of each vector, to the evaluator alone. Reveals nothing else, and to the garbler nothing at all. */
  reveal(outputs: readonly Wires[]): Promise<Uint8Array[] | undefined>;
}

/** The sender's end of correlated oblivious transfer under delta: `count` blocks of 16 bytes, the zero messages. */
export interface LabelSender {
  extend(count: number): Promise<Uint8Array>;
}

/** The receiver's end: for each choice, 0 or 1, the zero message, xor delta where it is 1. */
export interface LabelReceiver {
  extend(choices: Uint8Array): Promise<Uint8Array>;
}

export function checkBits(bits: Uint8Array | undefined, count: number): Uint8Array {
  if (bits?.length !== count)
    throw new RangeError(`"bits" expected ${count} bits, got ${bits?.length ?? 'none'}`);
  if (bits.some((bit) => bit > 1)) throw new RangeError('"bits" expected 0 or 1 each, got another value');
  return bits;
}

export function checkNoBits(bits: Uint8Array | undefined): void {
  if (bits !== undefined)
    throw new RangeError('"bits" expected nothing from the party that they do not belong to');
}

/** Cuts one vector of bits into vectors as long as the outputs. */
export function splitLike(outputs: readonly Wires[], bits: Uint8Array): Uint8Array[] {
  let from = 0;
  return outputs.map((wires) => {
    from += wires.lanes;
    return bits.slice(from - wires.lanes, from);
  });
}

/** The same session; calls back after every step, and waits for what it returns. */
export function observed<Context extends Gates>(
  session: Session<Context>,
  onStep: (gates: Context) => void | Promise<void>,
): Session<Context> {
  return {
    gates: session.gates,
    garblerInput: (count, bits) => session.garblerInput(count, bits),
    evaluatorInput: (count, bits) => session.evaluatorInput(count, bits),
    reveal: (outputs) => session.reveal(outputs),
    async step(body) {
      const result = await session.step(body);
      await onStep(session.gates);
      return result;
    },
  };
}

/** The same session; calls back before anything is revealed, and waits for what it returns. */
export function beforeReveal<Context extends Gates>(
  session: Session<Context>,
  onReveal: () => Promise<void>,
): Session<Context> {
  return {
    gates: session.gates,
    garblerInput: (count, bits) => session.garblerInput(count, bits),
    evaluatorInput: (count, bits) => session.evaluatorInput(count, bits),
    step: (body) => session.step(body),
    async reveal(outputs) {
      await onReveal();
      return session.reveal(outputs);
    },
  };
}
