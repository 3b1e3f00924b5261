/**
 * Numbers as a task with a floor releases them: with no more digits than its noise leaves worth telling.
 *
 * The outputs that a program reveals: its checks, and numbers that are 0 unless all checks hold. Used by
 * every method.
 */

import type { Output, Result } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';
import { floorOf, RELEASED_BITS, type ReleasedFraction, type StatisticsTask } from '@eigenveil/task';
import { valuesOf } from '../circuits/index.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import { allLanes, Fixed, spread } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { REVEALED_FRACTION, VECTOR_FRACTION } from './precision.ts';
import { type PooledStatistics, releasedSums } from './statistics.ts';

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

export interface Check {
  /** One lane: 1 where the program may go on. */
  readonly holds: Wires;
  /** The error that the evaluator throws where it is 0. */
  readonly error: () => Error;
}

/** The checks that every method makes of the pooled statistics. */
export function poolChecks({
  flags: [sameOwners, enoughOwners, rows],
}: Pick<PooledStatistics, 'flags'>): Check[] {
  return [
    {
      holds: sameOwners,
      error: () =>
        new CodedError(
          TWO_PARTY_CODES.ERR_OWNER_COUNT,
          'the encrypted number of owners differs from the verified records',
        ),
    },
    {
      holds: enoughOwners,
      error: () =>
        new CodedError(
          PROJECTION_CODES.ERR_MINIMUM_OWNERS,
          'expected contributions of at least the minimum of owners',
        ),
    },
    {
      holds: rows,
      error: () => new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none'),
    },
  ];
}

export type Revealed<Numbers> = { -readonly [Name in keyof Numbers]: bigint[] };

/**
 * Reveals numbers by name, lane by lane, to the evaluator alone. Where a check fails all numbers and all
 * later checks come as 0, so that a refused program tells only the first reason, and that reason's error is
 * thrown.
 */
export async function revealChecked<Numbers extends { readonly [name: string]: Fixed }>(
  session: Session,
  checks: readonly Check[],
  numbers: Numbers,
): Promise<Revealed<Numbers> | undefined> {
  const entries = Object.entries<Fixed>(numbers);
  const { held, masked } = await session.step((gates) => {
    let all = gates.constant(1, 1);
    const held = checks.map(({ holds }) => {
      all = gates.and(all, holds);
      return all;
    });
    return { held, masked: entries.map(([, number]) => number.where(all).number) };
  });
  const bits = await session.reveal([...held, ...masked.flat()]);
  if (bits === undefined) return undefined;
  for (const [i, { error }] of checks.entries()) if (bits[i]![0] !== 1) throw error();
  let from = checks.length;
  const values = entries.map(([name, number]) => {
    from += number.bits;
    return [name, valuesOf(bits.slice(from - number.bits, from))];
  });
  return Object.fromEntries(values) as Revealed<Numbers>;
}

/** The outputs that are no eigenpairs, as revealed: see `statisticsOutputs`. */
export type StatisticsOutputs = Partial<Record<Exclude<Output, 'spectrum'>, Fixed>>;

/**
 * Returns these of the declared outputs: the mean of all rows, the trace of the total scatter and the numbers
 * of rows, of all and by class; others cost nothing. V are sums of rows, one lane per feature; `trace`, in
 * one lane, is Q times that of the total scatter, and is not called unless it is declared.
 */
export function statisticsOutputs(
  outputs: readonly Output[],
  pooled: Pick<PooledStatistics, 'V' | 'noised' | 'Q' | 'labellings'>,
  trace: () => Fixed,
  task: StatisticsTask,
): StatisticsOutputs {
  const { Q, labellings } = pooled;
  const wanted: StatisticsOutputs = {};
  const fraction = releasedFraction(task);
  const hasFloor = floorOf(task) !== undefined;
  if (outputs.includes('mean')) {
    const V = releasedSums(pooled);
    const each = Q.spread(V.lanes);
    // The mean is at most 1 in magnitude; noise may make it as large as V is.
    const bits = fraction.mean + (task.differentialPrivacy ? V.bits + 1 : 2);
    wanted.mean = hasFloor
      ? releasedQuotient(V, each, fraction.mean)
      : V.dividedBy(each, fraction.mean, bits);
  }
  if (outputs.includes('trace')) {
    const whole = trace();
    const dividend = whole.at(Math.max(whole.fraction, fraction.scatter));
    // Noise may make it negative.
    const quotient = () =>
      task.differentialPrivacy
        ? dividend.dividedBy(Q, dividend.fraction)
        : dividend.nonNegative().dividedByUnsigned(Q);
    wanted.trace = hasFloor ? releasedQuotient(whole, Q, fraction.scatter) : quotient().at(fraction.scatter);
  }
  if (outputs.includes('sampleCount')) wanted.sampleCount = Q;
  if (outputs.includes('classCounts')) wanted.classCounts = Fixed.joined(labellings.flat().map(({ M }) => M));
  return wanted;
}

/** The revealed values of `statisticsOutputs` as parts of the result. */
export function readStatistics(
  { mean, trace, sampleCount, classCounts, variances }: Partial<Record<Output, bigint[]>>,
  task: StatisticsTask,
): Pick<Result, 'mean' | 'trace' | 'sampleCount' | 'classCounts' | 'variances'> {
  const fraction = releasedFraction(task);
  let next = 0;
  return {
    ...(mean && { mean: mean.map((value) => real(value, fraction.mean)) }),
    ...(trace && { trace: real(trace[0]!, fraction.scatter) }),
    ...(sampleCount && { sampleCount: Number(sampleCount[0]!) }),
    ...(classCounts && {
      classCounts: task.labellings.map(({ classes }) => classes.map(() => Number(classCounts[next++]!))),
    }),
    ...(variances && { variances: variances.map((value) => real(value, fraction.variances)) }),
  };
}

/** Returns a revealed number with this number of fraction bits. */
export function real(value: bigint, fraction: number): number {
  return Number(value) / 2 ** fraction;
}

/** Revealed vectors, entry by entry and count lanes each, made to length 1 in doubles. */
export function readVectors(entries: readonly bigint[], d: number, count: number): number[][] {
  return Array.from({ length: count }, (_, j) => {
    const vector = Array.from({ length: d }, (_, i) => Number(entries[i * count + j]!));
    const length = Math.hypot(...vector);
    return vector.map((entry) => entry / length + 0);
  });
}
