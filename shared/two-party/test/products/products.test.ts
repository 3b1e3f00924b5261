/** Shares of products add up to the products, at every edge of the ring and of the shapes. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { multiplyChosen, multiplyCorrelated } from '../../src/products/index.ts';
import { multiplyClear } from '../support/dealers.ts';
import { cases, RINGS } from './cases.ts';
import { type Case, matrixOf, opened, randomCase, session } from './parties.ts';

let shared: Awaited<ReturnType<typeof session>>;
beforeAll(async () => {
  shared = await session();
});

async function check(product: Case, { multiply } = shared) {
  const { chosen, correlated } = await multiply(product);
  const limit = 1n << BigInt(product.ringBits);
  for (const share of [...chosen, ...correlated].flat()) expect(share >= 0n && share < limit).toBe(true);
  expect(opened(chosen, correlated, product.ringBits)).toEqual(multiplyClear(product.a, product.c, product));
  return { chosen, correlated };
}

describe('the reference', () => {
  it('multiplies signed by ring elements', () => {
    const a = [[-2n, 3n]];
    const c = [
      [255n, 1n],
      [7n, 128n],
    ];
    // −2·255 + 3·7 = −489 and −2 + 3·128 = 382, modulo 256
    expect(multiplyClear(a, c, { ringBits: 8 })).toEqual([[23n, 126n]]);
  });

  it('leaves out what is below the diagonal', () => {
    const one = [
      [1n, 0n],
      [0n, 1n],
    ];
    const c = [
      [5n, 6n],
      [7n, 8n],
    ];
    expect(multiplyClear(one, c, { ringBits: 8, part: 'upper' })).toEqual([
      [5n, 6n],
      [0n, 8n],
    ]);
  });
});

describe('a product of the two parties', () => {
  it('is the product, whatever the shape, the ring and the entries', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (product) => {
        await check(product);
      }),
      { numRuns: 40 },
    );
  });

  it.each(RINGS.flatMap((bits) => ([3, 4] as const).map((digit) => [bits, digit] as const)))(
    'is right at the edges of a ring of %i bits, in digits of %i',
    async (ringBits, digitBits) => {
      const top = 1n << BigInt(ringBits - 1);
      const edges = [0n, 1n, top - 1n, top, 2n * top - 1n];
      for (const entryBits of [1, 2, Math.min(81, ringBits), ringBits]) {
        const least = -(1n << BigInt(entryBits - 1));
        const entries = [least, -1n, 0n, entryBits > 1 ? 1n : 0n, -least - 1n];
        const a = matrixOf(5, 1, (i) => entries[i]!);
        const c = matrixOf(1, 5, (_, j) => edges[j]!);
        await check({ a, c, entryBits, ringBits, digitBits });
      }
    },
  );

  // Elements of one to eight bytes, in groups of two and of four that columns and masks fill or do not.
  it.each([3, 4] as const)(
    'is right in rings of 64 bits at most, whatever the columns, in digits of %i bits',
    async (digitBits) => {
      for (const columns of [1, 2, 3, 5, 60]) {
        for (const ringBits of [9, 44, 57, 60]) {
          await check({ ...randomCase([2, 3, columns], ringBits, ringBits), digitBits });
        }
      }
    },
  );

  it.each([
    ['tall', [70, 3, 2]],
    ['wide', [2, 3, 256]],
    ['deep', [2, 300, 3]],
  ] as const)('may be %s', async (_, shape) => {
    await check(randomCase(shape, 81, 222));
  });

  it('computes the upper triangle with less than seven tenths of the bytes', async () => {
    const whole = randomCase([24, 24, 24], 40, 222);
    const bytes = async (part: 'whole' | 'upper') => {
      shared.sentByCorrelator.length = 0;
      const { chosen, correlated } = await check({ ...whole, part });
      if (part === 'upper') {
        for (const share of [chosen, correlated]) {
          for (const [i, row] of share.entries()) expect(row.slice(0, i)).toEqual(new Array(i).fill(0n));
        }
      }
      return shared.sentByCorrelator.reduce((sum, frame) => sum + frame.length, 0);
    };
    expect((await bytes('upper')) / (await bytes('whole'))).toBeLessThan(0.7);
  });

  it.each([3, 4] as const)(
    'multiplies many ring elements by one scalar, over several blocks of transfers, in digits of %i bits',
    async (digitBits) => {
      await check({ ...randomCase([300, 1, 1], 222, 222), digitBits }); // 65,536 transfers fill a block
    },
  );

  it('takes a third more bytes in digits of three bits', { tags: ['long'] }, async () => {
    const product = randomCase([8, 8, 60], 96, 222);
    const bytes = async (digitBits: 3 | 4) => {
      shared.sentByCorrelator.length = 0;
      await check({ ...product, digitBits });
      return shared.sentByCorrelator.reduce((sum, frame) => sum + frame.length, 0);
    };
    const ratio = (await bytes(3)) / (await bytes(4));
    expect(ratio).toBeGreaterThan(1.29);
    expect(ratio).toBeLessThan(1.36);
  });

  it('needs no more room in the channel than one frame', async () => {
    const narrow = await session({ limits: { highWaterBytes: 20_000 } });
    await check(randomCase([60, 3, 10], 222, 222), narrow);
  });

  it('can be followed by another in the same session', async () => {
    const product = randomCase([3, 3, 3], 20, 64);
    const first = await check(product);
    const second = await check(product);
    expect(second.chosen).not.toEqual(first.chosen);
  });
});

describe('arguments out of range', () => {
  const good = { matrix: [[1n]], entryBits: 4, columns: 1, ringBits: 8 };

  it.each([
    ['entryBits', { ...good, entryBits: 9 }],
    ['entryBits', { ...good, entryBits: 0 }],
    ['ringBits', { ...good, ringBits: 301 }],
    ['columns', { ...good, columns: 257 }],
    ['columns', { ...good, columns: 0 }],
    ['rows', { ...good, matrix: [] }],
    ['inner', { ...good, matrix: [[]] }],
    ['matrix', { ...good, matrix: [[8n]] }],
    ['matrix', { ...good, matrix: [[-9n]] }],
    ['matrix', { ...good, matrix: [[1n, 1n], [1n]] }],
    ['part', { ...good, columns: 2, part: 'upper' as const }],
  ])('of the chooser: %s', async (name, options) => {
    const running = multiplyChosen(shared.receiver, options);
    await expect(running).rejects.toThrow(RangeError);
    await expect(running).rejects.toThrow(`"${name}" expected`);
  });

  it.each([
    ['matrix', [[256n]]],
    ['matrix', [[-1n]]],
    ['matrix', [[1n], [1n, 2n]]],
    ['inner', []],
  ])('of the correlator: %s', async (name, matrix) => {
    const running = multiplyCorrelated(shared.sender, { matrix, rows: 1, entryBits: 4, ringBits: 8 });
    await expect(running).rejects.toThrow(RangeError);
    await expect(running).rejects.toThrow(`"${name}" expected`);
  });
});
