/**
 * The largest eigenvalues of a tridiagonal matrix by bisection with Sturm sequences (Golub and Van Loan, "Matrix
 * Computations", section 8.4.1), all at once, one lane each, without division. With P_i the leading minors of T − x, times powers of
 * two that keep the pair (P_i, R_i) in range, P_i = (a_i − x) P_{i−1} − b_{i−1} R_{i−1}, R_i = b_i P_{i−1}. Squares of b, which
 * need twice the bits, do not occur. Every change of sign is an eigenvalue below x.
 */
import {
  addModulo,
  concatLanes,
  lessThan,
  multiply,
  type Num,
  sign,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { broadcast, coarser, constantNumbers, scaleTogether, zeros } from './numbers.ts';
import { BISECTIONS, FRACTION, STURM_FRACTION, WORD } from './precision.ts';
import { piecesPerStep } from './steps.ts';
import type { Tridiagonal } from './tridiagonal.ts';

/** A sign and values below 2. */
const STURM_WORD = STURM_FRACTION + 2;
/** AND gates per lane and row, about. */
const GATES_PER_ROW = 3 * 2 * STURM_WORD ** 2;

interface State {
  readonly P: Num;
  readonly R: Num;
  readonly below: Num;
}

/** Eigenvalue i in lane i, within 2^-(BISECTIONS + 1) of the middle of its interval. All lie in [0, 1). */
export async function largestEigenvalues(
  session: Session,
  { diagonal, offDiagonal }: Pick<Tridiagonal, 'diagonal' | 'offDiagonal'>,
  count: number,
): Promise<Num> {
  const d = diagonal.length;
  const countBits = Math.ceil(Math.log2(d + 1)) + 1;
  // Highest digit first, as they are found.
  const digits: Wires[] = [];
  const rowsPerStep = piecesPerStep(count * GATES_PER_ROW);
  for (let round = 0; round < BISECTIONS; round += 1) {
    let state: State | undefined;
    for (let from = 0; from < d; from += rowsPerStep) {
      const before = state;
      state = await session.step((gates) => {
        const x = trial(gates, digits, count);
        let current = before ?? start(gates, count, countBits);
        for (let i = from; i < Math.min(d, from + rowsPerStep); i += 1) {
          current = row(gates, current, x, diagonal[i]!, offDiagonal[i], offDiagonal[i - 1], count);
        }
        return current;
      });
    }
    const { below } = state!;
    digits.push(
      await session.step((gates) => {
        const limits = Array.from({ length: count }, (_, i) => BigInt(d - i));
        return lessThan(gates, below, constantNumbers(gates, limits, countBits));
      }),
    );
  }
  return session.step((gates) => {
    const zero = gates.constant(count, 0);
    const low = [
      ...zeros(gates, FRACTION - BISECTIONS - 1, count),
      gates.constant(count, 1),
      ...digits.toReversed(),
    ];
    return [...low, ...new Array<Wires>(WORD - low.length).fill(zero)];
  });
}

/** The digits so far, a 1 and zeros. */
function trial(gates: Gates, digits: readonly Wires[], count: number): Num {
  const zero = gates.constant(count, 0);
  const after = zeros(gates, STURM_FRACTION - digits.length - 1, count);
  return [...after, gates.constant(count, 1), ...digits.toReversed(), zero, zero];
}

function start(gates: Gates, count: number, countBits: number): State {
  return {
    P: [...zeros(gates, STURM_FRACTION - 1, count), gates.constant(count, 1), ...zeros(gates, 1, count)],
    R: zeros(gates, STURM_FRACTION + 1, count),
    below: zeros(gates, countBits, count),
  };
}

function row(
  gates: Gates,
  { P, R, below }: State,
  x: Num,
  a: Num,
  b: Num | undefined,
  before: Num | undefined,
  count: number,
): State {
  const spread = (number: Num | undefined): Num =>
    number === undefined
      ? zeros(gates, STURM_WORD, count)
      : coarser(broadcast(gates, number, 0, count), FRACTION - STURM_FRACTION, STURM_WORD);
  return gates.scope(() => {
    const shifted = subtractModulo(gates, spread(a), x, STURM_WORD);
    const factors = [shifted, spread(before), spread(b)];
    const product = multiply(gates, concatLanes(gates, factors), concatLanes(gates, [P, R, P]), {
      shift: STURM_FRACTION,
      bits: STURM_WORD + 1,
    });
    const [first, second, third] = [0, 1, 2].map((i) =>
      sliceLanes(gates, product, i * count, (i + 1) * count),
    ) as [Num, Num, Num];
    const next = subtractModulo(gates, first, second, STURM_WORD + 1);
    const change = gates.xor(sign(next), sign(P));
    const { values, empty } = scaleTogether(gates, [next, third], count);
    const [scaled, other] = values.map((value) => coarser(value, 2, STURM_FRACTION + 1)) as [Num, Num];
    // Both zero: whatever follows starts afresh.
    const top = STURM_FRACTION - 1;
    return {
      P: scaled.map((bit, i) => (i === top ? gates.xor(bit, empty) : bit)),
      R: other,
      below: addModulo(gates, below, zeros(gates, below.length, count), below.length, change),
    };
  });
}
