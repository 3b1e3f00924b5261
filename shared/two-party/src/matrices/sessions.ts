/** The sessions of programs over shared matrices: of the CSP, of the data user, in the clear, and counting. */
import type { LatticeCsp } from '../lattice/csp.ts';
import type { LatticeDataUser } from '../lattice/data-user.ts';
import { type LatticePlan, latticePlan, type ProductSize } from '../lattice/sizes.ts';
import { addMatrices, multiplyMatrices } from '../rotated/matrices.ts';
import { MatrixSession, type Product } from './session.ts';

/** @param beforeOpening is awaited before each stage that opens a result */
export function cspSession(
  products: Pick<LatticeCsp, 'answer'>,
  beforeOpening: () => Promise<void>,
): MatrixSession {
  return new MatrixSession(['csp'], {
    async multiply(_, first, asked) {
      const shares = await products.answer(
        asked.map(({ csp, plus, opened }, i) => ({
          product: first + i,
          factor: csp.csp!,
          ...(plus && { plus: plus.csp! }),
          ...(opened && { opening: ({ row, column }) => opened.under.csp![row]![column]! }),
        })),
        beforeOpening,
      );
      return shares.map((share) => ({ csp: share }));
    },
  });
}

/**
 * @param onOpened is called when all of the first result that is opened has come, before anything is made of it
 * @param onIdle is called in the first stage, when the CSP is at work
 */
export function dataUserSession(
  products: Pick<LatticeDataUser, 'multiply'>,
  { onOpened, onIdle }: { readonly onOpened?: () => void; readonly onIdle?: () => void } = {},
): MatrixSession {
  let isOpened = false;
  return new MatrixSession(['user'], {
    async multiply(stage, first, asked) {
      const opens = !isOpened && asked.some(({ opened }) => opened !== undefined);
      isOpened ||= opens;
      const shares = await products.multiply(
        asked.map(({ user }, i) => ({ product: first + i, factor: user.user! })),
        { ...(opens && onOpened && { onLast: onOpened }), ...(stage === 0 && onIdle && { onSent: onIdle }) },
      );
      return shares.map((share) => ({ user: share }));
    },
  });
}

/** Both ends in the clear: products are exact, the data user has their results, and the CSP's shares of them are zero. */
export function clearSession(): MatrixSession {
  return new MatrixSession(['csp', 'user'], {
    async multiply(_, __, asked) {
      return asked.map(({ size, csp, user, plus, opened }) => {
        const whole = plus ? addMatrices(user.user!, plus.csp!, size.ringBits) : user.user!;
        const exact = multiplyMatrices(csp.csp!, whole, size.ringBits);
        const under = opened?.under.csp ?? exact.map((row) => row.map(() => 0n));
        const result = exact.map((row, i) =>
          row.map((entry, j) => {
            if (size.part === 'upper' && j < i) return 0n;
            return BigInt.asUintN(size.ringBits, entry + under[i]![j]!);
          }),
        );
        return { user: result, csp: result.map((row) => row.map(() => 0n)) };
      });
    },
  });
}

/** Returns the plan of all products that a program makes, without any of its matrices. */
export async function planOf(program: (session: MatrixSession) => Promise<unknown>): Promise<LatticePlan> {
  const sizes: ProductSize[] = [];
  const session = new MatrixSession([], {
    async multiply(stage: number, _: number, asked: readonly Product[]) {
      for (const { size } of asked) sizes.push({ ...size, stage });
      return asked.map(() => ({}));
    },
  });
  await program(session);
  return latticePlan(sizes);
}
