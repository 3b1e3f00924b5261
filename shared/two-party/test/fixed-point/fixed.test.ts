/** Fixed-point numbers of programs: their values, what does not mix, and the gates that docs/circuits.md says. */

import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { Fixed, onto, sum, sumsOfProducts } from '../../src/fixed-point/index.ts';
import {
  ClearSession,
  CountingGates,
  CountingSession,
  type Session,
  type Wires,
} from '../../src/garbling/index.ts';

const [BITS, FRACTION, LANES] = [20, 12, 3];
const PLACES = 3;
const unit = 2 ** -FRACTION;

interface Inputs {
  readonly a: Fixed;
  readonly b: Fixed;
  readonly places: Fixed;
}

/** With two vectors, and places to shift by. */
const program =
  (work: (inputs: Inputs) => Fixed) =>
  async (session: Session, values?: Uint8Array): Promise<Uint8Array[] | undefined> => {
    const wires = await session.garblerInput(LANES * (2 * BITS + PLACES), values);
    const result = await session.step((gates) => {
      const part = (from: number, bits: number) =>
        numberFrom(gates, gates.slice(wires, LANES * from, LANES * (from + bits)), bits);
      const [a, b] = [part(0, BITS), part(BITS, BITS)].map((number) => new Fixed(gates, number, FRACTION));
      const places = new Fixed(gates, part(2 * BITS, PLACES), 0);
      return work({ a: a!, b: b!, places }).number;
    });
    return session.reveal(result);
  };

async function run(a: bigint[], b: bigint[], places: bigint[], work: (inputs: Inputs) => Fixed) {
  let fraction = 0;
  const noted = (inputs: Inputs) => {
    const result = work(inputs);
    fraction = result.fraction;
    return result;
  };
  const signed = places.map((value) => BigInt.asIntN(PLACES, value));
  const inputs = [a, b].flatMap((values) => [...bitsOf(values, BITS)]);
  const bits = await program(noted)(
    new ClearSession(),
    Uint8Array.from([...inputs, ...bitsOf(signed, PLACES)]),
  );
  return valuesOf(bits!).map((value) => Number(value) * 2 ** -fraction);
}

const vector = fc.array(fc.bigInt(-(2n ** 16n), 2n ** 16n), { minLength: LANES, maxLength: LANES });
const shifts = fc.array(fc.bigInt(0n, 7n), { minLength: LANES, maxLength: LANES });
const real = (values: readonly bigint[]) => values.map((value) => Number(value) * unit);

