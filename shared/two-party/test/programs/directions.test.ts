/** Status bits and unit vectors of the discriminant programs, from given numbers. */

import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { bitsOf, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { Fixed } from '../../src/fixed-point/index.ts';
import { ClearSession } from '../../src/garbling/index.ts';
import { checkEquation, unitVectors } from '../../src/programs/directions.ts';

function fixed(
  session: ClearSession,
  values: readonly number[],
  fraction: number,
  bits: number,
): Promise<Fixed> {
  const units = values.map((value) => BigInt(Math.round(value * 2 ** fraction)));
  return session.step(
    (gates) => new Fixed(gates, numberFrom(gates, gates.input(bitsOf(units, bits)), bits), fraction),
  );
}

describe('status bits', () => {
  it('are 1 up to a residual of 2^-10 λ_1, relative to B z', async () => {
    const session = new ClearSession();
    const next = generator(5);
    const [d, changes] = [7, [0, 0.9, 1.1, -0.9, -1.1, 40, 0.9, 1.1]];
    const count = changes.length;
    const values = changes.map((_, j) => (j < 6 ? 0.75 : 0.0125));
    // Lane i * count + j; in the last two, λ is small, and what is allowed is relative to the first.
    const noise = Array.from({ length: d * count }, () => (next() - 0.5) / 64);
    const signal = noise.map((entry, lane) => {
      const j = lane % count;
      return entry * (values[j]! + changes[j]! * 0.75 * 2 ** -10);
    });
    const images = {
      noise: await fixed(session, noise, 32, 38),
      signal: await fixed(session, signal, 32, 38),
    };
    const verdicts = await checkEquation(session, images, await fixed(session, values, 28, 44), d, count);
    expect([...session.gates.read(verdicts)]).toEqual([1, 1, 0, 1, 0, 0, 1, 0]);
  });
});

describe('unit vectors', () => {
  it('have length 1, and their largest entry is positive', async () => {
    const session = new ClearSession();
    const next = generator(6);
    const [d, count] = [9, 5];
    // The largest entry of column j, from 1/2 to 1 in magnitude, in row j; the others are smaller the larger j is.
    const entries = Array.from({ length: d * count }, (_, lane) => {
      const [i, j] = [Math.floor(lane / count), lane % count];
      return i === j ? (j % 2 ? -0.9 : 0.6) : (next() - 0.5) * 0.9 * 8 ** -j;
    });
    const vectors = await unitVectors(session, await fixed(session, entries, 32, 34), d, count, 26);
    const units = valuesOf(vectors.number.map((wires) => session.gates.read(wires))).map(
      (value) => Number(value) / 2 ** 26,
    );
    for (let j = 0; j < count; j += 1) {
      const own = (all: readonly number[]): number[] =>
        Array.from({ length: d }, (_, i) => all[i * count + j]!);
      const length = Math.hypot(...own(entries));
      const sign = Math.sign(entries[j * count + j]!);
      expect(Math.hypot(...own(units))).toBeCloseTo(1, 7);
      for (const [i, value] of own(units).entries()) {
        expect(Math.abs(value - (sign * own(entries)[i]!) / length)).toBeLessThan(2 ** -25);
      }
    }
  });
});
