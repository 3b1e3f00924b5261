/** The path of a task: the same projection as in the clear, and noise that others can repeat. */

import { decompose, principalAngles } from '@eigenveil/projection';
import { addStatistics } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { expect, it } from 'vitest';
import { RANGES } from '../../../privacy/data.ts';
import { noisyScores } from '../../../recognition/error-rates/noise.ts';
import { rangesOf } from '../../../recognition/people.ts';
import { finalOf, learn } from '../../../recognition/scoring/protocol.ts';
import { projectionOf } from '../../../recognition/scoring/spaces.ts';
import { preparationBy, statisticsOf, taskOf } from '../../../recognition/scoring/task.ts';
import { madeUpPeople, SETTING } from '../made-up.ts';

const final = finalOf(madeUpPeople({ features: 12 }));
const rows = final.learn.flatMap((person) => person.rows);

it.each(['pca', 'dca'] as const)(
  '%s of discretised rows, one owner a person, is that in the clear',
  (method) => {
    const setting = { ...SETTING, method };
    const task = taskOf(setting, final.learn, rangesOf(rows, setting.logUnit));
    const pooled = statisticsOf(task, final.learn, setting.logUnit).reduce(addStatistics);
    const { vectors, mean } = decompose({ ...programOf(task), outputs: ['mean'] }, pooled);
    const prepare = preparationBy(task, setting.logUnit);
    const clear = projectionOf(
      setting,
      final.learn.map((person) => person.rows.map(prepare)),
    );
    expect(
      Math.max(...principalAngles(vectors, [...clear.vectors.map((vector) => [...vector])])),
    ).toBeLessThan(1e-6);
    for (const [i, entry] of mean!.entries()) expect(entry).toBeCloseTo(clear.mean[i]!, 10);
    // Rounded to 14 bits, a row is what it is without a task.
    const { space, windows } = learn(setting, final.learn);
    const [stream] = windows(final.test);
    const rounded = space.window(prepare(final.test[0]!.rows[0]!));
    for (const [i, entry] of rounded.entries()) expect(entry).toBeCloseTo(stream!.windows[0]![i]!, 3);
  },
);

it('noise is the same for a seed, another for another, and none for ε = ∞', () => {
  const wide = finalOf(madeUpPeople({ people: 3, rows: 25, features: 39 }));
  const scores = (epsilon: number, seed: string) =>
    noisyScores({ ...SETTING, components: 2 }, wide, {
      ranges: RANGES.wisdm_walk_user!.ranges,
      epsilon,
      source: predictableRandomness(seed),
    });
  expect(scores(1, 'a')).toEqual(scores(1, 'a'));
  expect(scores(1, 'a')).not.toEqual(scores(1, 'b'));
  expect(scores(Infinity, 'a')).toEqual(scores(Infinity, 'b'));
});
