/**
 * Trusted dealers in place of oblivious transfer: products are computed in the clear, or the base transfers are dealt
 * and all that comes after these is the real code.
 */
import { randomBytes } from 'node:crypto';
import type { MessageStream } from '../../src/channel/message-stream.ts';
import type { CspFactor } from '../../src/lattice/csp.ts';
import type { UserFactor } from '../../src/lattice/data-user.ts';
import type { LatticePlan, ProductSize } from '../../src/lattice/sizes.ts';
import { BASE_COUNT, BASE_KEY_BYTES, bitAt } from '../../src/oblivious-transfer/base.ts';
import { ExtensionReceiver, ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import type { RandomSource } from '../../src/oblivious-transfer/randomness.ts';
import type { ChosenProduct, CorrelatedProduct } from '../../src/products/index.ts';
import type { Part } from '../../src/products/layout.ts';
import type { CspLattice } from '../../src/rotated/csp.ts';
import type { UserLattice } from '../../src/rotated/data-user.ts';
import { addMatrices, type Matrix, multiplyMatrices } from '../../src/rotated/matrices.ts';
import { RandomBits } from '../../src/rotated/random.ts';
import type { Chooser, Correlator, CspProducts, DataUserProducts } from '../../src/rotated/steps.ts';

/**
 * matrix · correlations modulo 2^ringBits, entries in [0, 2^ringBits); those that `part` leaves out are 0.
 */
export function multiplyClear(
  matrix: readonly (readonly bigint[])[],
  correlations: readonly (readonly bigint[])[],
  { ringBits, part = 'whole' }: { readonly ringBits: number; readonly part?: Part },
): bigint[][] {
  return matrix.map((row, i) =>
    correlations[0]!.map((_, j) => {
      if (part === 'upper' && j < i) return 0n;
      return BigInt.asUintN(
        ringBits,
        row.reduce((sum, entry, k) => sum + entry * correlations[k]![j]!, 0n),
      );
    }),
  );
}

interface Ends<T> {
  readonly sender: T;
  readonly receiver: T;
}

/** `same` says of which columns both keys are one, which would show the receiver's choices there. */
export function dealtTransfers(
  streams: Ends<MessageStream>,
  random: Ends<RandomSource> & { readonly dealer: RandomSource },
  same: (column: number) => boolean = () => false,
): { readonly sender: ExtensionSender; readonly receiver: ExtensionReceiver } {
  const key = () => Uint8Array.from(random.dealer(BASE_KEY_BYTES));
  const delta = drawDelta(random.dealer);
  const keys = Array.from({ length: BASE_COUNT }, (_, j): [Uint8Array, Uint8Array] => {
    const zero = key();
    return [zero, same(j) ? zero : key()];
  });
  const transcript = Uint8Array.from(random.dealer(32));
  const chosen = keys.map((pair, j) => pair[bitAt(delta, j)]);
  const [sender, receiver] = [
    { stream: streams.sender, random: random.sender },
    { stream: streams.receiver, random: random.receiver },
  ];
  return {
    sender: new ExtensionSender(sender, delta, { keys: chosen, transcript }),
    receiver: new ExtensionReceiver(receiver, { keys, transcript }),
  };
}

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

/** A product as both ends have put it: what the data user learns of it, or its share. */
export interface Dealt {
  readonly size: ProductSize;
  readonly csp: Matrix;
  readonly user: Matrix;
  readonly got: Matrix;
  readonly isOpened: boolean;
}

/**
 * Both ends of lattice products, made in the clear and exact; `log` has them in their order. A stage of one end meets the next of the
 * other.
 */
export function dealtLattice(source: RandomSource = randomBytes): {
  csp: () => Promise<CspLattice>;
  user: () => UserLattice;
  log: Dealt[];
} {
  const random = new RandomBits(source);
  const log: Dealt[] = [];
  const [putters, getters] = [rendezvous<readonly UserFactor[]>(), rendezvous<readonly Matrix[]>()];
  return {
    log,
    user: () => async () => ({
      async multiply(factors, { onLast, onSent } = {}) {
        putters.put(factors);
        onSent?.();
        const got = await getters.get();
        onLast?.();
        return got.map((matrix) => matrix.map((row) => [...row]));
      },
    }),
    csp: async () => async (plan) => ({
      async answer(factors, beforeOpening) {
        if (factors.some(({ opening }) => opening)) await beforeOpening?.();
        const theirs = await putters.get();
        const made: ReturnType<typeof deal>[] = [];
        for (const [i, one] of factors.entries()) {
          const before = made.map(({ own }) => own);
          const factor = typeof one.factor === 'function' ? one.factor(before) : one.factor;
          made.push(deal(plan, { ...one, factor }, theirs[i]!, random));
        }
        log.push(...made.map(({ dealt }) => dealt));
        getters.put(made.map(({ dealt }) => dealt.got));
        return made.map(({ own }) => own);
      },
    }),
  };
}

function deal(
  { products }: LatticePlan,
  { product, factor, plus, opening }: CspFactor & { readonly factor: Matrix },
  theirs: UserFactor,
  random: RandomBits,
): { readonly dealt: Dealt; readonly own: bigint[][] } {
  const size = products[product]!;
  const { rows, inner, columns, factorBits, ringBits, part } = size;
  const isRight = (matrix: Matrix, height: number, width: number) =>
    matrix.length === height && matrix.every((row) => row.length === width);
  if (theirs.product !== product || !isRight(factor, rows, inner) || !isRight(theirs.factor, inner, columns))
    throw new Error('the ends multiply other shapes than the plan has');
  if (factor.flat().some((entry) => BigInt.asIntN(factorBits + 1, entry) !== entry))
    throw new Error(`a factor has more than ${factorBits} bits`);
  if (theirs.factor.flat().some((entry) => BigInt.asUintN(ringBits, entry) !== entry))
    throw new Error('a factor is outside of the ring');
  const other = plus ? addMatrices(theirs.factor, plus, ringBits) : theirs.factor;
  const whole = multiplyMatrices(factor, other, ringBits);
  const own = whole.map((row, i) =>
    row.map((_, j) => (opening || (part === 'upper' && j < i) ? 0n : random.integer(ringBits))),
  );
  const got = whole.map((line, row) =>
    line.map((entry, column) => {
      if (part === 'upper' && column < row) return 0n;
      const added = opening?.({ row, column, coefficient: 0 }) ?? -own[row]![column]!;
      return BigInt.asUintN(ringBits, entry + added);
    }),
  );
  return {
    dealt: { size, csp: factor, user: theirs.factor, got, isOpened: opening !== undefined },
    own,
  };
}

/** Whoever gets waits for whoever puts, in order. */
function rendezvous<T>(): { readonly put: (value: T) => void; readonly get: () => Promise<T> } {
  const come: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    put: (value) => {
      const first = waiting.shift();
      if (first) first(value);
      else come.push(value);
    },
    get: () =>
      come.length > 0 ? Promise.resolve(come.shift()!) : new Promise((resolve) => waiting.push(resolve)),
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
