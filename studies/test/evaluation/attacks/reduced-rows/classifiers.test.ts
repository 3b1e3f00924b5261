/** Labels that are there to be found, and labels that are not. */
import { expect, it } from 'vitest';
import {
  certainty,
  guessed,
  type Labelled,
  mostFrequentByKnown,
  type Problem,
} from '../../../../evaluation/attacks/reduced-rows/classifiers.ts';
import { Draws } from '../../../../evaluation/draws.ts';
import { drawn } from './made-up.ts';

async function share(problems: readonly { sample: Problem['sample']; targets: readonly Labelled[] }[]) {
  const guesses = await guessed(problems);
  return guesses.map(({ labels, classifier, validated }, p) => {
    const { targets } = problems[p]!;
    return {
      classifier,
      validated,
      right: targets.filter(({ label }, i) => labels[i] === label).length / targets.length,
    };
  });
}

/** Labels of so many members, to be guessed from as many people of the public as are said, each with one row. */
const problemOf = (row: (draws: Draws) => Labelled, people: number, members: number, name = '') => ({
  sample: drawn(people, `public${name}`, row).map((own) => [own]),
  targets: drawn(members, `members${name}`, row),
});

it('finds a label that is a half of the space, one that is a ring, and none that is not there', {
  tags: ['long'],
}, async () => {
  const point = (draws: Draws) => [draws.normal(), draws.normal()] as const;
  const within =
    (inside: (x: number, y: number) => boolean) =>
    (draws: Draws): Labelled => {
      const input = point(draws);
      return { input, label: inside(...input) ? 'in' : 'out' };
    };
  const halves = within((x, y) => x + y > 0);
  const ring = within((x, y) => Math.hypot(x, y) > 1.2);
  const chance = (draws: Draws): Labelled => ({
    input: point(draws),
    label: draws.uniform() < 0.6 ? 'in' : 'out',
  });
  const [found, round, nothing] = await share([halves, ring, chance].map((row) => problemOf(row, 200, 200)));
  expect(found!.right).toBeGreaterThan(0.95);
  expect(round!.right).toBeGreaterThan(0.9);
  expect(round!.classifier).not.toBe('linear');
  expect(nothing!.right).toBeLessThan(0.68);
});

it('knows another label where that is known', async () => {
  const row = (draws: Draws): Labelled => {
    const known = draws.uniform() < 0.5 ? 'a' : 'b';
    return { input: [draws.normal()], known, label: draws.uniform() < 0.9 ? `of ${known}` : 'other' };
  };
  const problem = problemOf(row, 100, 100);
  const [guesses] = await share([problem]);
  expect(guesses!.right).toBeGreaterThan(0.8);
  const guess = mostFrequentByKnown(problem.sample);
  expect([guess({ input: [], known: 'a' }), guess({ input: [], known: 'b' })]).toEqual(['of a', 'of b']);
  expect(['of a', 'of b']).toContain(guess({ input: [], known: 'never seen' }));
});

it('stays with the most frequent label where others are ahead by chance', { tags: ['long'] }, async () => {
  const row = (draws: Draws): Labelled => ({
    input: [draws.normal()],
    label: draws.uniform() < 0.55 ? 'in' : 'out',
  });
  const guesses = await share(Array.from({ length: 12 }, (_, i) => problemOf(row, 60, 10, ` ${i}`)));
  const left = guesses.filter(({ classifier }) => classifier !== 'most frequent').length;
  expect(left).toBeLessThanOrEqual(4);
});

it('tries nobody on what was learnt of the same person', { tags: ['long'] }, async () => {
  // Rows of a person lie together, and labels are a matter of chance: with rows dealt to folds they would be told.
  const draws = new Draws('people');
  const person = (p: number): Labelled[] => {
    const label = draws.uniform() < 0.5 ? 'in' : 'out';
    return Array.from({ length: 8 }, () => ({ input: [p + draws.normal() / 100], label }));
  };
  const people = draws.shuffled(Array.from({ length: 40 }, (_, p) => person(p)));
  const [guesses] = await share([{ sample: people, targets: people.flat() }]);
  expect(guesses!.validated).toBeLessThan(0.75);
});

it('is as sure of a label as the rows around are, and of more classes than two has no measure', () => {
  // On the left nine of ten are in, on the right as many as not.
  const row = (draws: Draws): Labelled => {
    const isLeft = draws.uniform() < 0.5;
    const input = [(isLeft ? -1 : 1) + draws.normal() / 50];
    return { input, label: draws.uniform() < (isLeft ? 0.9 : 0.5) ? 'in' : 'out' };
  };
  const { seen, chance } = certainty(problemOf(row, 2000, 200), new Draws('dealt'))!;
  // 0.8 on the left, and on the right what shares of 45 differ by around a half: √(2/(45π)).
  expect(seen).toBeCloseTo((0.8 + Math.sqrt(2 / (45 * Math.PI))) / 2, 1);
  // Seven of ten are in, wherever.
  expect(chance).toBeCloseTo(0.4, 1);
  expect(chance).toBeLessThan(seen - 0.02);
  const halves = problemOf((draws) => ({ input: [0], label: `${Math.floor(3 * draws.uniform())}` }), 60, 10);
  expect(certainty(halves, new Draws('dealt'))).toBeUndefined();
  const coin = (draws: Draws) => ({ input: [draws.normal()], label: draws.uniform() < 0.5 ? 'in' : 'out' });
  const nothing = certainty(problemOf(coin, 500, 300), new Draws('dealt'))!;
  expect(Math.abs(nothing.seen - nothing.chance)).toBeLessThan(0.05);
  expect(nothing.chance).toBeGreaterThan(0.05);
});
