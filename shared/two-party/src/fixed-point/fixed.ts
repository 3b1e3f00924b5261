/**
 * Fixed-point numbers that know how many of their bits are fraction, and the gates that they belong to: a
 * program writes its formula, and shifts follow from it. An operation costs what the circuit costs that its
 * comment names; free.ts has those that are free. Like all numbers they outlive a step that returns them.
 *
 * Sums of products that are found at once: a program writes the formula of each.
 */
import {
  absolute,
  add,
  addModulo,
  all,
  concatLanes,
  constantNumber,
  divide,
  divideUnsigned,
  dot,
  inverseSquareRoot,
  isZero,
  lessThan,
  mask,
  multiply,
  multiplyTruncated,
  type Num,
  negate,
  negateIf,
  ROOT_FRACTION,
  select,
  shiftLeftBy,
  shiftRightBy,
  sliceLanes,
  square,
  squareRoot,
  subtractModulo,
  subtractProduct,
  sumLanes,
  sumOfProducts,
  unsigned,
} from '../circuits/index.ts';
import type { Gates, Wires } from '../garbling/index.ts';
import { constantNumbers, expectFraction, FreeOperations, spread, zeros } from './free.ts';

/** The part of a product that is kept: its fraction bits, and its bits in all, modulo which it is taken. */
export interface Kept {
  readonly fraction: number;
  readonly bits: number;
}

export class Fixed extends FreeOperations<Fixed> {
  readonly number: Num;
  readonly fraction: number;
  readonly #gates: Gates;

  constructor(gates: Gates, number: Num, fraction: number) {
    super();
    this.#gates = gates;
    this.number = number;
    this.fraction = fraction;
  }

  /** Public integers, one a lane, in units of 2^−fraction. */
  static of(gates: Gates, values: readonly bigint[], { fraction, bits }: Kept): Fixed {
    return new Fixed(gates, constantNumbers(gates, values, bits), fraction);
  }

  /** The same public integer in all lanes. */
  static constant(gates: Gates, value: bigint, lanes: number, { fraction, bits }: Kept): Fixed {
    return new Fixed(gates, constantNumber(gates, value, bits, lanes), fraction);
  }

  /** 0 or 1, as the wires are. */
  static bit(gates: Gates, wires: Wires): Fixed {
    return new Fixed(gates, unsigned(gates, [wires]), 0);
  }

  /** The lanes of one number after those of the other. @throws RangeError where fractions differ */
  static joined([first, ...others]: readonly Fixed[]): Fixed {
    return first!.followedBy(...others);
  }

  get gates(): Gates {
    return this.#gates;
  }

