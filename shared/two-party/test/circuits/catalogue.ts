/** Every circuit with its reference on integers; the tests of correctness, of garbling and of costs walk over it. */

import { prefixSum, rippleSum } from '../../src/circuits/add.ts';
import {
  absolute,
  add,
  addModulo,
  divide,
  divideUnsigned,
  dot,
  equal,
  isZero,
  lessThan,
  maximum,
  minimum,
  multiply,
  negate,
  negateIf,
  normalise,
  occupied,
  reciprocalSquareRoot,
  select,
  shiftLeftBy,
  shiftLeftChecked,
  shiftRightBy,
  sign,
  square,
  squareRoot,
  subtract,
  sumLanes,
  unsigned,
} from '../../src/circuits/index.ts';
import type { Circuit } from './run.ts';

export interface Entry {
  readonly name: string;
  /** Lengths of the operands in bits. */
  readonly bits: readonly number[];
  readonly circuit: Circuit;
  /** The results of one lane. */
  readonly reference: (...values: bigint[]) => readonly bigint[];
  /** Operands that are read as unsigned get their highest bit's weight back. */
  readonly unsigned?: true;
  /** The operand that must not be 0. */
  readonly divisor?: number;
}

const int = (bits: number, value: bigint) => BigInt.asIntN(bits, value);
const bit = (condition: boolean) => (condition ? -1n : 0n); // one bit as a signed number
const floorSqrt = (value: bigint): bigint => {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
};
const abs = (value: bigint) => (value < 0n ? -value : value);
const floorShift = (value: bigint, places: bigint) => value >> places;

function multiplication(name: string, n: number, m: number, shift: number, bits: number): Entry {
  return {
    name,
    bits: [n, m],
    circuit: (gates, a, b) => [multiply(gates, a!, b!, { shift, bits })],
    reference: (a, b) => [int(bits, floorShift(a * b, BigInt(shift)))],
  };
}

function division(n: number, m: number, places: number): Entry {
  const bits = n + places + 1;
  return {
    name: `divide ${n} bits, ${places} places, by ${m} bits`,
    bits: [n, m],
    circuit: (gates, a, b) => [divide(gates, a!, b!, { places })],
    divisor: 1,
    reference: (a, b) => [int(bits, (a << BigInt(places)) / b)],
  };
}

function squareRootOf(bits: number): Entry {
  return {
    name: `square root of ${bits} bits`,
    bits: [bits],
    unsigned: true,
    circuit: (gates, a) => [squareRoot(gates, unsigned(gates, a!))],
    reference: (a) => [floorSqrt(a)],
  };
}

