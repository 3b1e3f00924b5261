/** Numbers as a task with a floor releases them: with no more digits than its noise leaves worth telling. */
import { floorOf, RELEASED_BITS, type ReleasedFraction, type StatisticsTask } from '@eigenveil/task';
import { allLanes, Fixed, spread } from '../fixed-point/index.ts';
import type { Wires } from '../garbling/index.ts';
import { VECTOR_FRACTION } from './discriminant-precision.ts';
import { REVEALED_FRACTION } from './precision.ts';

/** The fraction bits of released numbers in units of features in [−1, 1]. */
export function releasedFraction(task: StatisticsTask): ReleasedFraction {
  const { scatter } = REVEALED_FRACTION;
  return floorOf(task)?.released ?? { scatter, variances: scatter, mean: scatter };
}

/** a / b to the nearest number with this number of fraction bits; b is not negative. */
export function releasedQuotient(a: Fixed, b: Fixed, fraction: number): Fixed {
  const size = a.absolute().at(fraction + 1);
  const quotient = size
    .resized(size.bits + 1)
    .nonNegative()
    .dividedByUnsigned(b);
  return quotient.rounded({ fraction, bits: quotient.bits }).negatedIf(a.sign);
}

/** The fraction bits of released vectors of length 1 of a discriminant program. */
export function vectorFraction(task: StatisticsTask): number {
  return floorOf(task) ? RELEASED_BITS : VECTOR_FRACTION;
}

/**
 * Numbers of one kind without the digits below the RELEASED_BITS highest that the largest of them has:
 * rounded down, for two gates a bit and lane. Where the task has no floor they stay what they are.
 */
export function cutTogether(a: Fixed, task: StatisticsTask): Fixed {
  if (floorOf(task) === undefined) return a;
  const { gates, lanes } = a;
  return gates.scope(() => {
    const high = a.number.slice(RELEASED_BITS, -1).map((bit) => gates.not(gates.xor(bit, a.sign)));
    // Each digit has a 1 if no number has it or a higher one.
    const clear: Wires[] = [];
    let above = gates.constant(1, 1);
    for (const none of allLanes(gates, high, 1).toReversed()) {
      above = gates.and(above, none);
      clear.unshift(above);
    }
    const low = gates.andEach(
      a.number.slice(0, clear.length),
      clear.map((wires) => spread(gates, wires, lanes)),
    );
    return new Fixed(gates, [...low, ...a.number.slice(clear.length)], a.fraction);
  });
}