const bit = ({ gates }: Fixed, wires: Wires) => Fixed.bit(gates, wires);
const WIDE = { fraction: FRACTION, bits: 2 * BITS };
/** Result by its definition, and how far the rounded one may be off. */
const OPERATIONS: readonly [
  string,
  (inputs: Inputs) => Fixed,
  (a: number[], b: number[], places: number[]) => number[],
  number,
][] = [
  ['times', ({ a, b }) => a.times(b, WIDE), (a, b) => a.map((x, i) => x * b[i]!), 0.6 * unit],
  [
    'times and plus',
    ({ a, b }) => a.times(b, WIDE, { plus: a }),
    (a, b) => a.map((x, i) => x * b[i]! + x),
    0.6 * unit,
  ],
  ['timesExactly', ({ a, b }) => a.timesExactly(b), (a, b) => a.map((x, i) => x * b[i]!), 0],
  ['dot', ({ a, b }) => a.dot(b), (a, b) => [a.reduce((sum, x, i) => sum + x * b[i]!, 0)], 0],
  ['dot, cut off', ({ a }) => a.dot(a, WIDE), (a) => [a.reduce((sum, x) => sum + x * x, 0)], unit],
  ['plus', ({ a, b }) => a.plus(b), (a, b) => a.map((x, i) => x + b[i]!), 0],
  ['negated', ({ a }) => a.negated(), (a) => a.map((x) => -x), 0],
  ['negatedIf', ({ a, b }) => a.negatedIf(b.sign), (a, b) => a.map((x, i) => (b[i]! < 0 ? -x : x)), 0],
  ['absolute', ({ a }) => a.absolute(), (a) => a.map(Math.abs), 0],
  [
    'up',
    ({ a, places }) => a.resized(BITS + 7).up(places),
    (a, _, places) => a.map((x, i) => x * 2 ** places[i]!),
    0,
  ],
  ['down', ({ a, places }) => a.down(places), (a, _, places) => a.map((x, i) => x / 2 ** places[i]!), unit],
  ['doubled', ({ a }) => a.doubled(), (a) => a.map((x) => 2 * x), 0],
  ['over', ({ a }) => a.over(3), (a) => a.map((x) => x / 8), 0],
  ['at fewer bits', ({ a }) => a.at(FRACTION - 4), (a) => a, 16 * unit],
  ['at more bits', ({ a }) => a.at(FRACTION + 4), (a) => a, 0],
  ['minus', ({ a, b }) => a.minus(b), (a, b) => a.map((x, i) => x - b[i]!), 0],
  ['timesTruncated', ({ a, b }) => a.timesTruncated(b, WIDE), (a, b) => a.map((x, i) => x * b[i]!), unit],
  ['followedBy', ({ a, b }) => a.followedBy(b), (a, b) => [...a, ...b], 0],
  [
    'timesExactly, cut off',
    ({ a, b }) => a.timesExactly(b, WIDE),
    (a, b) => a.map((x, i) => x * b[i]!),
    unit,
  ],
  [
    'minusProduct',
    ({ a, b }) => a.resized(2 * BITS).minusProduct(a, b),
    (a, b) => a.map((x, i) => x - x * b[i]!),
    unit,
  ],
  ['squared', ({ a }) => a.squared(), (a) => a.map((x) => x * x), 0],
  ['sums', ({ a }) => a.followedBy(a.doubled()).sums(LANES), (a) => a.map((x) => 3 * x), 0],
  ['plusUnit', ({ a, b }) => a.plusUnit(b.sign), (a, b) => a.map((x, i) => (b[i]! < 0 ? x + unit : x)), 0],
  ['rounded', ({ a }) => a.rounded({ fraction: FRACTION - 4, bits: BITS }), (a) => a, 8 * unit],
  ['isBelow', ({ a, b }) => bit(a, a.isBelow(b)), (a, b) => a.map((x, i) => Number(x < b[i]!)), 0],
  [
    'isZero',
    ({ a, b }) => bit(a, a.where(b.sign).isZero()),
    (a, b) => a.map((x, i) => Number(x === 0 || b[i]! >= 0)),
    0,
  ],
  ['isWithin', ({ a }) => bit(a, a.isWithin(2)), (a) => a.map((x) => Number(-4 <= x && x < 4)), 0],
  ['isWithin of all that it can be', ({ a }) => bit(a, a.isWithin(BITS)), (a) => a.map(() => 1), 0],
  ['where', ({ a, b }) => a.where(b.sign), (a, b) => a.map((x, i) => (b[i]! < 0 ? x : 0)), 0],
  [
    'where one wire is 1',
    ({ a, b }) => a.where(b.lane(0).sign),
    (a, b) => a.map((x) => (b[0]! < 0 ? x : 0)),
    0,
  ],
  [
    'where, or another',
    ({ a, b }) => a.where(a.isBelow(b), b),
    (a, b) => a.map((x, i) => (Math.min(x, b[i]!) === x ? x : b[i]!)),
    0,
  ],
  [
    'orPower',
    ({ a, b }) => a.where(b.sign).orPower(-1, b.gates.not(b.sign)),
    (a, b) => a.map((x, i) => (b[i]! < 0 ? x : 0.5)),
    0,
  ],
  ['doubled, thrice', ({ a }) => a.doubled(3), (a) => a.map((x) => 8 * x), 0],
  ['readAt', ({ a }) => a.readAt(FRACTION - 2), (a) => a.map((x) => 4 * x), 0],
  ['lanesAt', ({ a }) => a.lanesAt([2, 0, 2, 1]), (a) => [a[2]!, a[0]!, a[2]!, a[1]!], 0],
  ['constant', ({ a }) => Fixed.constant(a.gates, -5n, LANES, a), (a) => a.map(() => -5 * unit), 0],
  ['of', ({ a }) => Fixed.of(a.gates, [1n, -2n, 3n], a), () => [unit, -2 * unit, 3 * unit], 0],
  ['joined', ({ a, b }) => Fixed.joined([b, a, b]), (a, b) => [...b, ...a, ...b], 0],
  [
    'sumsOfProducts',
    ({ a, b }) => Fixed.joined(sumsOfProducts([sum([a, b], [b, b]), onto(b, [a, a]), sum([b, a])], WIDE)),
    (a, b) => [
      ...a.map((x, i) => (x + b[i]!) * b[i]!),
      ...a.map((x, i) => b[i]! + x * x),
      ...a.map((x, i) => b[i]! * x),
    ],
    0.6 * unit,
  ],
  ['spread', ({ a }) => a.lane(1).spread(4), (a) => [a[1]!, a[1]!, a[1]!, a[1]!], 0],
];