export const ENTRIES: readonly Entry[] = [
  { name: 'add 32', bits: [32, 32], circuit: (g, a, b) => [add(g, a!, b!)], reference: (a, b) => [a + b] },
  {
    name: 'add 32 modulo',
    bits: [32, 32],
    circuit: (g, a, b) => [addModulo(g, a!, b!, 32)],
    reference: (a, b) => [int(32, a + b)],
  },
  {
    name: 'add 7 and 20',
    bits: [7, 20],
    circuit: (g, a, b) => [add(g, a!, b!)],
    reference: (a, b) => [a + b],
  },
  {
    name: 'prefix add 40',
    bits: [40, 40, 1],
    circuit: (g, a, b, c) => [prefixSum(g, a!, b!, sign(c!))],
    reference: (a, b, c) => [int(40, a + b - c)],
  },
  {
    name: 'prefix add 33',
    bits: [33, 33, 1],
    circuit: (g, a, b, c) => [prefixSum(g, a!, b!, sign(c!))],
    reference: (a, b, c) => [int(33, a + b - c)],
  },
  {
    name: 'ripple add 40',
    bits: [40, 40, 1],
    circuit: (g, a, b, c) => [rippleSum(g, a!, b!, sign(c!))],
    reference: (a, b, c) => [int(40, a + b - c)],
  },
  {
    name: 'subtract 32',
    bits: [32, 32],
    circuit: (g, a, b) => [subtract(g, a!, b!)],
    reference: (a, b) => [a - b],
  },
  { name: 'negate 32', bits: [32], circuit: (g, a) => [negate(g, a!)], reference: (a) => [int(32, -a)] },
  {
    name: 'negate 32 if',
    bits: [1, 32],
    circuit: (g, c, a) => [negateIf(g, sign(c!), a!)],
    reference: (c, a) => [int(32, c === 0n ? a : -a)],
  },
  { name: 'absolute 32', bits: [32], circuit: (g, a) => [absolute(g, a!)], reference: (a) => [abs(a)] },
  {
    name: 'less than 32',
    bits: [32, 32],
    circuit: (g, a, b) => [[lessThan(g, a!, b!)]],
    reference: (a, b) => [bit(a < b)],
  },
  {
    name: 'equal 32',
    bits: [32, 32],
    circuit: (g, a, b) => [[equal(g, a!, b!)]],
    reference: (a, b) => [bit(a === b)],
  },
  { name: 'is zero 32', bits: [32], circuit: (g, a) => [[isZero(g, a!)]], reference: (a) => [bit(a === 0n)] },
  {
    name: 'select 32',
    bits: [1, 32, 32],
    circuit: (g, c, a, b) => [select(g, sign(c!), a!, b!)],
    reference: (c, a, b) => [c === 0n ? b : a],
  },
  {
    name: 'minimum, maximum 16',
    bits: [16, 16],
    circuit: (g, a, b) => [minimum(g, a!, b!), maximum(g, a!, b!)],
    reference: (a, b) => (a < b ? [a, b] : [b, a]),
  },
  {
    name: 'shift 32 left by 6',
    bits: [32, 6],
    circuit: (g, a, places) => [shiftLeftBy(g, a!, places!)],
    reference: (a, places) => [int(32, a << BigInt.asUintN(6, places))],
  },
  {
    name: 'shift 8 left by 4, checked',
    bits: [8, 4],
    circuit: (g, a, places) => {
      const { value, fits } = shiftLeftChecked(g, a!, places!);
      return [value, unsigned(g, [fits])];
    },
    reference: (a, places) => {
      const whole = a << BigInt.asUintN(4, places);
      return [int(8, whole), int(8, whole) === whole ? 1n : 0n];
    },
  },
  {
    name: 'shift 32 right by 6',
    bits: [32, 6],
    circuit: (g, a, places) => [shiftRightBy(g, a!, places!)],
    reference: (a, places) => [a >> BigInt.asUintN(6, places)],
  },
  multiplication('multiply 8 by 8', 8, 8, 0, 16),
  multiplication('multiply 16 by 16', 16, 16, 0, 32),
  multiplication('multiply 32 by 32', 32, 32, 0, 64),
  multiplication('multiply 40 by 40', 40, 40, 0, 80),
  multiplication('multiply 64 by 64', 64, 64, 0, 128),
  multiplication('multiply 25 by 20', 25, 20, 0, 45),
  multiplication('multiply 1 by 12', 1, 12, 0, 13),
  multiplication('multiply 32 by 32, 20 places, 32 bits', 32, 32, 20, 32),
  multiplication('multiply 40 by 40, 24 places, 40 bits', 40, 40, 24, 40),
  multiplication('multiply 32 by 32 modulo', 32, 32, 0, 32),
  multiplication('multiply 10 by 10, 4 places, 24 bits', 10, 10, 4, 24),
  multiplication('multiply 21 by 30', 21, 30, 0, 51),
  { name: 'square 32', bits: [32], circuit: (g, a) => [square(g, a!)], reference: (a) => [int(64, a * a)] },
  {
    name: 'square 40, 24 places, 40 bits',
    bits: [40],
    circuit: (g, a) => [square(g, a!, { shift: 24, bits: 40 })],
    reference: (a) => [int(40, (a * a) >> 24n)],
  },
  { name: 'square 3', bits: [3], circuit: (g, a) => [square(g, a!)], reference: (a) => [a * a] },
  {
    name: 'divide unsigned 32 by 16',
    bits: [32, 16],
    unsigned: true,
    circuit: (g, a, b) => [divideUnsigned(g, unsigned(g, a!), unsigned(g, b!))],
    divisor: 1,
    reference: (a, b) => [a / b],
  },
  division(32, 32, 16),
  division(10, 5, 0),
  division(40, 40, 24),
  squareRootOf(32),
  squareRootOf(63),
  squareRootOf(1),
  squareRootOf(64),
  {
    name: 'reciprocal square root of 32 bits, 16 places',
    bits: [32],
    unsigned: true,
    circuit: (g, a) => [reciprocalSquareRoot(g, unsigned(g, a!), { places: 16, numerator: 48, bits: 34 })],
    divisor: 0,
    reference: (a) => [int(34, (1n << 48n) / floorSqrt(a << 32n))],
  },
  {
    name: 'normalise 32',
    bits: [32],
    unsigned: true,
    circuit: (g, a) => {
      const { value, places } = normalise(g, unsigned(g, a!));
      return [value, places];
    },
    reference: (a) => {
      const places = a === 0n ? 31n : BigInt(32 - a.toString(2).length);
      return [a << places, places];
    },
  },
  {
    name: 'normalise 9',
    bits: [9],
    unsigned: true,
    circuit: (g, a) => {
      const { value, places } = normalise(g, unsigned(g, a!));
      return [value, places];
    },
    reference: (a) => {
      const places = a === 0n ? 15n : BigInt(9 - a.toString(2).length);
      return [a << places, places];
    },
  },
  {
    name: 'occupied 32',
    bits: [32],
    unsigned: true,
    circuit: (g, a) => [occupied(g, unsigned(g, a!))],
    reference: (a) => [a === 0n ? 0n : (1n << BigInt(a.toString(2).length)) - 1n],
  },
];

