/** Negative eigenvalues by hand, and what symmetric noise and Wishart noise leave of a covariance matrix. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { describe, expect, it } from 'vitest';
import { chosenOf, samplesOf } from '../../instrument/figure.ts';
import { measured } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import { definiteness, negativeMass } from '../../privacy/definiteness.ts';

describe('negative eigenvalues', () => {
  it('are counted with their share of all magnitudes', () => {
    expect(
      negativeMass([
        [3, 0],
        [0, -1],
      ]),
    ).toEqual({ lost: 1, mass: 0.25 });
    // Eigenvalues 3 and −1.
    const { lost, mass } = negativeMass([
      [1, 2],
      [2, 1],
    ]);
    expect([lost, mass]).toEqual([1, expect.closeTo(0.25, 12)]);
    expect(
      negativeMass([
        [2, 1],
        [1, 2],
      ]),
    ).toEqual({ lost: 0, mass: 0 });
  });

  it('are none where they are zero but for rounding', () => {
    const row = [0.1, 0.2, 0.7];
    expect(negativeMass(row.map((x) => row.map((y) => x * y)))).toEqual({ lost: 0, mass: 0 });
  });
});

it('come from symmetric noise, the more the smaller ε is, and never from Wishart noise', async () => {
  const asked = { scale: 'quick', settings: new Settings('quick') } as const;
  const { cases } = await definiteness.plan(asked);
  const records = (
    await Promise.all(
      chosenOf(cases, { dataset: 'pima' }).map(async (parameters) => {
        const found = await measured({ study: definiteness, parameters }, { note: () => undefined });
        return found.map((record) => ({ ...record, epsilon: parameters.epsilon! }));
      }),
    )
  ).flat();
  const of = (method: string, epsilon: number, column: 'lost' | 'mass') =>
    mean(samplesOf(chosenOf(records, { method, epsilon }), column));
  // Laplace noise of deviation 9/(√2 ε) on a sum over 768 rows of eight features, of which some hardly vary.
  expect(of('ppdp', 0.1, 'lost')).toBe(1);
  expect(of('ppdp', 0.1, 'mass')).toBeGreaterThan(0.1);
  expect(of('ppdp', 0.1, 'mass')).toBeGreaterThan(of('ppdp', 0.5, 'mass'));
  expect(of('ppdp', 0.5, 'mass')).toBeGreaterThan(of('ppdp', 10, 'mass'));
  for (const method of ['wishart', 'wishart-published']) {
    const own = chosenOf(records, { method });
    expect(own).toHaveLength(5 * 20);
    expect(samplesOf(own, 'lost')).toEqual(new Array(5 * 20).fill(0));
  }
});
