/** Scores of everybody against everybody: normalised by hand, the same in every frame, and cohorts with and without the impostor's own template. */
import { pooledEqualErrorRate } from '@eigenveil/testbed/recognition/error-rates';
import { expect, it } from 'vitest';
import { framedScores } from '../../../recognition/error-rates/frames.ts';
import { type Distances, normalised } from '../../../recognition/scoring/comparisons.ts';
import { distancesOf, finalOf, learn } from '../../../recognition/scoring/protocol.ts';
import { madeUpPeople, SETTING } from '../made-up.ts';

// Three people with one window each; scores[target][source].
const distances: Distances = {
  names: ['a', 'b', 'c'],
  units: [1, 1, 1],
  scores: [
    [1, 4, 6],
    [5, 2, 7],
    [8, 9, 3],
  ].map((row) => row.map((r) => Float64Array.of(r))),
  remoteness: [0, 1, 2].map((e) => Float64Array.of(e)),
};
const log = (r: number) => Math.log1p(r * r);
const scoresOf = (of: Parameters<typeof normalised>[1], among = distances) =>
  normalised(among, of).map(({ scores }) => scores[0]!);

it('the bare score is the distance in the user’s own unit', () => {
  const order = [1, 4, 6, 5, 2, 7, 8, 9, 3];
  expect(scoresOf({ own: 1, everyone: 0 })).toEqual(order.map(log));
});

it('own 0 measures all users by one unit, and everyone takes off how far a window is from all', () => {
  const units = { ...distances, units: [1, 1, 8] };
  // The geometric mean of the units is 2.
  expect(scoresOf({ own: 0, everyone: 0 }, units)[0]).toBeCloseTo(log(0.5), 12);
  expect(scoresOf({ own: 0, everyone: 0 }, units)[8]).toBeCloseTo(log(12), 12);
  expect(scoresOf({ own: 1, everyone: 0.5 })[1]).toBeCloseTo(log(4) - 0.5 * Math.log(2), 12);
});

it('a cohort takes off the nearest other template, that of an insider too', () => {
  const cohort = (who: 'insiders' | 'outsiders', nearest = 1) => ({
    own: 1,
    everyone: 0,
    cohort: { who, nearest, weight: 1 },
  });
  const insiders = scoresOf(cohort('insiders'));
  // a as b: the template of a is nearer to them than that of c.
  expect(insiders[3]).toBeCloseTo(log(5) - log(1), 12);
  expect(scoresOf(cohort('outsiders'))[3]).toBeCloseTo(log(5) - log(8), 12);
  // a as a: theirs is the claimed one, so that of b is the nearest other.
  expect(insiders[0]).toBeCloseTo(log(1) - log(5), 12);
  expect(scoresOf(cohort('insiders', 2))[3]).toBeCloseTo(log(5) - (log(1) + log(8)) / 2, 12);
});

const final = finalOf(madeUpPeople({ apart: 0.7 }));

it.each(['euclidean', 'mahalanobis', 'cosine'] as const)('%s scores are the same in every frame', (score) => {
  const setting = { ...SETTING, score };
  const plain = normalised(distancesOf(learn(setting, final.learn), final.learn, final.test), setting);
  const framed = framedScores(setting, final, 'with the victim’s frame');
  plain.forEach(({ scores }, i) => {
    scores.forEach((value, row) => {
      expect(framed[i]!.scores[row]).toBeCloseTo(value, 8);
    });
  });
});

it('impostors with a frame of their own are told by the frame', () => {
  const rate = (impostors: Parameters<typeof framedScores>[2]) =>
    pooledEqualErrorRate(framedScores(SETTING, final, impostors));
  expect(rate('with their own frame')).not.toBe(rate('with the victim’s frame'));
});
