/** One matrix for all rows and digits: what a correlator that uses others meets, and what the check itself gives away. */

import { seeded } from '@eigenveil/testbed/random';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerBytes, answerOf, passes } from '../../src/products/check.ts';
import { multiplyChosen } from '../../src/products/index.ts';
import {
  carriedBits,
  checkSize,
  type DigitBits,
  firstColumn,
  type Part,
  type ProductSize,
} from '../../src/products/layout.ts';
import { multiplyClear } from '../support/dealers.ts';
import { type Lie, multiplyLying } from '../support/deviating.ts';
import { type Matrix, matrixOf, opened, randomRing, session } from './parties.ts';

let shared: Awaited<ReturnType<typeof session>>;
beforeAll(async () => {
  shared = await session();
});

interface Sizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly entryBits: number;
  readonly ringBits: number;
  readonly part?: Part;
  readonly digitBits?: DigitBits;
}

/** A product of entries that are not negative, but for their offset, with a correlator that lies. */
async function lied(sizes: Sizes, a: Matrix, c: Matrix, lie: Lie) {
  const size = checkSize({ part: 'whole', ...sizes });
  const offset = 1n << BigInt(size.entryBits - 1);
  const [chosen, correlated] = await Promise.allSettled([
    multiplyChosen(shared.receiver, {
      matrix: a.map((row) => row.map((entry) => entry - offset)),
      columns: size.columns,
      entryBits: size.entryBits,
      ringBits: size.ringBits,
      part: size.part,
      digitBits: size.digitBits,
    }),
    multiplyLying(shared.sender, size, c, lie),
  ]);
  if (correlated.status === 'rejected') throw correlated.reason;
  if (chosen.status === 'rejected') return (chosen.reason as { code?: string }).code;
  return opened(chosen.value, correlated.value, size.ringBits);
}

const CAUGHT = 'ERR_PRODUCT_CHECK';

describe.each([3, 4] as const)('a lie about one digit of %i bits', (digitBits) => {
  // Two digits an entry.
  const entryBits = 2 * digitBits;
  const sizes = { rows: 2, inner: 2, columns: 3, entryBits, ringBits: 40, digitBits };
  const digitOf = (entry: bigint) => entry >> BigInt(digitBits);
  const weight = 1n << BigInt(digitBits);
  const e = (1n << 39n) / weight; // shows in the highest bit of an entry

  it('passes when the digit was guessed, and not more often', async () => {
    const random = seeded('digits');
    const runs = 48;
    let passed = 0;
    for (let run = 0; run < runs; run += 1) {
      const a = matrixOf(2, 2, () => BigInt.asUintN(entryBits, BigInt(random(1)[0]!)));
      const c = matrixOf(2, 3, () => randomRing(40));
      const guess = BigInt.asUintN(digitBits, BigInt(random(1)[0]!));
      const result = await lied(sizes, a, c, {
        deviation: ({ row, inner, t }, column) =>
          row === 1 && inner === 0 && t === 1 && column === 2 ? e : 0n,
        guess: (row, column) => (row === 1 && column === 2 ? weight * guess * e : 0n),
      });
      const right = digitOf(a[1]![0]!) === guess;
      if (right) {
        const honest = multiplyClear(a, c, sizes);
        honest[1]![2] = BigInt.asUintN(40, honest[1]![2]! + weight * guess * e);
        expect(result).toEqual(honest);
        passed += 1;
      } else expect(result).toBe(CAUGHT);
    }
    // Six standard deviations, of a fixed seed.
    const chance = 1 / Number(weight);
    expect(Math.abs(passed / runs - chance)).toBeLessThan(6 * Math.sqrt((chance * (1 - chance)) / runs));
  });

  it.each(['whole', 'upper'] as const)('is caught at digits of every weight and at columns, %s', (part) =>
    isCaught(part, 2, [1n << 39n]),
  );
  it.each(['whole', 'upper'] as const)(
    'is caught at every digit and column, %s',
    { tags: ['long'] },
    (part) => isCaught(part, 1, [1n << 39n, 1n]),
  );

  async function isCaught(part: Part, step: number, errors: readonly bigint[]) {
    const square = { ...sizes, rows: 3, part };
    const a = matrixOf(3, 2, () => weight ** 2n - 1n);
    const c = matrixOf(2, 3, () => randomRing(40));
    for (const t of [0, 1]) {
      for (let row = 0; row < 3; row += step) {
        for (let column = part === 'upper' ? row : 0; column < 3; column += step) {
          // The highest bit that the digit reaches, and the lowest.
          for (const error of errors.map((one) => (one > 1n ? one >> BigInt(digitBits * t) : one))) {
            const deviation: Lie['deviation'] = (digit, at) =>
              digit.row === row && digit.inner === 1 && digit.t === t && at === column ? error : 0n;
            expect(await lied(square, a, c, { deviation })).toBe(CAUGHT);
          }
        }
      }
    }
  }

  it('is caught in products of one column and of two, and in the widest ring', async () => {
    for (const columns of [1, 2, 3]) {
      const size = { rows: 3, inner: 1, columns, entryBits, ringBits: 300, digitBits };
      const deviation: Lie['deviation'] = ({ row, t }, column) =>
        row === 2 && t === 1 && column === columns - 1 ? 1n << 253n : 0n;
      const a = matrixOf(3, 1, () => weight ** 2n - 1n);
      const c = matrixOf(1, columns, () => randomRing(300));
      expect(await lied(size, a, c, { deviation })).toBe(CAUGHT);
      expect(await lied(size, a, c, { deviation: () => 0n })).toEqual(multiplyClear(a, c, size));
    }
  });
});

