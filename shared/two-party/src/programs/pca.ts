/**
 * PCA as a circuit, from additive shares to eigenvectors: reduction to a tridiagonal matrix, bisection, deflation and
 * back. The number of steps is public and always the same; docs/precision.md has the widths and their reasons.
 */
import type { Decomposition, Program } from '@eigenveil/projection';
import { layout, type StatisticsTask } from '@eigenveil/statistics';
import {
  absolute,
  all,
  concatLanes,
  divideUnsigned,
  lessThan,
  mask,
  type Num,
  negateIf,
  normalise,
  resize,
  select,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  sign,
  sliceLanes,
  square,
  subtractModulo,
  sumLanes,
  valuesOf,
} from '../circuits/index.ts';
import { TwoPartyError } from '../errors.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { largestEigenvalues } from './bisection.ts';
import { deflate, rotateVectors } from './deflation.ts';
import { broadcast, coarser, nonNegative, pick, zeros } from './numbers.ts';
import { EIGENVALUE_FRACTION, FRACTION, RESIDUAL_FRACTION, RESIDUAL_PLACES, WORD } from './precision.ts';
import { poolStatistics, type Shares, scaledScatter } from './statistics.ts';
import { products } from './steps.ts';
import { reflectVectors, triangleIndex, tridiagonalise } from './tridiagonal.ts';

export interface CheckedDecomposition extends Decomposition {
  /** Per component whether ‖S w − λ w‖ <= 2^-10 λ_1. */
  readonly converged: boolean[];
}

/**
 * Runs the program; the evaluator's session gets the decomposition, the garbler's nothing. Vectors have length 1 up to 2^-20 or so.
 * @throws TwoPartyError ERR_OWNER_COUNT when the number of owners differs from the verified one, is below the
 *   minimum, or when there are no rows; all other outputs are zero then
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

  const tridiagonal = await tridiagonalise(session, matrix, d);
  const shifts = await largestEigenvalues(session, tridiagonal, count);
  const deflated = await deflate(session, tridiagonal, shifts);
  // Without any scatter the eigenvalues are 0, not the error of a shift.
  const values = await session.step((gates) =>
    mask(gates, gates.concat(new Array<Wires>(count).fill(some)), deflated.values),
  );
  const rotated = await rotateVectors(session, deflated, d, count);
  const reflected = await reflectVectors(session, tridiagonal.reflections, rotated, d, count);
  const vectors = await session.step((gates) => fixSigns(gates, reflected, d, count));
  const converged = await residuals(session, matrix, vectors, values, d, count);

  const outputs = await session.step((gates) => {
    const scaled = eigenvalues(gates, values, places, pooled.Q, bits, task.fractionBits);
    const valid = all(gates, pooled.flags);
    const masked = (a: Num): Num => mask(gates, broadcast(gates, [valid], 0, a[0]!.lanes)[0]!, a);
    return { vectors: masked(vectors), values: masked(scaled), converged: masked([converged]) };
  });
  const revealed = await session.reveal([
    ...pooled.flags,
    ...outputs.converged,
    ...outputs.values,
    ...outputs.vectors,
  ]);
  return revealed && decode(revealed, outputs.values.length, d, count);
}

/** Shifts so that the trace, which no eigenvalue exceeds, is from 1/2 to 1; says whether there is any scatter. */
function normaliseTrace(gates: Gates, scatter: Num, d: number): { matrix: Num; places: Num; some: Wires } {
  const entries = (d * (d + 1)) / 2;
  const trace = sumLanes(
    gates,
    pick(gates, scatter, d, (i) => triangleIndex(d, i, i)),
  );
  const { value, places } = normalise(gates, nonNegative(gates, resize(trace, scatter.length)));
  const shifted = shiftLeftBy(gates, scatter, broadcast(gates, places, 0, entries));
  return {
    matrix: resize(shiftRight(shifted, scatter.length - 1 - FRACTION), WORD),
    places,
    some: value.at(-2)!,
  };
}

/** Makes the entry of largest magnitude positive. */
function fixSigns(gates: Gates, vectors: Num, d: number, count: number): Num {
  // The largest first: its magnitude above its sign.
  let best = { size: zeros(gates, 1, 0), negative: gates.constant(0, 0) };
  for (let i = 0; i < d; i += 1) {
    const entry = sliceLanes(gates, vectors, i * count, (i + 1) * count);
    const size = absolute(gates, entry);
    if (i === 0) best = { size, negative: sign(entry) };
    else {
      const larger = lessThan(gates, best.size, size);
      const chosen = select(gates, larger, [sign(entry), ...size], [best.negative, ...best.size]);
      best = { size: chosen.slice(1), negative: chosen[0]! };
    }
  }
  return negateIf(gates, broadcastGroups(gates, best.negative, d), vectors);
}

function broadcastGroups(gates: Gates, wires: Wires, times: number): Wires {
  return gates.concat(new Array<Wires>(times).fill(wires));
}

/** ‖S w − λ w‖² 2^20 <= λ_1², per vector. */
async function residuals(
  session: Session,
  matrix: Num,
  vectors: Num,
  values: Num,
  d: number,
  count: number,
): Promise<Wires> {
  const places = FRACTION - RESIDUAL_FRACTION;
  const word = RESIDUAL_FRACTION + 2;
  const rows: Num[] = [];
  // Row i of the product: d entries and -λ for each vector.
  for (let i = 0; i < d; i += 1) {
    const terms = await products(
      session,
      (d + 1) * count,
      (gates) => {
        const entries = pick(gates, matrix, d * count, (lane) =>
          triangleIndex(d, i, Math.floor(lane / count)),
        );
        const own = sliceLanes(gates, vectors, i * count, (i + 1) * count);
        return [
          coarser(concatLanes(gates, [entries, values]), places, word),
          coarser(concatLanes(gates, [vectors, own]), places, word),
        ];
      },
      { shift: RESIDUAL_FRACTION, bits: word },
    );
    rows.push(
      await session.step((gates) => {
        const image = sumLanes(gates, sliceLanes(gates, terms, 0, d * count), count);
        return subtractModulo(gates, image, sliceLanes(gates, terms, d * count, (d + 1) * count), word);
      }),
    );
  }
  return session.step((gates) => {
    const squares = sumLanes(gates, square(gates, concatLanes(gates, rows)), count);
    const largest = square(gates, coarser(sliceLanes(gates, values, 0, 1), places, word));
    const bound = broadcast(gates, largest, 0, count);
    const scaled = nonNegative(gates, shiftLeft(gates, squares, 2 * RESIDUAL_PLACES));
    return gates.not(lessThan(gates, bound, scaled));
  });
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
  const [sameOwners, enoughOwners, rows, converged] = revealed as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  if (sameOwners[0] !== 1)
    throw new TwoPartyError(
      'ERR_OWNER_COUNT',
      'the encrypted number of owners differs from the verified records',
    );
  if (enoughOwners[0] !== 1)
    throw new TwoPartyError('ERR_OWNER_COUNT', 'the number of owners expected at least the minimum');
  if (rows[0] !== 1) throw new TwoPartyError('ERR_OWNER_COUNT', 'owners expected to have rows, got none');
  const values = valuesOf(revealed.slice(4, 4 + valueBits));
  const entries = valuesOf(revealed.slice(4 + valueBits));
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
