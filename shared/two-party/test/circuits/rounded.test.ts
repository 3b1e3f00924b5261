/** Rounded sums of products against exact ones. */
import { describe, expect, it } from 'vitest';
import { sumOfProducts } from '../../src/circuits/index.ts';
import { ROUNDING_GUARD } from '../../src/circuits/schedule.ts';
import { CountingGates } from '../../src/garbling/index.ts';
import { cost, type Operand, runBoth, runClear } from './run.ts';

function random(count: number, bits: number, seed: number): bigint[] {
  let state = BigInt(seed);
  return Array.from({ length: count }, () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return BigInt.asIntN(bits, state >> 16n);
  });
}

/** All pairs of extremes, and random ones. */
function operands(lengths: readonly number[]): Operand[] {
  const extremes = (bits: number): bigint[] => [
    0n,
    1n,
    -1n,
    2n ** BigInt(bits - 1) - 1n,
    -(2n ** BigInt(bits - 1)),
  ];
  return lengths.map((bits, k) => ({
    bits,
    values: [
      ...Array.from({ length: 125 }, (_, i) => extremes(bits)[Math.floor(i / 5 ** (k % 3)) % 5]!),
      ...random(90, bits, 7 + k),
    ],
  }));
}

const CASES = [
  { n: 26, m: 26, pairs: 1, shift: 24, bits: 26, plus: 0 },
  { n: 26, m: 26, pairs: 2, shift: 24, bits: 26, plus: 26 },
  { n: 24, m: 24, pairs: 2, shift: 22, bits: 25, plus: 0 },
  { n: 15, m: 28, pairs: 1, shift: 20, bits: 30, plus: 12 },
  { n: 8, m: 9, pairs: 3, shift: 3, bits: 16, plus: 20 },
  { n: 5, m: 3, pairs: 1, shift: 0, bits: 8, plus: 0 },
] as const;

describe('sumOfProducts', () => {
  it.each(CASES)(
    'is within its bound: $n by $m bits, $pairs pairs, shift $shift, $bits bits, plus $plus',
    async ({ n, m, pairs, shift, bits, plus }) => {
      const given = operands([...new Array(pairs).fill([n, m]).flat(), ...(plus ? [plus] : [])]);
      const [result] = await runClear(
        (gates, ...numbers) => [
          sumOfProducts(
            gates,
            Array.from({ length: pairs }, (_, k) => [numbers[2 * k]!, numbers[2 * k + 1]!] as const),
            { shift, bits, ...(plus ? { plus: numbers.at(-1)! } : {}) },
          ),
        ],
        given,
      );
      const left = shift + 1 - ROUNDING_GUARD;
      const bound = 0.5 + (left <= 0 ? 0 : (pairs * (left + 1) + 1) / 2 ** (ROUNDING_GUARD + 1));
      let total = 0;
      for (const [lane, value] of result!.entries()) {
        let exact = plus ? given.at(-1)!.values[lane]! << BigInt(shift) : 0n;
        for (let k = 0; k < pairs; k += 1)
          exact += given[2 * k]!.values[lane]! * given[2 * k + 1]!.values[lane]!;
        const error = BigInt.asIntN(bits + shift, (value << BigInt(shift)) - exact);
        const units = Number(error) / 2 ** shift;
        expect(Math.abs(units), `lane ${lane}`).toBeLessThanOrEqual(bound);
        if (lane >= 125) total += units / 90;
        if (!plus && given.every(({ values }, i) => i % 2 === 1 || values[lane] === 0n))
          expect(value).toBe(0n);
      }
      // Rounding is not biased.
      if (shift > 10) expect(Math.abs(total)).toBeLessThan(0.15);
    },
  );

  it.each(CASES)(
    'is the same in few lanes, where rows are added as a tree: $n by $m bits, $pairs pairs',
    async ({ n, m, pairs, shift, bits, plus }) => {
      const given = operands([...new Array(pairs).fill([n, m]).flat(), ...(plus ? [plus] : [])]);
      const run = (part: readonly Operand[]) =>
        runClear(
          (gates, ...numbers) => [
            sumOfProducts(
              gates,
              Array.from({ length: pairs }, (_, k) => [numbers[2 * k]!, numbers[2 * k + 1]!] as const),
              { shift, bits, ...(plus ? { plus: numbers.at(-1)! } : {}) },
            ),
          ],
          part,
        );
      const [whole] = await run(given);
      const few = given.map((operand) => ({ ...operand, values: operand.values.slice(118, 132) }));
      expect(await run(few)).toEqual([whole!.slice(118, 132)]);
    },
  );

  it.each(CASES)(
    'has its bits, and no gates, without lanes: $n by $m bits, $pairs pairs, shift $shift',
    ({ n, m, pairs, shift, bits, plus }) => {
      const gates = new CountingGates();
      const none = (length: number) => Array.from({ length }, () => gates.input(0));
      const result = sumOfProducts(
        gates,
        Array.from({ length: pairs }, () => [none(n), none(m)] as const),
        { shift, bits, ...(plus ? { plus: none(plus) } : {}) },
      );
      expect(result.map(({ lanes }) => lanes)).toEqual(new Array(bits).fill(0));
      expect(gates.andGates).toBe(0);
    },
  );

  it('is the same garbled', async () => {
    const given = operands([12, 12, 12, 12, 14]);
    const circuit = (
      gates: Parameters<typeof sumOfProducts>[0],
      ...[a, b, c, d, e]: Parameters<typeof sumOfProducts>[1][0][0][]
    ) => [
      sumOfProducts(
        gates,
        [
          [a!, b!],
          [c!, d!],
        ],
        { shift: 10, bits: 14, plus: e! },
      ),
    ];
    expect(await runBoth(circuit, given)).toEqual(await runClear(circuit, given));
  });

  it('costs these gates', () => {
    const costs = Object.fromEntries(
      CASES.map(({ n, m, pairs, shift, bits, plus }) => {
        const lengths = [...new Array(pairs).fill([n, m]).flat(), ...(plus ? [plus] : [])];
        const { gates, batches } = cost(
          (context, ...numbers) => [
            sumOfProducts(
              context,
              Array.from({ length: pairs }, (_, k) => [numbers[2 * k]!, numbers[2 * k + 1]!] as const),
              { shift, bits, ...(plus ? { plus: numbers.at(-1)! } : {}) },
            ),
          ],
          lengths,
          8,
        );
        return [
          `${pairs} of ${n} by ${m}, shift ${shift}, ${bits} bits, plus ${plus}`,
          `${gates} gates, ${batches} batches`,
        ];
      }),
    );
    expect(costs).toMatchInlineSnapshot(`
      {
        "1 of 15 by 28, shift 20, 30 bits, plus 12": "388 gates, 43 batches",
        "1 of 26 by 26, shift 24, 26 bits, plus 0": "531 gates, 38 batches",
        "1 of 5 by 3, shift 0, 8 bits, plus 0": "22 gates, 10 batches",
        "2 of 24 by 24, shift 22, 25 bits, plus 0": "914 gates, 39 batches",
        "2 of 26 by 26, shift 24, 26 bits, plus 26": "1070 gates, 40 batches",
        "3 of 8 by 9, shift 3, 16 bits, plus 20": "296 gates, 27 batches",
      }
    `);
  });
});
