/**
 * PCA as a circuit, from additive shares to eigenvectors. The number of steps is public and always the same; docs/precision.md has the
 * widths and their reasons.
 */
import type { Decomposition, Program } from '@eigenveil/projection';
import { layout, type StatisticsTask } from '@eigenveil/statistics';
import { divideUnsigned, mask, type Num, select, shiftLeft, sign, valuesOf } from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { checkResiduals, fixSigns, leadingEigenpairs, normaliseTrace } from './eigen.ts';
import { checkFlags, flagBits } from './flags.ts';
import { broadcast, nonNegative } from './numbers.ts';
import { EIGENVALUE_FRACTION, FRACTION } from './precision.ts';
import { poolStatistics, type Shares, scaledScatter } from './statistics.ts';

export interface CheckedDecomposition extends Decomposition {
  /** Per component whether ‖S w − λ w‖ <= 2^-10 λ_1. */
  readonly converged: boolean[];
}

/**
 * Runs the program; the evaluator's session gets the decomposition, the garbler's nothing. Vectors have length 1 up to 2^-20 or so.
 * @throws as `checkFlags`, at the evaluator; all other outputs are zero then
 */
export async function pca(
  session: Session,
  task: StatisticsTask,
  program: Pick<Program, 'components' | 'minimumOwners'>,
  shares: Shares,
): Promise<CheckedDecomposition | undefined> {
  const d = task.features.length;
  const count = Math.min(program.components, d);
  const pooled = await poolStatistics(session, task, program.minimumOwners, shares);
  // |Q R| <= Q² u² per entry, d times that for the trace; and a sign.
  const sampleBits = layout(task).valueBits.at(-2)! - 1;
  const bits = 2 * (sampleBits + task.fractionBits) + Math.ceil(Math.log2(d)) + 2;
  const scatter = await scaledScatter(session, pooled, d, bits);
  const { matrix, places, some } = await session.step((gates) => normaliseTrace(gates, scatter, d));

  const pairs = await leadingEigenpairs(session, matrix, d, count);
  const { values, vectors } = await session.step((gates) => ({
    // Without any scatter the eigenvalues are 0, not the error of a shift.
    values: mask(gates, gates.concat(new Array<Wires>(count).fill(some)), pairs.values),
    vectors: fixSigns(gates, pairs.vectors, d, count),
  }));
  const converged = await checkResiduals(session, matrix, { values, vectors }, d, count);

  const outputs = await session.step((gates) => {
    const scaled = eigenvalues(gates, values, places, pooled.Q, bits, task.fractionBits);
    const flags = flagBits(gates, pooled.flags);
    const valid = [flags.at(-1)!];
    const masked = (a: Num): Num => mask(gates, broadcast(gates, valid, 0, a[0]!.lanes)[0]!, a);
    return { flags, vectors: masked(vectors), values: masked(scaled), converged: masked([converged]) };
  });
  const revealed = await session.reveal([
    ...outputs.flags,
    ...outputs.converged,
    ...outputs.values,
    ...outputs.vectors,
  ]);
  if (revealed === undefined) return undefined;
  checkFlags(revealed.slice(0, outputs.flags.length));
  return decode(revealed.slice(outputs.flags.length), outputs.values.length, d, count);
}

/** Of the undivided scatter, with EIGENVALUE_FRACTION fraction bits: the normalised ones over Q and without the shift. */
function eigenvalues(
  gates: Gates,
  values: Num,
  places: Num,
  Q: Num,
  bits: number,
  fractionBits: number,
): Num {
  const count = values[0]!.lanes;
  // value = λ Q 2^(2 fractionBits) 2^places / 2^(bits - 1) 2^FRACTION; small negative ones are rounding errors.
  const positive = nonNegative(gates, mask(gates, gates.not(sign(values)), values));
  const exponent = bits - 1 - FRACTION - 2 * fractionBits + EIGENVALUE_FRACTION;
  // Shifting right by `places` after `exponent` to the left.
  const wide = shiftLeft(gates, positive, Math.max(0, exponent));
  const shifted = gates.scope(() => {
    const right = places.map((bit) => bit);
    return nonNegative(gates, shiftRightSecret(gates, wide, broadcast(gates, right, 0, count)));
  });
  return divideUnsigned(gates, shifted, broadcast(gates, Q, 0, count));
}

function shiftRightSecret(gates: Gates, a: Num, places: Num): Num {
  let current = a;
  const zero = gates.constant(a[0]!.lanes, 0);
  for (const [k, bit] of places.entries()) {
    const moved = current.map((_, i) => current[i + Math.min(2 ** k, a.length)] ?? zero);
    current = select(gates, bit, moved, current);
  }
  return current;
}

function decode(
  revealed: readonly Uint8Array[],
  valueBits: number,
  d: number,
  count: number,
): CheckedDecomposition {
  const converged = revealed[0]!;
  const values = valuesOf(revealed.slice(1, 1 + valueBits));
  const entries = valuesOf(revealed.slice(1 + valueBits));
  const vectors = Array.from({ length: count }, (_, j) => {
    const vector = Array.from({ length: d }, (_, i) => Number(entries[i * count + j]!));
    const length = Math.hypot(...vector);
    return vector.map((entry) => entry / length + 0);
  });
  return {
    vectors,
    eigenvalues: values.map((value) => Number(value) / 2 ** EIGENVALUE_FRACTION),
    converged: Array.from(converged, (bit) => bit === 1),
  };
}
