/** The end of a discriminant program: what is revealed, masked where a flag failed, and what it means. */
import { mask, type Num, valuesOf } from '../circuits/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { EIGENVALUE_FRACTION } from './discriminant-precision.ts';
import { checkFlags, type Flags, flagBits } from './flags.ts';
import { broadcast } from './numbers.ts';
import type { CheckedDecomposition } from './pca.ts';

export interface Components {
  /** One lane per component, EIGENVALUE_FRACTION fraction bits. */
  readonly values: Num;
  /** Lane i * count + j: entry i of vector j. */
  readonly vectors: Num;
  readonly converged: Wires;
}

/** @throws as `checkFlags`, at the evaluator; all other outputs are zero then */
export async function revealComponents(
  session: Session,
  flags: Flags,
  { values, vectors, converged }: Components,
  d: number,
  count: number,
): Promise<CheckedDecomposition | undefined> {
  const outputs = await session.step((gates) => {
    const bits = flagBits(gates, flags);
    const valid = [bits.at(-1)!];
    const masked = (a: Num): Num => mask(gates, broadcast(gates, valid, 0, a[0]!.lanes)[0]!, a);
    return { bits, converged: masked([converged]), values: masked(values), vectors: masked(vectors) };
  });
  const revealed = await session.reveal([
    ...outputs.bits,
    ...outputs.converged,
    ...outputs.values,
    ...outputs.vectors,
  ]);
  if (revealed === undefined) return undefined;
  const first = outputs.bits.length;
  checkFlags(revealed.slice(0, first));
  const last = first + 1 + values.length;
  const entries = valuesOf(revealed.slice(last));
  return {
    vectors: Array.from({ length: count }, (_, j) => {
      const vector = Array.from({ length: d }, (_, i) => Number(entries[i * count + j]!));
      const length = Math.hypot(...vector);
      return vector.map((entry) => entry / length + 0);
    }),
    eigenvalues: valuesOf(revealed.slice(first + 1, last)).map(
      (value) => Number(value) / 2 ** EIGENVALUE_FRACTION,
    ),
    converged: Array.from(revealed[first]!, (bit) => bit === 1),
  };
}
