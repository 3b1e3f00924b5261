/** Runs circuits on numbers, in the clear, garbled, and counted. */
import { bitsOf, type Num, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import {
  ClearSession,
  CountingGates,
  DepthGates,
  type Gates,
  type Session,
  type Wires,
} from '../../src/garbling/index.ts';
import { runGarbled } from '../support/garbled-run.ts';

export interface Operand {
  readonly bits: number;
  readonly values: readonly bigint[];
}

/** A circuit from numbers to numbers. */
export type Circuit = (gates: Gates, ...operands: Num[]) => readonly Num[];

const inputBits = (operands: readonly Operand[]) =>
  Uint8Array.from(operands.flatMap(({ bits, values }) => [...bitsOf(values, bits)]));

async function program(
  session: Session,
  circuit: Circuit,
  operands: readonly Operand[],
  wires: Wires,
): Promise<bigint[][] | undefined> {
  const numbers = await session.step((gates) => {
    let from = 0;
    const inputs = operands.map(({ bits, values }) => {
      from += bits * values.length;
      return numberFrom(gates, gates.slice(wires, from - bits * values.length, from), bits);
    });
    return circuit(gates, ...inputs);
  });
  const revealed = await session.reveal(numbers.flat());
  if (revealed === undefined) return undefined;
  let from = 0;
  return numbers.map((number) => {
    from += number.length;
    return valuesOf(revealed.slice(from - number.length, from));
  });
}

/** The values of each result, lane by lane. */
export async function runClear(circuit: Circuit, operands: readonly Operand[]): Promise<bigint[][]> {
  const session = new ClearSession();
  const bits = inputBits(operands);
  return (await program(session, circuit, operands, await session.garblerInput(bits.length, bits)))!;
}

/** The same garbled, where the inputs are the exclusive or of bits that both parties bring. */
export async function runBoth(circuit: Circuit, operands: readonly Operand[]): Promise<bigint[][]> {
  const bits = inputBits(operands);
  const masks = bits.map(() => Math.floor(Math.random() * 2));
  let result: bigint[][] | undefined;
  await runGarbled(
    async (session, garblerBits, evaluatorBits) => {
      const a = await session.garblerInput(bits.length, garblerBits);
      const b = await session.evaluatorInput(bits.length, evaluatorBits);
      const wires = await session.step((gates) => gates.xor(a, b));
      result = (await program(session, circuit, operands, wires)) ?? result;
      return undefined;
    },
    bits.map((bit, i) => bit ^ masks[i]!),
    masks,
  );
  return result!;
}

/** AND gates per lane, batches and depth of a circuit on operands of these lengths. */
export function cost(circuit: Circuit, bits: readonly number[], lanes: number) {
  const counting = new CountingGates();
  circuit(counting, ...bits.map((length) => Array.from({ length }, () => counting.input(lanes))));
  const following = new DepthGates();
  const results = circuit(
    following,
    ...bits.map((length) => Array.from({ length }, () => following.input(lanes))),
  );
  return {
    gates: counting.andGates / lanes,
    batches: counting.batches,
    depth: following.depth(results.flat()),
  };
}
