/** People by time: no row twice, none in two parts, and features on [−1, 1]. */
import { expect, it } from 'vitest';
import { inTime, loadPeople, preparation } from '../../recognition/people.ts';

it('loads the walking people in the order of the file, each row once', async () => {
  const { people, features } = (await loadPeople('wisdm_walk_user'))!;
  const rows = people.flatMap((person) => person.rows);
  expect([people.length, features.length, rows.length]).toEqual([36, 39, 2081 - 29]);
  expect(new Set(people.flatMap(({ name, rows: own }) => own.map((row) => `${name}:${row}`))).size).toBe(
    2052,
  );
  // The first line of the file.
  expect(people[0]).toMatchObject({ name: '32' });
  expect(people[0]!.rows[0]!.slice(-3)).toEqual([4.95, 2.87, 10.69]);
  expect(await loadPeople('no such data set')).toBeUndefined();
});

it('parts are 40, 20 and 40 % in order, and make the whole', () => {
  const rows = Array.from({ length: 51 }, (_, i) => [i]);
  const { early, middle, late } = inTime(rows);
  expect([early.length, middle.length, late.length]).toEqual([20, 10, 21]);
  expect([...early, ...middle, ...late]).toEqual(rows);
});

it('features end on [−1, 1] by what was learnt, and further values at its ends', () => {
  const rows = Array.from({ length: 1001 }, (_, i) => [i - 500, 7]);
  const prepare = preparation(rows);
  expect(prepare([-500, 7])).toEqual([-1, 0]);
  expect(prepare([1e9, 8])).toEqual([1, 0]);
  expect(prepare([0, 0])[0]).toBeCloseTo(0, 10);
  expect(prepare([20, 0])[0]).toBeCloseTo(Math.log(21) / Math.log(496), 6);
});
