/**
 * How vectors are read that are opened: signed, and without the digits below their flood.
 *
 * @claims S-693
 */
import { expect, it } from 'vitest';
import { inUnits } from '../../src/rotated/matrices.ts';

it('numbers that are opened are read in units of their flood, rounded', () => {
  const [ring, flood] = [60, 20];
  const entries = [
    [13.75, 14],
    [-7.75, -8],
    [0.375, 0],
    [-3.25, -3],
  ] as const;
  const opened = entries.map(([value]) => [BigInt.asUintN(ring, BigInt(value * 2 ** flood))]);
  expect(inUnits(opened, ring, flood)).toEqual(entries.map(([, rounded]) => [BigInt(rounded)]));
});
