/**
 * The scatter of a discriminant program under a floor: T' = S_W + E + S_B', with S_B' of the noised sums that
 * are released. S_W is S̄ − S_B with the exact S_B, so that T' = S̄ + E − U Uᵀ + U' U'ᵀ with the contrasts of
 * exact and of noised sums. All of it in the fixed-point words of the equilibrated matrix: what is subtracted
 * is never larger than S̄, and an error of a word's last bit is one of B, as every step makes them.
 */
import { floorOf, type StatisticsTask } from '@eigenveil/task';
import { allOfLanes, type Fixed, upperByColumns, upperByRows } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { outerProducts } from './matrices.ts';
import { DENSE_WORD } from './pencils.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import type { Room, TotalNoise } from './total-noise.ts';

/** A normal deviate exceeds this with a probability of 2^−40. */
const DEVIATIONS = 7.1;

/**
 * Returns what S_B' may have on its diagonal beyond twice the rest. Contrasts of the noise e have at most the
 * deviation s = φ√2 g per entry, whatever the numbers of rows, so that K − 1 of them are no longer than s
 * (√(K − 1) + 7.1); and |u + e|² ≤ 2|u|² + 2|e|². The factor 2 is that of ROOM_PLACES.
 */
export function roomForNoise(task: StatisticsTask): Room {
  const floor = floorOf(task);
  if (floor === undefined) return [];
  const columns = task.labellings[0]!.classes.length - 1;
  const { deviation, grains } = floor;
  return grains.map((grain) => 2 * (deviation * grain * (Math.sqrt(columns) + DEVIATIONS)) ** 2);
}

interface Exchanged {
  /** As that of the total noise: T' in place of S̄. */
  readonly matrix: Fixed;
  /** True if it holds every entry, as it does of all positive definite ones that have enough room. */
  readonly fits: Wires;
  /** A lane per feature: what was added to the diagonal of Q S̄, in its units. */
  readonly added: Fixed;
}

/** B − U Uᵀ + U' U'ᵀ */
export async function exchangeSums(
  session: Session,
  { matrix, places, scatter, digits }: TotalNoise,
  exact: Fixed,
  noised: Fixed,
  d: number,
  columns: number,
): Promise<Exchanged> {
  const kept = { fraction: SOLVE_FRACTION, bits: DENSE_WORD };
  const [without, within] = [
    await outerProducts(session, exact, d, columns, kept),
    await outerProducts(session, noised, d, columns, kept),
  ];
  const [byRows, byColumns] = [upperByRows(d), upperByColumns(d)];
  return session.step((gates) => {
    const change = within.minus(without).as(byRows, byColumns.at);
    const sum = matrix.plus(change, DENSE_WORD);
    const wide = change.diagonal(byRows).readAt(SOLVE_FRACTION - digits + scatter.fraction);
    const added = wide.at(scatter.fraction).resized(digits + 2);
    return {
      matrix: sum.resized(SOLVE_WORD),
      fits: allOfLanes(gates, sum.isWithin(0)),
      added: added.down(places).down(places),
    };
  });
}
