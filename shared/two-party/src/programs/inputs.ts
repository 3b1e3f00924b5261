/**
 * The inputs of both servers to a circuit: their additive shares of the statistics, and the number of
 * verified owners.
 */

import type { IntegerList } from '@eigenveil/platform';
import {
  computedBitsOf,
  computedFractionBits,
  placesOf,
  type Span,
  type StatisticsTask,
  widthsOf,
} from '@eigenveil/task';
import { addModulo, concatLanes, type Num, numberFrom, sliceLanes } from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';

/** Only the party that they belong to passes shares. */
export interface Shares {
  readonly garbler?: { readonly shares: IntegerList; readonly verifiedOwners: number };
  readonly evaluator?: { readonly shares: IntegerList };
}

/** AND gates that a step adds shares up with, at most. */
const MOST_GATES = 2 ** 20;

/**
 * The function that is applied to all values in the step that has the last of them: to the lanes of a span's
 * values, and to the bits of the number of verified owners.
 */
type Read<T> = (gates: Gates, values: (span: Span) => Num, records: Wires) => T;

/** Adds both servers' shares of all values that are computed with. */
export async function addShares<T>(
  session: Session,
  task: StatisticsTask,
  { garbler, evaluator }: Shares,
  read: Read<T>,
): Promise<T> {
  const inputs = inputsOf(task);
  const count = inputs.bits.reduce((sum, bits) => sum + bits, 0);
  const ownerBits = widthsOf(task).owners;
  const verified =
    garbler &&
    Uint8Array.from({ length: ownerBits }, (_, i) =>
      (BigInt(garbler.verifiedOwners) >> BigInt(i)) & 1n ? 1 : 0,
    );
  const own = (server: typeof garbler | typeof evaluator) =>
    server && shareBits(inputs.bits, inputs.from(server.shares));
  const left = await session.garblerInput(count, own(garbler));
  const records = await session.garblerInput(ownerBits, verified);
  const right = await session.evaluatorInput(count, own(evaluator));
  const groups = groupsOf(inputs.bits);
  let offset = 0;
  const add = (gates: Gates, some: readonly Group[]): Num[] =>
    some.map((group) => {
      const from = offset;
      offset += bitsOf(group);
      const [a, b] = [left, right].map((wires) =>
        numberFrom(gates, gates.slice(wires, from, offset), group.width),
      ) as [Num, Num];
      return addModulo(gates, a, b, group.width);
    });
  const sums: Num[] = [];
  const steps = inSteps(groups);
  for (const some of steps.slice(0, -1)) sums.push(...(await session.step((gates) => add(gates, some))));
  return session.step((gates) => {
    const all = [...sums, ...add(gates, steps.at(-1)!)];
    // Groups may hold more than one kind of value, as the layout may give two kinds the same width.
    return read(gates, (span) => valuesIn(gates, groups, all, span), records);
  });
}

interface Inputs {
  readonly bits: readonly number[];
  /** Takes the inputs from a server's shares of the values that are computed with. */
  readonly from: (shares: IntegerList) => bigint[];
}

/** V is shifted and takes no noise, so that its lowest bits are 0 in both shares: they stay outside. */
function inputsOf(task: StatisticsTask): Inputs {
  const zeros = BigInt(computedFractionBits(task) - task.fractionBits);
  const without = computedBitsOf(task).map(() => 0n);
  for (const { V } of placesOf(task).labellings.flat()) without.fill(zeros, V.from, V.to);
  return {
    bits: computedBitsOf(task).map((bits, i) => bits - Number(without[i]!)),
    from: (shares) => shares.map((share, i) => share >> without[i]!),
  };
}

/**
 * Bits of the values of a share, first value first, lowest bit first within a group of values of one length:
 * see `groupsOf`.
 */
function shareBits(bits: readonly number[], shares: readonly bigint[]): Uint8Array {
  const out: number[] = [];
  for (const { from, to, width } of groupsOf(bits)) {
    for (let i = 0; i < width; i += 1) {
      for (const share of shares.slice(from, to)) out.push(Number((share >> BigInt(i)) & 1n));
    }
  }
  return Uint8Array.from(out);
}

interface Group extends Span {
  readonly width: number;
}

/** Runs of values of one length, each small enough for a step. */
function groupsOf(bits: readonly number[]): Group[] {
  const groups: { from: number; to: number; width: number }[] = [];
  for (const [i, width] of bits.entries()) {
    const last = groups.at(-1);
    if (last?.width === width && bitsOf(last) + width <= MOST_GATES) last.to = i + 1;
    else groups.push({ from: i, to: i + 1, width });
  }
  return groups;
}

/** Counts the bits of all values of a group: their sum has about as many gates. */
function bitsOf({ from, to, width }: Group): number {
  return (to - from) * width;
}

/** The groups in their order, as many as fit a step at a time. */
function inSteps(groups: readonly Group[]): Group[][] {
  const steps: Group[][] = [[]];
  let gates = 0;
  for (const group of groups) {
    if (gates + bitsOf(group) > MOST_GATES) {
      steps.push([]);
      gates = 0;
    }
    steps.at(-1)!.push(group);
    gates += bitsOf(group);
  }
  return steps;
}

function valuesIn(gates: Gates, groups: readonly Group[], sums: readonly Num[], { from, to }: Span): Num {
  return concatLanes(
    gates,
    groups.flatMap((group, i) =>
      group.from < to && group.to > from
        ? [
            sliceLanes(
              gates,
              sums[i]!,
              Math.max(from, group.from) - group.from,
              Math.min(to, group.to) - group.from,
            ),
          ]
        : [],
    ),
  );
}