  /**
   * this · b, rounded (`sumOfProducts`): 2/3 of bits · b.bits gates a lane, about. @throws RangeError where a
   * summand has another fraction
   */
  times(b: Fixed, { fraction, bits }: Kept, { plus }: { readonly plus?: Fixed } = {}): Fixed {
    const shift = this.fraction + b.fraction - fraction;
    if (plus) expectFraction(plus, fraction);
    const part = { shift, bits, ...(plus && { plus: plus.number }) };
    return this.with(sumOfProducts(this.#gates, [[this.number, b.number]], part), fraction);
  }

  /**
   * this · b without the columns that only carry: the floor or a unit more (`multiplyTruncated`). 2/3 of bits ·
   * b.bits gates a lane, about.
   */
  timesTruncated(b: Fixed, { fraction, bits }: Kept): Fixed {
    const shift = this.fraction + b.fraction - fraction;
    return this.with(multiplyTruncated(this.#gates, this.number, b.number, shift, bits), fraction);
  }

  /**
   * this · b (`multiply`): no bit of it is lost, or the floor, modulo 2^bits, where something is said. bits ·
   * b.bits gates a lane, about.
   */
  timesExactly(b: Fixed, kept?: Kept): Fixed {
    const exact = this.fraction + b.fraction;
    const part = kept && { shift: exact - kept.fraction, bits: kept.bits };
    return this.with(multiply(this.#gates, this.number, b.number, part), kept?.fraction ?? exact);
  }

  /** this − b c, as `timesTruncated`, in one sum (`subtractProduct`): about what the product costs. */
  minusProduct(b: Fixed, c: Fixed): Fixed {
    const shift = b.fraction + c.fraction - this.fraction;
    return this.with(subtractProduct(this.#gates, this.number, b.number, c.number, shift, this.bits));
  }

  /**
   * this / b, rounded towards zero, modulo 2^bits (`divide`): bits · b.bits gates a lane, about. Means
   * nothing where b is 0.
   */
  dividedBy(b: Fixed, fraction: number, bits?: number): Fixed {
    const places = fraction + b.fraction - this.fraction;
    const part = { places, ...(bits !== undefined && { bits }) };
    return this.with(divide(this.#gates, this.number, b.number, part), fraction);
  }

  /** The floor of this / b, neither of which is negative (`divideUnsigned`), of the bits of this. */
  dividedByUnsigned(b: Fixed): Fixed {
    return this.with(divideUnsigned(this.#gates, this.number, b.number), this.fraction - b.fraction);
  }

  /** this², exact (`square`): half the gates of a product, about. */
  squared(): Fixed {
    return this.with(square(this.#gates, this.number), 2 * this.fraction);
  }

  /**
   * Σ this_i b_i over all lanes, exact except for what is cut off the sum (`dot`); all of it where nothing is
   * said. Half of the gates where b is this.
   */
  dot(b: Fixed, kept?: Kept): Fixed {
    const exact = this.fraction + b.fraction;
    const part = kept && { shift: exact - kept.fraction, bits: kept.bits };
    return this.with(dot(this.#gates, this.number, b.number, part), kept?.fraction ?? exact);
  }

  /**
   * this − b modulo 2^bits, by default those of this (`subtractModulo`): a gate a bit. @throws RangeError
   * where b has another fraction
   */
  minus(b: Fixed, bits = this.bits): Fixed {
    this.#expect(b);
    return this.with(subtractModulo(this.#gates, this.number, b.number, bits));
  }

  /**
   * this + b, a bit longer than the longer one (`add`), or modulo 2^bits. @throws RangeError where b has
   * another fraction
   */
  plus(b: Fixed, bits?: number): Fixed {
    this.#expect(b);
    const [x, y] = [this.number, b.number];
    return this.with(bits === undefined ? add(this.#gates, x, y) : addModulo(this.#gates, x, y, bits));
  }

  /** A unit more where the wires are 1, modulo 2^bits: a gate a bit. */
  plusUnit(wires: Wires): Fixed {
    const nothing = zeros(this.#gates, this.bits, this.lanes);
    return this.with(addModulo(this.#gates, this.number, nothing, this.bits, wires));
  }

  /**
   * Returns for each group the sum of its lanes, which are g, g + groups, g + 2 groups and so on
   * (`sumLanes`): exact.
   */
  sums(groups = 1): Fixed {
    return this.with(sumLanes(this.#gates, this.number, groups));
  }

  /** 1 where this < b (`lessThan`): a gate a bit. @throws RangeError where b has another fraction */
  isBelow(b: Fixed): Wires {
    this.#expect(b);
    return lessThan(this.#gates, this.number, b.number);
  }

  /** 1 where it is 0: a gate less than it has bits. */
  isZero(): Wires {
    return isZero(this.#gates, this.number);
  }

  /** 1 where −2^exponent ≤ this < 2^exponent: a gate for each bit above but the first and the sign. */
  isWithin(exponent: number): Wires {
    const gates = this.#gates;
    const above = this.number.slice(this.fraction + exponent, -1);
    if (above.length === 0) return gates.constant(this.lanes, 1);
    return all(
      gates,
      above.map((bit) => gates.not(gates.xor(bit, this.sign))),
    );
  }

  /**
   * this where the wires (or the one wire) are 1, otherwise 0 (`mask`) or the other (`select`): a gate a bit. @throws
   * RangeError where that has another fraction
   */
  where(wires: Wires, other?: Fixed): Fixed {
    const each = wires.lanes === this.lanes ? wires : spread(this.#gates, wires, this.lanes);
    if (other === undefined) return this.with(mask(this.#gates, each, this.number));
    this.#expect(other);
    return this.with(select(this.#gates, each, this.number, other.number));
  }

  /** −this (`negate`): a gate a bit. */
  negated(): Fixed {
    return this.with(negate(this.#gates, this.number));
  }

  /** −this where the wires are 1 (`negateIf`): a gate a bit. */
  negatedIf(wires: Wires): Fixed {
    return this.with(negateIf(this.#gates, wires, this.number));
  }

  /** |this| (`absolute`): a gate a bit. */
  absolute(): Fixed {
    return this.with(absolute(this.#gates, this.number));
  }

  /**
   * 1/√this for a number from 1/4 on, with ROOT_FRACTION fraction bits, as this has (`inverseSquareRoot`). @throws
   * RangeError where it has not
   */
  inverseRoot(): Fixed {
    expectFraction(this, ROOT_FRACTION);
    return this.with(inverseSquareRoot(this.#gates, this.number));
  }

  /**
   * √this, half as long (`squareRoot`): bits²/8 gates, about. @throws RangeError for an odd number of
   * fraction bits
   */
  root(): Fixed {
    expectFraction(this, 2 * Math.ceil(this.fraction / 2));
    return this.with(squareRoot(this.#gates, this.number), this.fraction / 2);
  }

  /**
   * this · 2^places, secret places in as many lanes (`shiftLeftBy`), modulo its bits. @throws RangeError
   * where they have a fraction, here and below
   */
  up(places: Fixed): Fixed {
    expectFraction(places, 0);
    return this.with(shiftLeftBy(this.#gates, this.number, places.number));
  }

  /** The floor of this / 2^places (`shiftRightBy`). */
  down(places: Fixed): Fixed {
    expectFraction(places, 0);
    return this.with(shiftRightBy(this.#gates, this.number, places.number));
  }

  /** The nearest with fewer fraction bits, modulo 2^bits (`addModulo`): a gate for each bit of this. */
  rounded({ fraction, bits }: Kept): Fixed {
    const half = Fixed.constant(this.#gates, 1n << BigInt(this.fraction - fraction - 1), this.lanes, this);
    return this.plus(half, this.bits).at(fraction).resized(bits);
  }

  #expect(b: Fixed): void {
    expectFraction(b, this.fraction);
  }

  protected with(number: Num, fraction = this.fraction): Fixed {
    return new Fixed(this.#gates, number, fraction);
  }
}

type Pair = readonly [Fixed, Fixed];

/** A sum over the pairs, in lanes of its own. */
export interface ProductSum {
  readonly of: readonly [Pair, ...Pair[]];
  readonly plus?: Fixed;
}

/** Σ a b */
export const sum = (...of: ProductSum['of']): ProductSum => ({ of });

/** plus + Σ a b */
export const onto = (plus: Fixed, ...of: ProductSum['of']): ProductSum => ({ of, plus });

/**
 * Several rounded sums of products at once (`sumOfProducts`, whose batches they share), each in as many lanes as its factors have. All factors of one side have one
 * fraction and length.
 * @throws RangeError where a product or a summand has another fraction
 */
export function sumsOfProducts(sums: readonly ProductSum[], { fraction, bits }: Kept): Fixed[] {
  const [a, b] = sums[0]!.of[0];
  const { gates } = a;
  const exact = a.fraction + b.fraction;
  for (const { of, plus } of sums) {
    for (const [x, y] of of) expectFraction({ fraction: x.fraction + y.fraction }, exact);
    if (plus) expectFraction(plus, fraction);
  }
  const lanes = sums.map(({ of }) => of[0][0].lanes);
  const joined = (numbers: readonly (Fixed | undefined)[]): Num =>
    concatLanes(
      gates,
      numbers.map((number, i) => number?.number ?? zeros(gates, 1, lanes[i]!)),
    );
  const pairs = Array.from({ length: Math.max(...sums.map(({ of }) => of.length)) }, (_, k) => {
    const factor = (side: 0 | 1): Num => joined(sums.map(({ of }) => of[k]?.[side]));
    return [factor(0), factor(1)] as const;
  });
  const some = sums.some(({ plus }) => plus !== undefined);
  const all = sumOfProducts(gates, pairs, {
    ...{ shift: exact - fraction, bits },
    ...(some && { plus: joined(sums.map(({ plus }) => plus)) }),
  });
  let from = 0;
  return lanes.map((count) => {
    from += count;
    return new Fixed(gates, sliceLanes(gates, all, from - count, from), fraction);
  });
}
