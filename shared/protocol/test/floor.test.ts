/** The floor that both servers draw: how large it is, and that their shares are the statistics and it, and nothing else. */

import { drawNoise, layout, noisedStatistics } from '@eigenveil/statistics';
import {
  computedValues,
  floorDeviations,
  floorOf,
  placesOf,
  type StatisticsTask,
  shiftOf,
} from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { combine } from '@eigenveil/two-party/insides';
import { describe, expect, test } from 'vitest';
import { draw, sharesAtCsp, sharesAtDataUser } from '../src/servers.ts';

const task = {
  method: { kind: 'lda', ridge: 1 },
  features: [
    { name: 'a', min: 0, max: 1, grain: 1 },
    { name: 'b', min: 0, max: 10, grain: 1 },
    { name: 'c', min: 0, max: 1, grain: 'cell' },
    { name: 'd', min: 3, max: 3 },
  ],
  labellings: [{ column: 'k', classes: ['x', 'y'] }],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: 1000,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  exact: false,
  releases: 2,
  twoParty: 'simulated',
} as const;
const noisy = {
  ...task,
  releases: 1000,
  differentialPrivacy: {
    epsilon: 1,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: 1,
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  },
} as const;
const { length, R, labellings } = placesOf(task);

describe('a draw of one server', () => {
  /** Draws have these deviations, values without one are 0. The mean of n squares has a deviation of √(2/n); that one of 40 is off by 7 of them has a chance below 1e-10. */
  function expectDeviations(
    deviations: readonly number[],
    drawn: StatisticsTask,
    draws: number,
    from = (noise: readonly bigint[]) => noise,
  ): void {
    const source = predictableRandomness('floor');
    const sums = deviations.map(() => 0);
    for (let n = 0; n < draws; n += 1) {
      for (const [i, value] of from(drawNoise(drawn, 'csp', source)).entries())
        sums[i]! += deviations[i] === 0 ? Math.abs(Number(value)) : (Number(value) / deviations[i]!) ** 2;
    }
    for (const [i, deviation] of deviations.entries()) {
      if (deviation === 0) expect(sums[i]).toBe(0);
      else expect(Math.abs(sums[i]! / draws - 1), `${i}`).toBeLessThan(7 * Math.sqrt(2 / draws));
    }
  }

  test('has the deviations of the floor, and none where a value takes none', () => {
    expectDeviations(floorDeviations(task), task, 1000);
  });

  test('on top of differential privacy has noise of its own on the sums once more', () => {
    const { fractionBits, sumFractionBits } = floorOf(noisy)!;
    const places = labellings[0]!.flatMap(({ V }) => [0, 1, 2, 3].map((i) => V.from + i));
    const again = (value: bigint) => (value >> BigInt(fractionBits - 14)) << BigInt(sumFractionBits - 14);
    expectDeviations(floorDeviations(noisy).slice(length), noisy, 300, (noise) =>
      places.map((at, i) => noise[length + i]! - again(noise[at]!)),
    );
  });

  test('is another each time', () => {
    const source = predictableRandomness('twice');
    const [one, other] = [drawNoise(task, 'csp', source), drawNoise(task, 'dataUser', source)];
    for (const [i, deviation] of floorDeviations(task).entries())
      if (deviation > 0) expect(one[i]).not.toBe(other[i]);
  });

  test('of an owner has no floor', () => {
    expect(drawNoise(task, 'owner', predictableRandomness('owner'))).toEqual(new Array(length).fill(0n));
  });
});

describe.each([
  ['without', task],
  ['with', noisy],
] as const)('shares %s differential privacy', (_, shared) => {
  test('add up to what is computed, exact in V, and the noise and shift of both', () => {
    const values = Array.from({ length }, (_unused, i) =>
      BigInt(i < R.to ? 1_000_003 * i : i === length - 1 ? 3 : 17 * i - 99),
    );
    const blinding = values.map((_unused, i) => 2n ** 80n + BigInt(i) * 123_456_789n);
    const slots = values.map((value, i) => value + blinding[i]!);
    const noise = drawNoise(shared, 'dataUser', predictableRandomness('data user'));
    const bits = TWO_PARTY_PROTOCOLS.simulated.shareBits(shared);
    const together = combine(
      bits,
      sharesAtCsp(shared, slots, predictableRandomness('csp')),
      sharesAtDataUser(shared, { blinding, noise }),
    );
    const others = [noise, drawNoise(shared, 'csp', predictableRandomness('csp'))];
    const ofShift = computedValues(shared, shiftOf(shared));
    const rest = together.map((value, i) =>
      others.reduce((sum, draw) => sum - draw[i]!, value - ofShift[i]!),
    );
    expect(rest).toEqual(computedValues(shared, values));
    if (shared === task)
      for (const { V } of labellings[0]!)
        expect(together.slice(V.from, V.to)).toEqual(computedValues(task, values).slice(V.from, V.to));
  });
});

test('what servers compute with is known of both draws', () => {
  const source = predictableRandomness('both');
  const [one, other] = [drawNoise(task, 'csp', source), drawNoise(task, 'dataUser', source)];
  const values = Array.from({ length }, (_, i) => BigInt(1000 + i));
  const {
    R: ofProducts,
    labellings: classes,
    noisedSums,
    owners,
  } = noisedStatistics(task, values, [one, other]);
  const sum = computedValues(task, values).map((value, i) => value + one[i]! + other[i]!);
  expect(ofProducts).toEqual(sum.slice(R.from, R.to));
  expect(classes[0]!.map(({ V }) => V)).toEqual(
    labellings[0]!.map(({ V }) => computedValues(task, values).slice(V.from, V.to)),
  );
  expect(noisedSums!.flat(2)).toEqual(sum.slice(length));
  expect(owners).toBe(values.at(-1));
});

test('shares of a sketch add up to what is computed and the noise of both servers, which know its matrix', () => {
  const sketched = { ...task, method: { kind: 'pca' }, labellings: [], sketch: { columns: 3 } } as const;
  const { length } = placesOf(sketched);
  const signs = Int32Array.from({ length: 3 * task.features.length }, (_, i) => (i % 3 === 1 ? -1 : 1));
  const values = Array.from({ length }, (_, i) => BigInt(i % 5));
  const blinding = values.map((_, i) => 2n ** 80n + BigInt(i));
  const slots = values.map((value, i) => value + blinding[i]!);
  const { noise } = draw(
    { task: sketched, packing: layout(sketched), signs },
    predictableRandomness('data user'),
  );
  const together = combine(
    TWO_PARTY_PROTOCOLS.simulated.shareBits(sketched),
    sharesAtCsp(sketched, slots, predictableRandomness('csp'), signs),
    sharesAtDataUser(sketched, { blinding, noise }),
  );
  const ofCsp = drawNoise(sketched, 'csp', predictableRandomness('csp'), signs);
  expect(noise.at(0)).not.toBe(0n);
  expect(together.map((value, i) => value - noise.at(i)! - ofCsp[i]!)).toEqual(
    computedValues(sketched, values),
  );
});
