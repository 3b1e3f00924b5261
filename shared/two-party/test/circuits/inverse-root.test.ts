/** Approximate reciprocal square roots against exact ones. */
import { describe, expect, it } from 'vitest';
import { inverseSquareRoot, ROOT_FRACTION } from '../../src/circuits/index.ts';
import { cost, runBoth, runClear } from './run.ts';

/** Both ends and the inside of every interval of the table, up to 4^quarterings. */
function values(quarterings: number): bigint[] {
  const unit = 2 ** ROOT_FRACTION;
  const result: bigint[] = [];
  for (let k = -1; k < quarterings; k += 1) {
    for (let at = 8; at < 32; at += 1) {
      for (const fraction of [0, 0.1, 0.37, 0.5, 0.75, 0.93, 1 - 1e-9]) {
        result.push(BigInt(Math.floor(((at + fraction) / 32) * 4 ** (k + 1) * unit)));
      }
    }
  }
  return result.filter((value) => value < 4n ** BigInt(quarterings) * BigInt(unit));
}

describe('inverseSquareRoot', () => {
  it.each([0, 1, 2, 3])('has a relative error below 2^-24 up to 4^%i', async (quarterings) => {
    const bits = ROOT_FRACTION + 2 * quarterings + 1;
    const given = values(quarterings);
    const [result] = await runClear((gates, a) => [inverseSquareRoot(gates, a!)], [{ bits, values: given }]);
    let total = 0;
    for (const [lane, value] of result!.entries()) {
      const exact = 1 / Math.sqrt(Number(given[lane]!) / 2 ** ROOT_FRACTION);
      const error = Number(value) / 2 ** ROOT_FRACTION / exact - 1;
      total += error;
      // Large arguments have small roots, which have fewer bits.
      expect(Math.abs(error), `1/sqrt(${given[lane]})`).toBeLessThan(2 ** -24 + 2 ** -26 / exact);
    }
    expect(Math.abs(total / given.length)).toBeLessThan(2 ** -25);
  });

  it('is the same garbled', async () => {
    const circuit = (...[gates, a]: Parameters<typeof inverseSquareRoot>) => [inverseSquareRoot(gates, a)];
    const given = [{ bits: ROOT_FRACTION + 5, values: values(2).slice(0, 40) }];
    const run = (
      gates: Parameters<typeof inverseSquareRoot>[0],
      ...[a]: Parameters<typeof inverseSquareRoot>[1][]
    ) => circuit(gates, a!);
    expect(await runBoth(run, given)).toEqual(await runClear(run, given));
  });

  it('costs these gates', () => {
    const { gates, batches } = cost((context, a) => [inverseSquareRoot(context, a!)], [ROOT_FRACTION + 3], 1);
    expect(`${gates} gates, ${batches} batches`).toMatchInlineSnapshot(`"2015 gates, 83 batches"`);
  });
});
