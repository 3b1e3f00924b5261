/** Shares that are cut and lifted: right to a unit at any number and any share of it, and exact without a cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChosenProduct, CorrelatedProduct } from '../../src/products/index.ts';
import { type Cut, liftChosen, liftCorrelated, Plan } from '../../src/rotated/sketch/products.ts';
import { clearProducts } from '../support/dealers.ts';

/** What both ends' lifted shares of the numbers add up to, as signed integers of the longer ring. */
async function opened(numbers: readonly bigint[], users: readonly bigint[], stage: Cut): Promise<bigint[]> {
  const { chooser, correlator } = clearProducts();
  const csps = numbers.map((x, e) => BigInt.asUintN(stage.ring, x - users[e]!));
  const chosen = new Plan<ChosenProduct>();
  const correlated = new Plan<CorrelatedProduct>();
  const atCsp = liftChosen(chosen, numbers.length, () => csps, stage);
  const atUser = liftCorrelated(correlated, numbers.length, () => users, stage);
  const [left, right] = await Promise.all([
    chooser.multiply(chosen.products),
    correlator.multiply(correlated.products),
  ]);
  const own = atUser(right);
  return atCsp(left).map((share, e) => BigInt.asIntN(stage.lifted, share + own[e]!));
}

describe('lifted shares', () => {
  it('are of the number itself at every number and share of a short ring', async () => {
    const stage = { ring: 6, cut: 0, lifted: 11 };
    const numbers = Array.from({ length: 32 }, (_, n) => BigInt(n - 16));
    for (let share = 0n; share < 64n; share += 1n) {
      const users = numbers.map(() => share);
      expect(await opened(numbers, users, stage)).toEqual(numbers);
    }
  });

  it('are of the cut number to less than a unit at every one of a short ring', async () => {
    const stage = { ring: 7, cut: 3, lifted: 12 };
    const numbers = Array.from({ length: 64 }, (_, n) => BigInt(n - 32));
    for (let share = 0n; share < 128n; share += 1n) {
      const users = numbers.map(() => share);
      for (const [e, value] of (await opened(numbers, users, stage)).entries())
        expect(Math.abs(Number(value) - Number(numbers[e]!) / 8)).toBeLessThan(1);
    }
  });

  it('are none of a number that is too large', async () => {
    const stage = { ring: 6, cut: 0, lifted: 11 };
    expect(await opened([17n], [17n], stage)).not.toEqual([17n]);
  });

  it('are right in rings of any length, however many', async () => {
    const cases = fc.integer({ min: 3, max: 60 }).chain((ring) => {
      const most = 2n ** BigInt(ring - 2);
      return fc.record({
        ring: fc.constant(ring),
        cut: fc.integer({ min: 0, max: ring - 2 }),
        more: fc.integer({ min: 1, max: 200 }),
        entries: fc.array(
          fc.tuple(
            fc.bigInt({ min: -most, max: most - 1n }),
            fc.bigInt({ min: 0n, max: 2n ** BigInt(ring) - 1n }),
          ),
          { minLength: 1, maxLength: 300 },
        ),
      });
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ ring, cut, more, entries }) => {
        const [numbers, users] = [entries.map(([x]) => x), entries.map(([, share]) => share)];
        const values = await opened(numbers, users, { ring, cut, lifted: ring + more });
        const unit = 2n ** BigInt(cut);
        for (const [e, value] of values.entries()) {
          const error = value * unit - numbers[e]!;
          expect(error > -unit && error < unit).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
