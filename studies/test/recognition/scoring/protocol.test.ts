/** No test row has a part in what it tests: whatever the last 40 % hold, ranges, projection, templates and choice are the same. */
import { expect, it } from 'vitest';
import type { People } from '../../../recognition/people.ts';
import { rank } from '../../../recognition/scoring/choice.ts';
import {
  type Final,
  finalOf,
  finalWithGaps,
  learn,
  trialsOfChoice,
} from '../../../recognition/scoring/protocol.ts';
import { projectionOf } from '../../../recognition/scoring/spaces.ts';
import { GRID, madeUpPeople, SETTING } from '../made-up.ts';

const people = madeUpPeople();

/** With the features of test rows in another order, and larger. */
const spoilt: People = {
  ...people,
  people: people.people.map(({ name, rows }) => ({
    name,
    rows: rows.map((row, i) =>
      i < Math.floor(0.6 * rows.length) ? row : row.map((x) => 100 - 7 * x).reverse(),
    ),
  })),
};

/** What a service and its devices have before the first test row comes. */
function learntFrom(of: People, final: (people: People) => Final) {
  const { learn: rows, thresholds } = final(of);
  const learnt = learn(SETTING, rows);
  return { templates: learnt.windows(rows), thresholds: learnt.windows(thresholds) };
}

it.each([
  ['the protocol', finalOf],
  ['with gaps', finalWithGaps],
] as const)('%s learns nothing from test rows', (_, final) => {
  expect(learntFrom(spoilt, final)).toEqual(learntFrom(people, final));
  expect(final(spoilt).test).not.toEqual(final(people).test);
});

it('a broken twin that learns from all rows is found', () => {
  const twin = (of: People): Final => ({ ...finalOf(of), learn: of.people });
  expect(learntFrom(spoilt, twin)).not.toEqual(learntFrom(people, twin));
});

it.each(['manhattan', 'pca', 'dca'] as const)('the choice for %s looks at no test row', async (method) => {
  expect(await rank(spoilt, method, GRID)).toEqual(await rank(people, method, GRID));
});

it('parts do not overlap, and trials of choice learn from what comes before', () => {
  const { learn: early, thresholds, test } = finalOf(people);
  early.forEach(({ rows }, i) => {
    expect([...rows, ...thresholds[i]!.rows, ...test[i]!.rows]).toEqual(people.people[i]!.rows);
  });
  expect([early, thresholds, test].map((part) => part[0]!.rows.length)).toEqual([20, 10, 20]);
  const gaps = finalWithGaps(people);
  expect([gaps.learn, gaps.thresholds, gaps.test].map((part) => part[0]!.rows.length)).toEqual([20, 5, 15]);
  const all = people.people[0]!.rows;
  const trials = trialsOfChoice(people).map(({ learn: before, probe }) => [
    before[0]!.rows.length,
    all.indexOf(probe[0]!.rows[0]!),
    all.indexOf(probe[0]!.rows.at(-1)!),
  ]);
  expect(trials).toEqual([
    [10, 10, 19],
    [20, 20, 29],
    [10, 20, 29],
  ]);
});

it('a projection is that of the rows that it is given', () => {
  const rows = finalOf(people).learn.map((person) => person.rows);
  const [first, ...others] = rows;
  expect(projectionOf(SETTING, [first!.slice(1), ...others])).not.toEqual(projectionOf(SETTING, rows));
});