describe('a fixed-point number', () => {
  it.each(OPERATIONS)('%s is that of numbers', async (_, work, exact, error) => {
    await fc.assert(
      fc.asyncProperty(vector, vector, shifts, async (a, b, places) => {
        const got = await run(a, b, places, work);
        const wanted = exact(real(a), real(b), places.map(Number));
        expect(got).toHaveLength(wanted.length);
        for (const [i, value] of got.entries())
          expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(error);
      }),
      { numRuns: 30 },
    );
  });

  it('divided by another is that of numbers, towards zero, and unsigned ones the floor', async () => {
    const [a, b] = [
      [-70_000n, 70_001n, 5n],
      [4096n, -8192n, 12_288n],
    ];
    const expected = real(a).map((value, i) => value / real(b)[i]!);
    const quotients = await run(a, b, [0n, 0n, 0n], (it) => it.a.dividedBy(it.b, FRACTION));
    for (const [i, value] of quotients.entries()) {
      expect(Math.abs(value)).toBeLessThanOrEqual(Math.abs(expected[i]!));
      expect(Math.abs(value - expected[i]!)).toBeLessThan(unit);
    }
    const floors = ({ a, b }: Inputs) => a.absolute().dividedByUnsigned(b.absolute());
    expect(await run(a, b, [0n, 0n, 0n], floors)).toEqual(
      expected.map((value) => Math.floor(Math.abs(value))),
    );
  });

  it('root and inverse root are those of numbers', async () => {
    const a = [4096n, 5000n, 60_000n];
    for (const [i, value] of (await run(a, a, [0n, 0n, 0n], (it) => it.a.nonNegative().root())).entries())
      expect(Math.abs(value - Math.sqrt(real(a)[i]!))).toBeLessThanOrEqual(2 ** (-FRACTION / 2));
    const [four, two] = [new Array<bigint>(LANES).fill(4n << 12n), [1n << 12n, 2n << 12n, 9n << 12n]];
    const inverse = ({ a, b }: Inputs) => a.timesExactly(b).over(2).resized(32).nonNegative().inverseRoot();
    for (const [i, value] of (await run(four, two, [0n, 0n, 0n], inverse)).entries())
      expect(value).toBeCloseTo(1 / Math.sqrt(real(two)[i]!), 6);
  });

  const mixed: readonly [string, (inputs: Inputs) => Fixed][] = [
    ['added', ({ a, b }) => a.plus(b.over(1))],
    ['subtracted', ({ a, b }) => a.minus(b.over(1))],
    ['put beside each other', ({ a, b }) => a.followedBy(b.over(1))],
    ['added to a product', ({ a, b }) => a.times(b, WIDE, { plus: a.over(1) })],
    ['compared', ({ a, b }) => bit(a, a.isBelow(b.over(1)))],
    ['taken in its place', ({ a, b }) => a.where(b.sign, b.over(1))],
    ['put among others', ({ a, b }) => Fixed.joined([a, b, b.over(1)])],
    ['a factor beside another', ({ a, b }) => sumsOfProducts([sum([a, b], [a, b.over(1)])], WIDE)[0]!],
    ['added to sums', ({ a, b }) => sumsOfProducts([onto(a.over(1), [a, b])], WIDE)[0]!],
    ['a number of places', ({ a, places }) => a.up(places.over(1))],
    ['a root of half a bit', ({ a }) => a.over(1).root()],
    ['an inverse root of another fraction', ({ a }) => a.inverseRoot()],
  ];
  it.each(mixed)('of another fraction is not %s', async (_, work) => {
    await expect(run([1n, 1n, 1n], [1n, 1n, 1n], [0n, 0n, 0n], work)).rejects.toThrow(/"fraction" expected/);
  });
});

