/** The sessions of programs over shared matrices: of the CSP, of the data user, in the clear, and counting. */
import type { LatticeCsp } from '../lattice/csp.ts';
import type { LatticeDataUser } from '../lattice/data-user.ts';
import { latticePlan } from '../lattice/planning.ts';
import type { LatticePlan, ProductSize } from '../lattice/sizes.ts';
import { addMatrices, type Matrix, multiplyMatrices } from '../rotated/matrices.ts';
import type { RandomBits } from '../rotated/random.ts';
import { type Made, MatrixSession, type Piece, type Product } from './session.ts';

/** @param beforeOpening is awaited before each stage that opens a result */
export function cspSession(
  products: Pick<LatticeCsp, 'answer'>,
  beforeOpening: () => Promise<void>,
): MatrixSession {
  return new MatrixSession(['csp'], {
    async multiply(first, asked) {
      const shares = await products.answer(
        asked.map(({ csp, plus, opened }, i) => ({
          product: first + i,
          factor: madeBy(csp),
          ...(plus && { plus: plus.csp! }),
          ...(opened && { under: madeBy(opened.under) }),
        })),
        beforeOpening,
      );
      return shares.map((share) => ({ csp: share }));
    },
  });
}

/** The CSP's matrix, from its shares of the products before. */
function madeBy(made: Made): (before: readonly Matrix[]) => Matrix {
  return (before) => (typeof made === 'function' ? made(before.map((share) => ({ csp: share }))) : made).csp!;
}

/**
 * @param onOpened is called with the number of an opening, from 0, when all of its results have come, before anything is made of them
 * @param onIdle is called in the first stage, when the CSP is at work
 */
export function dataUserSession(
  products: Pick<LatticeDataUser, 'multiply'>,
  { onOpened, onIdle }: { readonly onOpened?: (opening: number) => void; readonly onIdle?: () => void } = {},
): MatrixSession {
  let openings = 0;
  return new MatrixSession(['user'], {
    async multiply(first, asked) {
      const opens = asked.some(({ opened }) => opened !== undefined);
      const opening = openings;
      openings += Number(opens);
      const onLast = () => onOpened?.(opening);
      const shares = await products.multiply(
        asked.map(({ user }, i) => ({ product: first + i, factor: user.user! })),
        { ...(opens && { onLast }), ...(first === 0 && onIdle && { onSent: onIdle }) },
      );
      return shares.map((share) => ({ user: share }));
    },
  });
}

/** Both ends in the clear: products are exact, and the CSP's shares of results that stay shared are uniform. */
export function clearSession(random: RandomBits): MatrixSession {
  return new MatrixSession(['csp', 'user'], {
    async multiply(_, asked) {
      const results: Piece[] = [];
      for (const { size, csp, user, plus, opened } of asked) {
        const { ringBits, part } = size;
        const of = (made: Made) => (typeof made === 'function' ? made(results) : made).csp!;
        const factor = of(csp);
        const whole = plus ? addMatrices(user.user!, plus.csp!, ringBits) : user.user!;
        const at = (entry: (i: number, j: number) => bigint) =>
          factor.map((__, i) =>
            whole[0]!.map((___, j) =>
              part === 'upper' && j < i ? 0n : BigInt.asUintN(ringBits, entry(i, j)),
            ),
          );
        const exact = multiplyMatrices(factor, whole, ringBits);
        const own = at(() => (opened ? 0n : random.integer(ringBits)));
        const under = opened ? of(opened.under) : own.map((row) => row.map(() => 0n));
        const share = at((i, j) => exact[i]![j]! - own[i]![j]! + under[i]![j]!);
        results.push({ user: share, csp: own });
      }
      return results;
    },
  });
}

/** Returns the plan of all products that a program makes, without any of its matrices. */
export async function planOf(program: (session: MatrixSession) => Promise<unknown>): Promise<LatticePlan> {
  const sizes: ProductSize[] = [];
  const session = new MatrixSession([], {
    async multiply(first, asked: readonly Product[]) {
      sizes.push(...asked.map(({ size }) => ({ ...size, call: first })));
      return asked.map(() => ({}));
    },
  });
  await program(session);
  return latticePlan(sizes);
}