describe('an error of a mask that cancels that of a column', () => {
  const e = 1n << 39n;

  /** Every digit of weight 1 adds e to column `at`, and takes it from the masks that would be combined with that column alone. */
  const cancelling =
    (size: ProductSize, at: number): Lie['deviation'] =>
    ({ row, t }, column) => {
      if (t !== 0 || at < firstColumn(size, row)) return 0n;
      if (column < size.columns) return column === at ? e : 0n;
      const mask = column - size.columns;
      const { combinations } = size;
      const threshold = firstColumn(size, row) + Math.floor(mask / combinations);
      return mask % combinations === at % combinations && at >= threshold ? -e : 0n;
    };

  it.each([
    [1, 'whole'],
    [1, 'upper'],
    [2, 'whole'],
    [2, 'upper'],
    [3, 'whole'],
    [3, 'upper'],
  ] as const)('is caught with %i columns, %s', async (columns, part) => {
    const sizes = { rows: columns, inner: 1, columns, entryBits: 4, ringBits: 40, part };
    const a = matrixOf(columns, 1, () => 15n);
    const c = matrixOf(1, columns, () => randomRing(40));
    for (let at = 0; at < columns; at += 1) {
      expect(await lied(sizes, a, c, { deviation: cancelling(checkSize(sizes), at) })).toBe(CAUGHT);
    }
  });
});

describe('another matrix from a row of an upper triangle on', () => {
  const size = { rows: 4, inner: 2, columns: 4, entryBits: 4, ringBits: 40, part: 'upper' } as const;
  const a = matrixOf(4, 2, (i, k) => BigInt(3 + i + 5 * k));
  const c = matrixOf(2, 4, () => randomRing(40));
  const e = 1n << 30n;

  it.each([1, 2, 3])(
    'is caught by the row before row %i, though the slopes change with it',
    async (first) => {
      for (let changed = first; changed < 4; changed += 1) {
        const other = c.map((row) => row.map((entry, j) => (j === changed ? entry + e : entry)));
        const result = await lied(size, a, c, {
          deviation: ({ row }, column) => (row >= first && column === changed ? e : 0n),
          slopesOf: (threshold) => (threshold >= first ? other : c),
        });
        expect(result).toBe(CAUGHT);
      }
    },
  );

  it('is one matrix when it is for all rows', async () => {
    const other = c.map((row) => row.map((entry) => BigInt.asUintN(40, entry + e)));
    const result = await lied(size, a, c, {
      deviation: (_, column) => (column < 4 ? e : 0n),
      slopesOf: () => c.map((row) => row.map((entry) => entry + e)),
    });
    expect(result).toEqual(multiplyClear(a, other, size));
  });
});

describe('luck', () => {
  const sizeOf = (columns: number): ProductSize =>
    checkSize({ rows: 1, inner: 1, columns, entryBits: 4, ringBits: 40, part: 'whole' });

  /** How often an error in the highest v bits of the longer ring passes without a guess. */
  function lucky(columns: number, v: number, runs: number): number {
    const size = sizeOf(columns);
    const random = seeded(`luck ${columns} ${v}`);
    const ring = () => BigInt(`0x${Buffer.from(random(8)).toString('hex')}`) >> 4n;
    let passed = 0;
    for (let run = 0; run < runs; run += 1) {
      const c = [Array.from({ length: columns }, ring)];
      const behind = Array.from({ length: size.combinations }, ring);
      const a = 11n;
      const own = [...c[0]!, ...behind].map(ring);
      const theirs = [...c[0]!, ...behind].map((entry, j) => a * entry - own[j]!);
      theirs[columns - 1]! += 1n << BigInt(carriedBits(size) - v);
      const challenge = random(16);
      const mask = (_: number, place: number) => behind[place]!;
      const answer = answerOf(size, { matrix: c, sums: [own], mask }, challenge, 0);
      expect(answer.length).toBe(answerBytes(size));
      if (passes(size, { matrix: [[a]], sums: [theirs] }, challenge, 0, answer)) passed += 1;
    }
    return passed;
  }

  // Of fixed seeds.
  const isThatOf = (columns: number, r: number, v: number, runs: number) => {
    expect(sizeOf(columns).combinations).toBe(r);
    const one = 2 ** (r * v);
    const deviation = Math.sqrt((runs / one) * (1 - 1 / one));
    expect(Math.abs(lucky(columns, v, runs) - runs / one)).toBeLessThan(5 * deviation);
  };
  it.each([
    [1, 2, 1],
    [5, 2, 2],
    [12, 5, 1],
  ])('with %i columns is that of %i combinations: an error in the highest %i bits', (columns, r, v) => {
    isThatOf(columns, r, v, 400);
  });
  it.each([
    [1, 2, 1],
    [1, 2, 2],
    [2, 2, 2],
    [5, 2, 3],
    [12, 5, 1],
    [60, 5, 1],
  ])(
    'often, with %i columns, is that of %i combinations: an error in the highest %i bits',
    {
      tags: ['long'],
    },
    (columns, r, v) => {
      isThatOf(columns, r, v, 2000);
    },
  );

  it('is not needed without an error', () => {
    expect(lucky(5, 0, 50)).toBe(50);
  });

  it('is 2^−42 at most for an error that the result shows, whatever the size', () => {
    for (const columns of [1, 2, 5, 15, 34, 60, 100, 256]) {
      for (const ringBits of [20, 57, 70, 120, 210, 300]) {
        for (const part of ['whole', 'upper'] as const) {
          const size = checkSize({ rows: columns, inner: 4, columns, entryBits: 8, ringBits, part });
          expect(size.combinations * (carriedBits(size) - ringBits + 1)).toBeGreaterThanOrEqual(42);
        }
      }
    }
  });
});