/** Circuits that join lanes, with a reference on all of them. */
export interface LaneEntry {
  readonly name: string;
  readonly bits: readonly number[];
  readonly lanes: number;
  readonly circuit: Circuit;
  readonly reference: (...values: (readonly bigint[])[]) => readonly bigint[];
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

export const LANE_ENTRIES: readonly LaneEntry[] = [
  ...[1, 2, 3, 11, 16].map(
    (lanes): LaneEntry => ({
      name: `sum of ${lanes} lanes of 20 bits`,
      bits: [20],
      lanes,
      circuit: (g, a) => [sumLanes(g, a!)],
      reference: (a) => [sum(a!)],
    }),
  ),
  {
    name: 'sums of 15 lanes of 12 bits in 3 groups',
    bits: [12],
    lanes: 15,
    circuit: (g, a) => [sumLanes(g, a!, 3)],
    reference: (a) => [0, 1, 2].map((group) => sum(a!.filter((_, lane) => lane % 3 === group))),
  },
  {
    name: 'dot product of 8 lanes of 24 bits, 16 places',
    bits: [24, 24],
    lanes: 8,
    circuit: (g, a, b) => [dot(g, a!, b!, { shift: 16 })],
    reference: (a, b) => [sum(a!.map((x, i) => x * b![i]!)) >> 16n],
  },
  {
    name: 'squared norms of 8 lanes of 24 bits in 2 groups',
    bits: [24],
    lanes: 8,
    circuit: (g, a) => [dot(g, a!, a!, { groups: 2, shift: 10, bits: 40 })],
    reference: (a) =>
      [0, 1].map((group) => sum(a!.map((x, lane) => (lane % 2 === group ? x * x : 0n))) >> 10n),
  },
];
