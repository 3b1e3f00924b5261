/** Fixed-point numbers of programs: their values, what does not mix, and the gates that docs/circuits.md says. */
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, type Num, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { ClearSession, CountingGates, CountingSession, type Session } from '../../src/garbling/index.ts';
import { Fixed } from '../../src/programs/fixed.ts';

const [BITS, FRACTION, LANES] = [20, 12, 3];
const PLACES = 3;
const unit = 2 ** -FRACTION;

interface Inputs {
  readonly a: Fixed;
  readonly b: Fixed;
  readonly places: Num;
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
      return work({ a: a!, b: b!, places: part(2 * BITS, PLACES) }).number;
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

  it('of rounded products are fewer than those of exact ones', async () => {
    const gatesOf = async (work: (inputs: Inputs) => Fixed) => {
      const session = new CountingSession(new CountingGates());
      await program(work)(session);
      return session.gates.andGates;
    };
    const rounded = await gatesOf(({ a, b }) => a.times(b, { fraction: FRACTION, bits: BITS }));
    expect(rounded).toBeLessThan(await gatesOf(({ a, b }) => a.timesExactly(b)));
  });
});
