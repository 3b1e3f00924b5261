/**
 * Fixed-point numbers that know how many of their bits are fraction, and the gates that they belong to: a program writes its formula, and shifts follow from it. An
 * operation costs what the circuit costs that its comment names; one without a circuit is free.
 */
import {
  absolute,
  add,
  concatLanes,
  dot,
  inverseSquareRoot,
  lanesOf,
  multiply,
  type Num,
  negate,
  negateIf,
  ROOT_FRACTION,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  shiftRightBy,
  sign,
  sliceLanes,
  squareRoot,
  subtractModulo,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Wires } from '../garbling/index.ts';
import { broadcast, nonNegative } from './numbers.ts';
import { multiplyTruncated } from './truncated.ts';

/** What is kept of a product: so many fraction bits, and bits in all, modulo which it is taken. */
export interface Kept {
  readonly fraction: number;
  readonly bits: number;
}

export class Fixed {
  readonly number: Num;
  /** Of the bits, the lowest: the number is an integer in units of 2^−fraction. */
  readonly fraction: number;
  readonly #gates: Gates;

  constructor(gates: Gates, number: Num, fraction: number) {
    this.#gates = gates;
    this.number = number;
    this.fraction = fraction;
  }

  get bits(): number {
    return this.number.length;
  }

  get lanes(): number {
    return lanesOf(this.number);
  }

  /** 1 where it is negative. */
  get sign(): Wires {
    return sign(this.number);
  }

  /** this · b, rounded (`sumOfProducts`): 2/3 of bits · b.bits gates a lane, about. @throws RangeError where a summand has another fraction */
  times(b: Fixed, { fraction, bits }: Kept, { plus }: { readonly plus?: Fixed } = {}): Fixed {
    const shift = this.fraction + b.fraction - fraction;
    if (plus !== undefined && plus.fraction !== fraction) throw differs(plus.fraction, fraction);
    const part = { shift, bits, ...(plus && { plus: plus.number }) };
    return this.#of(sumOfProducts(this.#gates, [[this.number, b.number]], part), fraction);
  }

  /** this · b without the columns that only carry: the floor or a unit more (`multiplyTruncated`). 2/3 of bits · b.bits gates a lane, about. */
  timesTruncated(b: Fixed, { fraction, bits }: Kept): Fixed {
    const shift = this.fraction + b.fraction - fraction;
    return this.#of(multiplyTruncated(this.#gates, this.number, b.number, shift, bits), fraction);
  }

  /** this · b, no bit of which is lost (`multiply`): bits · b.bits gates a lane, about. */
  timesExactly(b: Fixed): Fixed {
    return this.#of(multiply(this.#gates, this.number, b.number), this.fraction + b.fraction);
  }

  /** Σ this_i b_i over all lanes, exact but for what is cut off the sum (`dot`); all of it where nothing is said. Half of the gates where b is this. */
  dot(b: Fixed, kept?: Kept): Fixed {
    const exact = this.fraction + b.fraction;
    const part = kept && { shift: exact - kept.fraction, bits: kept.bits };
    return this.#of(dot(this.#gates, this.number, b.number, part), kept?.fraction ?? exact);
  }

  /** this − b modulo 2^bits, by default those of this (`subtractModulo`): a gate a bit. @throws RangeError where b has another fraction */
  minus(b: Fixed, bits = this.bits): Fixed {
    if (b.fraction !== this.fraction) throw differs(b.fraction, this.fraction);
    return this.#of(subtractModulo(this.#gates, this.number, b.number, bits));
  }

  /** this + b, a bit longer than the longer one (`add`). @throws RangeError where b has another fraction */
  plus(b: Fixed): Fixed {
    if (b.fraction !== this.fraction) throw differs(b.fraction, this.fraction);
    return this.#of(add(this.#gates, this.number, b.number));
  }

  /** −this (`negate`): a gate a bit. */
  negated(): Fixed {
    return this.#of(negate(this.#gates, this.number));
  }

  /** −this where the wires are 1 (`negateIf`): a gate a bit. */
  negatedIf(wires: Wires): Fixed {
    return this.#of(negateIf(this.#gates, wires, this.number));
  }

  /** |this| (`absolute`): a gate a bit. */
  absolute(): Fixed {
    return this.#of(absolute(this.#gates, this.number));
  }

  /** 1/√this for a number from 1/4 on, with ROOT_FRACTION fraction bits, as this has (`inverseSquareRoot`). @throws RangeError where it has not */
  inverseRoot(): Fixed {
    if (this.fraction !== ROOT_FRACTION) throw differs(this.fraction, ROOT_FRACTION);
    return this.#of(inverseSquareRoot(this.#gates, this.number));
  }

  /** √this, half as long (`squareRoot`): bits²/8 gates, about. @throws RangeError for an odd number of fraction bits */
  root(): Fixed {
    if (this.fraction % 2 === 1) throw differs(this.fraction, this.fraction + 1);
    return this.#of(squareRoot(this.#gates, this.number), this.fraction / 2);
  }

  /** this · 2^places, secret places (`shiftLeftBy`), modulo its bits. */
  up(places: Num): Fixed {
    return this.#of(shiftLeftBy(this.#gates, this.number, places));
  }

  /** The floor of this / 2^places, secret places (`shiftRightBy`). */
  down(places: Num): Fixed {
    return this.#of(shiftRightBy(this.#gates, this.number, places));
  }

  /** 2 this, a bit longer. */
  doubled(): Fixed {
    return this.#of(shiftLeft(this.#gates, this.number, 1));
  }

  /** this / 2^places, all of it: as many more fraction bits. */
  over(places: number): Fixed {
    return this.#of(this.number, this.fraction + places);
  }

  /** With so many fraction bits: zeros for more, rounded down to fewer. */
  at(fraction: number): Fixed {
    const more = fraction - this.fraction;
    const { number } = this;
    return this.#of(more > 0 ? shiftLeft(this.#gates, number, more) : shiftRight(number, -more), fraction);
  }

  /** Modulo 2^bits of its units. */
  resized(bits: number): Fixed {
    return this.#of(resize(this.number, bits));
  }

  /** The same, known not to be negative. */
  nonNegative(): Fixed {
    return this.#of(nonNegative(this.#gates, this.number));
  }

  lane(i: number): Fixed {
    return this.lanesFrom(i, i + 1);
  }

  /** Lanes `from` up to but not including `to`. */
  lanesFrom(from: number, to = this.lanes): Fixed {
    return this.#of(sliceLanes(this.#gates, this.number, from, to));
  }

  /** The lanes of this and then those of b. @throws RangeError where b has another fraction */
  followedBy(b: Fixed): Fixed {
    if (b.fraction !== this.fraction) throw differs(b.fraction, this.fraction);
    return this.#of(concatLanes(this.#gates, [this.number, b.number]));
  }

  /** Its one lane, so many times. */
  spread(lanes: number): Fixed {
    return this.#of(broadcast(this.#gates, this.number, 0, lanes));
  }

  #of(number: Num, fraction = this.fraction): Fixed {
    return new Fixed(this.#gates, number, fraction);
  }
}

function differs(got: number, expected: number): RangeError {
  return new RangeError(`"fraction" expected ${expected} fraction bits, got ${got}`);
}
