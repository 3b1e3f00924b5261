/** The choice of a strategy by its expected error. */
import { describe, expect, it } from 'vitest';
import { averageError, type Workload } from '../src/averages.ts';
import { type ChoiceOf, chooseStrategy, fanoutsOf } from '../src/choice.ts';
import { toNumber } from '../src/fraction.ts';
import { calibrateRelease, noiseMoments } from '../src/noise.ts';
import { flat, privelet, type Strategy, tree } from '../src/strategy.ts';

const of = (height: number, workload: Workload, budget: ChoiceOf['budget'] = { epsilon: 0.1 }): ChoiceOf => ({
  height,
  features: 1,
  neighbours: 'add-remove',
  servers: 2,
  budget,
  workload,
});

const errorOf = (strategy: Strategy, { workload, budget }: ChoiceOf) =>
  noiseMoments(calibrateRelease(strategy, { features: 1, neighbours: 'add-remove', budget }), 2).variance *
  toNumber(averageError(strategy, workload));

it('tries every tree, and the least error comes first', () => {
  expect(fanoutsOf(3).toSorted()).toEqual([[2, 2, 2], [2, 4], [4, 2], [8]]);
  expect(fanoutsOf(9)).toHaveLength(256);
  for (const workload of ['ranges', 'prefixes', 'counts'] as const) {
    const question = of(7, workload);
    const candidates = chooseStrategy(question);
    const errors = candidates.map(({ meanSquaredError }) => meanSquaredError);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
    const all = [flat(128), privelet(7), ...fanoutsOf(7).map(tree)].map((it) => errorOf(it, question));
    expect(errors[0]).toBe(Math.min(...all));
  }
});

describe('what suits', () => {
  const best = (question: ChoiceOf) => chooseStrategy(question)[0]!.strategy.kind;

  it('single bins is to leave them alone', () => {
    expect(best(of(10, 'counts'))).toBe('flat');
  });

  it('a few bins is to leave them alone: flat beats Privelet on prefixes up to N = 64, without trees', () => {
    for (let h = 0; h <= 12; h += 1) {
      const question = of(h, 'prefixes');
      const ahead = errorOf(flat(2 ** h), question) < errorOf(privelet(h), question);
      if (h > 0) expect(ahead).toBe(h <= 6);
    }
  });

  it('many bins is a tree: of large fan-outs with Laplace noise', () => {
    expect(best(of(10, 'ranges'))).toBe('tree');
    expect(chooseStrategy(of(12, 'ranges'))[0]!.strategy.fanouts).toEqual([4, 8, 8, 16]);
    const smooth = of(12, 'ranges', { epsilon: 1, dpDelta: 1e-6 });
    const errors = Object.fromEntries(
      chooseStrategy(smooth).map((it) => [it.strategy.kind, it.meanSquaredError]),
    );
    expect(errors.privelet! / errors.tree!).toBeGreaterThan(0.8);
    expect(errors.privelet! / errors.tree!).toBeLessThan(1.3);
  });
});

it('looks at no more bins than it has time for', () => {
  expect(() => chooseStrategy(of(13, 'ranges'))).toThrow(/height/);
  expect(chooseStrategy(of(0, 'ranges')).map(({ meanSquaredError }) => meanSquaredError)).toHaveLength(3);
});
