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
import type { CspLattice } from '../../src/rotated/csp.ts';
import type { UserLattice } from '../../src/rotated/data-user.ts';
import { addMatrices, type Matrix, multiplyMatrices } from '../../src/rotated/matrices.ts';
import { RandomBits } from '../../src/rotated/random.ts';

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

/** A product as both ends have put it: what the data user learns of it, or its share. */
export interface Dealt {
  readonly size: ProductSize;
  readonly csp: Matrix;
  readonly user: Matrix;
  readonly got: Matrix;
  readonly isOpened: boolean;
}

/**
 * Both ends of lattice products, made in the clear, with errors as large as their sizes allow unless they are exact; `log` has them in their order. A stage of one end meets the next of the
 * other.
 */
export function dealtLattice(
  source: RandomSource = randomBytes,
  { isExact = false }: { readonly isExact?: boolean } = {},
): {
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
        if (factors.some(({ under }) => under)) await beforeOpening?.();
        const theirs = await putters.get();
        const made: ReturnType<typeof deal>[] = [];
        for (const [i, one] of factors.entries()) {
          const before = made.map(({ own }) => own);
          made.push(deal(plan, one, before, theirs[i]!, random, isExact));
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
  { product, factor: make, plus, under: cover }: CspFactor,
  before: readonly Matrix[],
  theirs: UserFactor,
  random: RandomBits,
  isExact: boolean,
): { readonly dealt: Dealt; readonly own: bigint[][] } {
  const size = products[product]!;
  const [factor, under] = [make(before), cover?.(before)];
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
  const whole = multiplyMatrices(factor, other, ringBits).map((row) =>
    row.map((entry) => (isExact ? entry : entry + errorOf(size, random))),
  );
  const own = whole.map((row, i) =>
    row.map((_, j) => (under || (part === 'upper' && j < i) ? 0n : random.integer(ringBits))),
  );
  const got = whole.map((line, row) =>
    line.map((entry, column) => {
      if (part === 'upper' && column < row) return 0n;
      const added = under ? under[row]![column]! : -own[row]![column]!;
      return BigInt.asUintN(ringBits, entry + added);
    }),
  );
  return {
    dealt: { size, csp: factor, user: theirs.factor, got, isOpened: under !== undefined },
    own,
  };
}

/** An error that the sizes of a product allow: one below a unit is one of a unit as often as rounding of both shares makes it so. */
function errorOf({ errorBits }: ProductSize, random: RandomBits): bigint {
  if (errorBits >= 0) return random.integer(errorBits + 1) - (1n << BigInt(errorBits));
  const rare = random.integer(-errorBits);
  return rare === 0n ? 1n : rare === 1n ? -1n : 0n;
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
