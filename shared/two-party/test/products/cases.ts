/** Products whose entries lie at the edges of their rings far more often than chance would have them. */
import fc from 'fast-check';
import type { Case } from './parties.ts';

export const RINGS = [8, 44, 59, 64, 65, 128, 222, 256, 300];

function element(bits: number) {
  const top = 1n << BigInt(bits - 1);
  return fc.oneof(
    fc.constantFrom(0n, 1n, top - 1n, top, 2n * top - 1n),
    fc.nat(bits - 1).map((bit) => 1n << BigInt(bit)),
    fc.bigInt(0n, 2n * top - 1n),
  );
}

function entry(bits: number) {
  return element(bits).map((value) => BigInt.asIntN(bits, value));
}

/** Small products over these rings. */
export const cases: fc.Arbitrary<Case> = fc
  .record({
    ringBits: fc.constantFrom(...RINGS),
    rows: fc.integer({ min: 1, max: 4 }),
    inner: fc.integer({ min: 1, max: 4 }),
    columns: fc.integer({ min: 1, max: 4 }),
    part: fc.constantFrom('whole' as const, 'upper' as const),
    digitBits: fc.constantFrom(3 as const, 4 as const),
    seed: fc.nat(),
  })
  .chain(({ ringBits, rows, inner, columns, part, digitBits, seed }) => {
    const entryBits = 1 + (seed % Math.min(ringBits, 84));
    const m = part === 'upper' ? columns : rows;
    const matrix = <T>(arbitrary: fc.Arbitrary<T>, height: number, width: number) =>
      fc.array(fc.array(arbitrary, { minLength: width, maxLength: width }), {
        minLength: height,
        maxLength: height,
      });
    return fc.record({
      a: matrix(entry(entryBits), m, inner),
      c: matrix(element(ringBits), inner, columns),
      entryBits: fc.constant(entryBits),
      ringBits: fc.constant(ringBits),
      part: fc.constant(part),
      digitBits: fc.constant(digitBits),
    });
  });
