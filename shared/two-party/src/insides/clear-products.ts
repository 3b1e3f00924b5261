/** A trusted dealer in place of oblivious transfer: shares of products, computed in the clear. */
import { randomBytes } from 'node:crypto';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import { type Matrix, multiplyMatrices } from '../rotated/matrices.ts';
import type { Chooser, Correlator, CspProducts, DataUserProducts } from '../rotated/products.ts';
import { RandomBits } from '../rotated/random-bits.ts';

type Chosen = Omit<ChosenProduct, 'matrix'> & { readonly matrix: Matrix };
type Given = Omit<CorrelatedProduct, 'matrix'> & { readonly matrix: Matrix };

interface Waiting<Product> {
  readonly product: Product;
  readonly resolve: (shares: bigint[][]) => void;
}

/** Both ends; the n-th call of one meets the n-th of the other, and both must describe the same product. */
export function clearProducts(source: RandomSource = randomBytes): {
  chooser: Chooser;
  correlator: Correlator;
  log: Chosen[];
} {
  const random = new RandomBits(source);
  const choosing: Waiting<Chosen>[] = [];
  const correlating: Waiting<Given>[] = [];
  const log: Chosen[] = [];
  const meet = () => {
    if (choosing.length === 0 || correlating.length === 0) return;
    const [left, right] = [choosing.shift()!, correlating.shift()!];
    check(left.product, right.product);
    log.push(left.product);
    const { matrix, ringBits, part } = left.product;
    const product = multiplyMatrices(matrix, right.product.matrix, ringBits);
    const share = product.map((row, i) =>
      row.map((_, j) => (part === 'upper' && j < i ? 0n : random.integer(ringBits))),
    );
    right.resolve(share);
    left.resolve(
      product.map((row, i) =>
        row.map((entry, j) =>
          part === 'upper' && j < i ? 0n : BigInt.asUintN(ringBits, entry - share[i]![j]!),
        ),
      ),
    );
  };
  const ask = <Product>(queue: Waiting<Product>[], product: Product) =>
    new Promise<bigint[][]>((resolve) => {
      queue.push({ product, resolve });
      meet();
    });
  return {
    chooser: {
      multiply: async (products) => {
        const shares: Promise<bigint[][]>[] = [];
        for (const { matrix: given, ...sizes } of products) {
          const matrix = 'from' in given ? given.from(await Promise.all(shares)) : given;
          shares.push(ask(choosing, { ...sizes, matrix }));
        }
        return Promise.all(shares);
      },
    },
    correlator: {
      multiply: async (products) => {
        const shares: bigint[][][] = [];
        for (const { matrix: given, ...sizes } of products) {
          const matrix = 'from' in given ? given.from(shares) : given;
          shares.push(await ask(correlating, { ...sizes, matrix }));
        }
        return shares;
      },
    },
    log,
  };
}

/**
 * Makes products in the clear for both directions; `log` has the choices of the forward ones, and `reversed`
 * those of the others.
 */
export function clearProductsBothWays(source: RandomSource = randomBytes): {
  csp: CspProducts;
  user: DataUserProducts;
  log: Chosen[];
  reversed: Chosen[];
} {
  const [forward, back] = [clearProducts(source), clearProducts(source)];
  return {
    csp: { ...forward.chooser, reversed: back.correlator },
    user: { ...forward.correlator, reversed: back.chooser },
    log: forward.log,
    reversed: back.log,
  };
}

function check(left: Chosen, right: Given): void {
  const same =
    left.matrix.length === right.rows &&
    left.matrix[0]!.length === right.matrix.length &&
    left.columns === right.matrix[0]!.length &&
    left.entryBits === right.entryBits &&
    left.ringBits === right.ringBits &&
    left.part === right.part;
  if (!same) throw new Error('the ends multiply different shapes');
  const limit = 1n << BigInt(left.entryBits - 1);
  if (left.matrix.flat().some((entry) => entry < -limit || entry >= limit)) {
    throw new Error(`a choice has more than ${left.entryBits} bits`);
  }
  if (right.matrix.flat().some((entry) => entry < 0n || entry >> BigInt(right.ringBits) !== 0n)) {
    throw new Error('a correlation is outside of the ring');
  }
}