/** AND gates of a lane, for n = m = BITS. */
const COSTS: readonly [string, string, (n: number, m: number) => number, (inputs: Inputs) => Fixed][] = [
  ['timesExactly', 'nm + n + m − 1', (n, m) => n * m + n + m - 1, ({ a, b }) => a.timesExactly(b)],
  ['plus', 'max(n, m)', Math.max, ({ a, b }) => a.plus(b)],
  ['minus', 'n − 1', (n) => n - 1, ({ a, b }) => a.minus(b)],
  ['negated', 'n − 2', (n) => n - 2, ({ a }) => a.negated()],
  ['negatedIf', 'n − 1', (n) => n - 1, ({ a, b }) => a.negatedIf(b.sign)],
  ['absolute', 'n − 1', (n) => n - 1, ({ a }) => a.absolute()],
  ['up, down', 'n for each bit of the places', (n) => PLACES * n, ({ a, places }) => a.down(places)],
  [
    'root',
    'n²/8 + n/4',
    (n) => n ** 2 / 8 + n / 4,
    ({ a }) =>
      a
        .resized(BITS + 1)
        .nonNegative()
        .root(),
  ],
  ['squared', 'n²/2 + 3n/2 − 2', (n) => n ** 2 / 2 + (3 * n) / 2 - 2, ({ a }) => a.squared()],
  ['dividedBy', 'nm + 2n + m − 2', (n, m) => n * m + 2 * n + m - 2, ({ a, b }) => a.dividedBy(b, 0)],
  [
    'dividedByUnsigned',
    '(n − 1)(m − 1)',
    (n, m) => (n - 1) * (m - 1),
    ({ a, b }) => a.nonNegative().dividedByUnsigned(b.nonNegative()),
  ],
  ['where', 'max(n, m)', Math.max, ({ a, b }) => a.where(b.sign, b)],
  ['isBelow', 'max(n, m)', Math.max, ({ a, b }) => bit(a, a.isBelow(b))],
  ['isZero, plusUnit', 'n − 1', (n) => n - 1, ({ a }) => bit(a, a.isZero())],
  ['isWithin', 'n − fraction − exponent − 2', (n) => n - FRACTION - 2 - 2, ({ a }) => bit(a, a.isWithin(2))],
  [
    'rounded',
    'n − 1 less the places that are cut off',
    (n) => n - 5,
    ({ a }) => a.rounded({ fraction: FRACTION - 4, bits: BITS - 4 }),
  ],
  ['doubled', '0', () => 0, ({ a }) => a.doubled()],
];

describe('gates', () => {
  it.each(COSTS)('of %s are %s a lane, as docs/circuits.md says', async (name, formula, of, work) => {
    const session = new CountingSession(new CountingGates());
    await program(work)(session);
    expect(session.gates.andGates).toBe(LANES * of(BITS, BITS));
    const page = await readFile(new URL('../../../../docs/circuits.md', import.meta.url), 'utf8');
    const names = name
      .split(', ')
      .map((one) => `\`${one}\``)
      .join(', ');
    expect(page.replace(/ +/g, ' ')).toContain(`| ${names} | ${formula} |`);
  });

  // Of lengths and places cut off as programs have them.
  it.each([
    [26, 26, 24],
    [24, 24, 22],
    [34, 34, 32],
    [34, 42, 32],
    [20, 20, 12],
  ])(
    'of products without low columns are nm − (s − 6)²/2 to 15 %%: n = %i, m = %i, s = %i',
    async (n, m, s) => {
      const about = n * m - (s - 6) ** 2 / 2;
      const kept = { fraction: 0, bits: n };
      const works: readonly ((inputs: Inputs) => Fixed)[] = [
        ({ a, b }) => a.times(b, kept),
        ({ a, b }) => a.timesTruncated(b, kept),
        ({ a, b }) => a.readAt(0).minusProduct(a, b),
      ];
      for (const work of works) {
        const session = new CountingSession(new CountingGates());
        await program(({ a, b, places }) =>
          work({ a: a.resized(n).readAt(s), b: b.resized(m).readAt(0), places }),
        )(session);
        expect(session.gates.andGates / LANES / about).toBeGreaterThan(0.85);
        expect(session.gates.andGates / LANES / about).toBeLessThan(1.15);
      }
    },
  );
});
